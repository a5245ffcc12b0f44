const PASTE_BEGINS = '\x1b[200~'
const PASTE_ENDS = '\x1b[201~'

export interface Keys {
  typed(text: string): void
  submitted(text: string): void
}

/** A line of input with bracketed pastes: as much as a terminal driver needs. */
export function keyboard(input: NodeJS.ReadStream, output: NodeJS.WriteStream, keys: Keys): void {
  let line = ''
  let rest = ''
  let pasting = false
  const special: Readonly<Record<string, () => void>> = {
    '\r': submit,
    '\n': submit,
    '\x7f': () => type(line.slice(0, -1)),
    '\x15': () => type(''),
    '\x03': () => process.exit(130),
  }

  input.setRawMode?.(true)
  output.write('\x1b[?2004h')
  input.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk
    read()
    // Once for all of it: a screen that is drawn at each letter of a paste is seen half drawn.
    keys.typed(line)
  })

  function read(): void {
    while (rest !== '') {
      const mark = pasting ? PASTE_ENDS : PASTE_BEGINS
      if (rest.startsWith(mark)) {
        pasting = !pasting
        rest = rest.slice(mark.length)
        continue
      }
      // The rest of a mark may still be on its way, even when only its first letter has come.
      if (mark.startsWith(rest)) return
      const [key = ''] = rest
      rest = rest.slice(key.length)
      take(key)
    }
  }

  function take(key: string): void {
    const act = pasting ? undefined : special[key]
    if (act) act()
    else if (pasting && key === '\r') type(`${line}\n`)
    else if (key >= ' ' || key === '\n') type(line + key)
  }
  function submit(): void {
    const text = line
    line = ''
    if (text.trim()) keys.submitted(text)
  }
  function type(text: string): void {
    line = text
  }
}
