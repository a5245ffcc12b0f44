// A small agent in a terminal, with Claude Code's prompt line. It writes what happens to it to the file it is given, one
// JSON value a line: a prompt it took, or {"began": n} for each conversation, {"interrupted": true} for a stopped turn.
// Prompts that mean something: `work` (until Escape), `dialog` (until a key), `choose` (a list; {"chosen": n}), `die`, `swallow` (the next Enter is lost),
// `hold` (from then on no Enter is taken).
import { appendFileSync } from 'node:fs'

const file = process.argv[2]
const tell = value => appendFileSync(file, `${JSON.stringify(value)}\n`)
const rule = '─'.repeat(60)
let conversations = 0
let line = ''
let mode = 'waiting'
let lost = 0
let marked = 0
const OPTIONS = ['Yes', 'Yes, always', 'No']

const show = () => {
  const talk = mode === 'working' ? '✻ Pondering…\r\n' : 'ready\r\n'
  // A long paste is folded, as Claude Code does.
  const rows = line.split('\n').length
  const folded = rows > 8 ? `[Pasted text #1 +${rows} lines]` : line
  const hint = mode === 'working' ? '  esc to interrupt' : '  ? for shortcuts'
  const list = OPTIONS.map((option, i) => ` ${i === marked ? '❯' : ' '} ${i + 1}. ${option}\r\n`)
  const screen =
    mode === 'choose'
      ? `Which one?\r\n${list.join('')}`
      : mode === 'dialog'
        ? 'Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n'
        : `${talk}${rule}\r\n❯ ${folded.replaceAll('\n', '\r\n  ')}\r\n${rule}\r\n${hint}\r\n`
  process.stdout.write(`\x1b[2J\x1b[H${screen}`)
}
const begin = () => {
  conversations += 1
  tell({ began: conversations })
}
const submit = () => {
  if (lost > 0) {
    lost -= 1
    return
  }
  const prompt = line
  line = ''
  tell(prompt)
  if (prompt === '/clear') begin()
  else if (prompt === 'work') mode = 'working'
  else if (prompt === 'dialog') mode = 'dialog'
  else if (prompt === 'choose') mode = 'choose'
  else if (prompt === 'swallow') lost = 1
  else if (prompt === 'hold') lost = Number.POSITIVE_INFINITY
  else if (prompt === 'die') process.exit(3)
}

process.stdin.setRawMode(true)
process.stdin.setEncoding('utf8')
process.stdout.write('\x1b[?2004h')
let pasting
process.stdin.on('data', text => {
  let rest = text
  while (rest !== '') {
    if (pasting !== undefined) {
      const end = rest.indexOf('\x1b[201~')
      pasting += end < 0 ? rest : rest.slice(0, end)
      rest = end < 0 ? '' : rest.slice(end + 6)
      if (end < 0) break
      line += pasting.replaceAll('\r', '\n')
      pasting = undefined
    } else if (rest.startsWith('\x1b[200~')) {
      pasting = ''
      rest = rest.slice(6)
    } else {
      const arrow = /^\x1b[[O]([AB])/.exec(rest)?.[1]
      const key = arrow ?? rest[0]
      rest = rest.slice(arrow ? 3 : 1)
      if (mode === 'choose') {
        if (arrow) marked = Math.min(OPTIONS.length - 1, Math.max(0, marked + (arrow === 'A' ? -1 : 1)))
        if (key === '\r') {
          tell({ chosen: marked })
          mode = 'waiting'
        }
        continue
      }
      if (mode === 'dialog') mode = 'waiting'
      else if (key === '\x1b' && mode === 'working') {
        mode = 'waiting'
        tell({ interrupted: true })
      } else if (key === '\x03') line = ''
      else if (key === '\r') submit()
      else if (key !== '\x1b') line += key
    }
  }
  show()
})
begin()
show()
