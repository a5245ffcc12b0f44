/** Finds which of some words occur in the texts it is shown; each must be a word of its own, not a part of one. */
export class Mentions {
  readonly found = new Set<string>()
  #left: string[]
  #form: RegExp | undefined

  constructor(words: readonly string[]) {
    this.#left = [...new Set(words)].filter(word => word !== '')
    this.#form = formOf(this.#left)
  }

  addText(text: string): void {
    if (!this.#form || QUOTES_HANDOFF.test(text)) return
    for (let match = this.#form.exec(text); match; match = this.#form?.exec(text) ?? null) {
      this.found.add(match[0])
      this.#left = this.#left.filter(word => word !== match?.[0])
      this.#form = formOf(this.#left)
      if (!this.#form) return
    }
  }
}

/** What the agent wrote into its own document does not prove it. */
const QUOTES_HANDOFF = /\.bmad\/handoff|<handoff-context>/

function formOf(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const any = words.map(word => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')
  return new RegExp(`(?<!\\w)(?:${any})(?!\\w)`)
}
