/**
 * Finds which of some words occur in the texts it is shown; each must be a word of its own, not a part of one. Groups of words have to
 * occur in the output of one command; a word that ends with `*` may continue there, or be in the command.
 */
export class Mentions {
  readonly found = new Set<string>()
  #left: string[]
  #form: RegExp | undefined

  #groups: { key: string; first: string; forms: RegExp[]; about: RegExp[] }[]

  constructor(words: readonly string[], groups: readonly (readonly string[])[] = []) {
    this.#groups = groups.map(group => ({
      key: group.join('\0'),
      first: [...group].sort((a, b) => b.length - a.length).find(word => !word.endsWith('*')) ?? '',
      forms: group.filter(word => !word.endsWith('*')).map(wordForm),
      about: group.filter(word => word.endsWith('*')).map(wordForm),
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

  /** The output of a command. What the command itself contains, the agent wrote: it may only say what the output is about. */
  addOutput(command: string, output: string): void {
    this.addText(output)
    if (this.#groups.length === 0 || SHOWS_OWN_WORDS.test(command) || SHOWS_DOCUMENT.test(output)) return
    const isRepeating = REPEATS_INPUT.test(command)
    // The end of a longer command was cut off, so that what it repeats is not known.
    if (isRepeating && command.length >= MAX_COMMAND) return
    const text = output.slice(-MAX_OUTPUT)
    const here = this.#groups.filter(
      ({ first, forms, about }) =>
        text.includes(first) &&
        forms.every(form => form.test(text) && !(isRepeating && form.test(command))) &&
        about.every(form => form.test(text) || form.test(command)),
    )
    for (const { key } of here) this.found.add(key)
    if (here.length > 0) this.#groups = this.#groups.filter(({ key }) => !this.found.has(key))
  }
}

const MAX_OUTPUT = 50_000

/** What the agent wrote into its own document does not prove it. */
const QUOTES_HANDOFF = /\.bmad\/handoff|<handoff-context>/

/** Commands that print handoff documents, or the messages of commits. */
const SHOWS_OWN_WORDS =
  /\.bmad\/handoff|<handoff-context>|\bhandoff-\d[\d-]{0,40}\.md|\bbaton\s+handoff\b|\bgit\b[^;&|\n]{0,200}?\s(?:commit|log|show|shortlog|reflog|cherry-pick|revert|rebase|merge|tag|notes|am)\b/
const SHOWS_DOCUMENT = /\.bmad\/handoff|<handoff-context>|# Handoff Document\b/
/** Commands that print what they are given: `echo`, here-documents, code on the command line. */
const REPEATS_INPUT =
  /(?:^|[\s;&|({`])(?:echo|printf|yes)\s|<<|\b(?:node|deno|bun|python[\d.]*|ruby|perl|php|(?:ba|z|fi)?sh|pwsh|Rscript)\s(?:[^;&|\n]{0,80}\s)?--?(?:c|lc|e|p|pe|ne|r|eval|print|command)(?=[\s'"=])/i
/** Commands are kept up to this length. */
const MAX_COMMAND = 2000

const wordForm = (word: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\d_])${word.replace(/\*$/, '').replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}${word.endsWith('*') ? '' : '(?![\\p{L}\\d_])'}`,
    'iu',
  )

function formOf(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const any = words.map(escaped).join('|')
  return new RegExp(`(?<!\\w)(?:${any})(?!\\w)`)
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
