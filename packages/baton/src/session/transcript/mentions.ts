/**
 * Finds which of some words occur in the texts it is shown; each must be a word of its own, not a part of one. Groups of words have to
 * occur in the output of one command; a word that ends with `*` may continue there.
 */
export class Mentions {
  readonly found = new Set<string>()
  #left: string[]
  #form: RegExp | undefined

  #groups: { key: string; first: string; forms: RegExp[] }[]

  constructor(words: readonly string[], groups: readonly (readonly string[])[] = []) {
    this.#groups = groups.map(group => ({
      key: group.join('\0'),
      first: [...group].sort((a, b) => b.length - a.length).find(word => !word.endsWith('*')) ?? '',
      forms: group.map(
        word =>
          new RegExp(
            `(?<![\\p{L}\\d_])${word.replace(/\*$/, '').replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}${word.endsWith('*') ? '' : '(?![\\p{L}\\d_])'}`,
            'iu',
          ),
      ),
    }))
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

  /** The output of a command, with the command. */
  addOutput(command: string, output: string): void {
    this.addText(output)
    if (this.#groups.length === 0 || QUOTES_HANDOFF.test(command)) return
    const text = `${command}\n${output.slice(-MAX_OUTPUT)}`
    const here = this.#groups.filter(
      ({ first, forms }) => text.includes(first) && forms.every(form => form.test(text)),
    )
    for (const { key } of here) this.found.add(key)
    if (here.length > 0) this.#groups = this.#groups.filter(({ key }) => !this.found.has(key))
  }
}

const MAX_OUTPUT = 50_000

/** What the agent wrote into its own document does not prove it. */
const QUOTES_HANDOFF = /\.bmad\/handoff|<handoff-context>/

function formOf(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const any = words.map(escaped).join('|')
  return new RegExp(`(?<!\\w)(?:${any})(?!\\w)`)
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
