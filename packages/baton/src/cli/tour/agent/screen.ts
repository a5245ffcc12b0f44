/** A prompt line between two rules, with the conversation above it, drawn as Claude Code draws it. */
export class Screen {
  readonly #out: NodeJS.WriteStream
  readonly #log: string[] = []
  #typed = ''
  #working = ''
  #dialog: readonly string[] | undefined
  status = ''

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
    out.on('resize', () => this.draw())
  }

  say(text: string): void {
    this.#log.push(...text.split('\n'))
    if (this.#log.length > 500) this.#log.splice(0, this.#log.length - 500)
    this.draw()
  }

  wipe(): void {
    this.#log.length = 0
    this.draw()
  }

  typed(text: string): void {
    this.#typed = text
    this.draw()
  }

  working(what: string): void {
    this.#working = what
    this.draw()
  }

  dialog(lines: readonly string[] | undefined): void {
    this.#dialog = lines
    this.draw()
  }

  draw(): void {
    const { columns = 100, rows = 40 } = this.#out
    const rule = '─'.repeat(Math.max(20, columns - 1))
    const bottom = this.#dialog
      ? [rule, ...this.#dialog]
      : [
          ...(this.#working ? [`✻ ${this.#working}… (esc to interrupt)`] : []),
          rule,
          `❯ ${this.#typed.replaceAll('\n', ' ')}`,
          rule,
          this.status,
        ]
    const room = Math.max(1, rows - bottom.length - 1)
    const lines = [...this.#log.slice(-room), ...bottom].map(line => line.slice(0, columns - 1))
    // Over what is there, never from an empty screen: who looks in between would see no prompt line.
    this.#out.write(`\x1b[H${lines.map(line => `${line}\x1b[K`).join('\r\n')}\x1b[J`)
  }
}
