import type { WorkPhase } from '@batonpass/contract/work'

/**
 * Reads the phases of ImplementationPlan.md: its `## Phase N:` headings, in order, or `### Phase N:` if there are no others.
 * Parts of a phase (`Phase 2A`, `Phase 5.5`) count as that phase, which is done when all its parts are.
 */
export function parsePhases(text: string): WorkPhase[] {
  const lines = [...proseLines(text)]
  const level = [2, 3].find(depth => lines.some(line => phaseHeading(line, depth))) ?? 2
  const plan = new PlanReader(level)
  for (const line of lines) plan.readLine(line)
  return plan.phases()
}

interface Part {
  /** `2`, `2a`, `5.5` */
  name: string
  number: number
  title: string
  boxes: number
  ticked: number
  said: boolean
  reviewed: boolean
}

class PlanReader {
  readonly #level: number
  readonly #parts: Part[] = []
  /** The ticks under `## Phase Status`: where the plan has them, they decide. */
  readonly #status = new Map<string, { done: boolean; title: string }>()
  #current: Part | undefined
  #section: 'status' | 'other' = 'other'
  /** Depth of a heading for checks by hand; boxes below it belong to the person. */
  #manual = 0
  #expectsState = false

  constructor(level: number) {
    this.#level = level
  }

  readLine(line: string): void {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (heading) {
      this.#readHeading(heading[1]?.length ?? 0, heading[2] ?? '', line)
      return
    }
    if (this.#section === 'status') {
      this.#readStatus(line)
      return
    }
    this.#readTableRow(line)
    this.#readStatement(line)
    if (!this.#current) return
    if (/^\s*\*\*[^*]*\bmanual\b[^*]*\*\*:?\s*$/i.test(line)) this.#manual = BELOW_HEADINGS
    else if (/^\s*\*\*[^*]*\bautomated\b[^*]*\*\*:?\s*$/i.test(line)) this.#manual = 0
    const box = /^\s*[-*+]\s+\[([ xX])\]\s*(.*)$/.exec(line)
    if (box && this.#manual === 0) {
      this.#current.boxes++
      if (box[1] !== ' ') this.#current.ticked++
    }
    if (REVIEWED.test(line)) this.#current.reviewed = true
  }

  #readHeading(depth: number, words: string, line: string): void {
    if (depth <= this.#level && depth <= 2) this.#section = 'other'
    this.#expectsState = false
    if (/^phase status\s*$/i.test(words)) {
      this.#section = 'status'
      this.#current = undefined
      return
    }
    const phase = phaseHeading(line, this.#level)
    if (phase) {
      this.#manual = 0
      this.#current = this.#parts.some(({ name }) => name === phase.name) ? undefined : newPart(phase)
      if (this.#current) this.#parts.push(this.#current)
      return
    }
    if (depth < this.#level || (depth === this.#level && this.#level === 2)) {
      this.#current = undefined
      return
    }
    if (this.#manual === 0 || depth <= this.#manual) this.#manual = /\bmanual\b/i.test(words) ? depth : 0
    this.#readStatement(words)
    // `### Status`, then a line that says it.
    this.#expectsState = /^(?:phase\s+[\w.]+\s+)?status(?: update)?\s*:?\s*$/i.test(words)
  }

  #readStatus(line: string): void {
    const found =
      /^\s*[-*+]\s+\[([ xX])\]\s+[*_]*Phase\s+(\d{1,3}(?:\.\d+)?[A-Za-z]?)\b\s*[:.—–-]?\s*([^*_]*)/.exec(line)
    if (!found) return
    const [, mark, name = '', title = ''] = found
    this.#status.set(name.toLowerCase(), { done: mark !== ' ', title: title.trim().slice(0, 200) })
  }

  /** `| 4 | Title | ✅ Complete |` in a table of phases, which comes before the phases. */
  #readTableRow(line: string): void {
    if (this.#parts.length > 0) return
    const [, name, title = ''] =
      /^\s*\|\s*(?:Phase\s+)?(\d{1,3}[A-Za-z]?)\s*\|([^|]*)\|(?:[^|]*\|)*?\s*(?:✅\s*)?(?:complete|completed|done)\s*\|\s*$/iu.exec(
        line,
      ) ?? []
    if (name) this.#status.set(name.toLowerCase(), { done: true, title: title.trim().slice(0, 200) })
  }

  /** `Phase 3 Complete`, `Phases 1-4 Implementation Complete`, `Status: complete`, `Completion Notes`. */
  #readStatement(line: string): void {
    const words = line
      .replaceAll(/[*_`#>]/g, '')
      .replace(/^\s*[-+]\s+/, '')
      .trim()
    const about = STATED.exec(words) ?? LISTED.exec(words)
    if (about) {
      const [, from = '', to] = about
      const last = Number(to ?? Number.parseInt(from, 10))
      for (const part of this.#parts)
        if (
          to === undefined
            ? part.name === from.toLowerCase()
            : part.number >= Number(from) && part.number <= last
        )
          part.said = true
      return
    }
    const current = this.#current
    if (!current) return
    if (STATUS.test(words) || COMPLETION.test(words) || COMPLETED_ON.test(words)) current.said = true
    if (this.#expectsState && words !== '') {
      this.#expectsState = false
      if (
        /^(?:\[x\]\s*)?(?:✅\s*)?(?:phase\s+[\w.]+\s+)?(?:implementation\s+)?(?:complete|completed|done)\b/i.test(
          words,
        )
      )
        current.said = true
    }
  }

  phases(): WorkPhase[] {
    for (const [name, { title }] of this.#status)
      if (!this.#parts.some(part => part.name === name))
        this.#parts.push(newPart({ name, number: Number.parseInt(name, 10), title }))
    const numbers = [...new Set(this.#parts.map(({ number }) => number))].filter(number => number > 0)
    return numbers
      .map(number => {
        const all = this.#parts.filter(part => part.number === number)
        const whole = all.find(part => part.name === String(number))
        const split = all.filter(part => part !== whole)
        // The heading above parts only introduces them.
        const counted = split.length > 0 && whole && !this.#says(whole) && whole.ticked === 0 ? split : all
        const done =
          (whole && this.#status.get(whole.name)?.done) || counted.every(part => this.#isDone(part))
        const begun = counted.some(part => this.#isDone(part) || part.ticked > 0)
        return {
          number,
          title: (whole ?? all[0])?.title ?? '',
          state: done ? ('done' as const) : begun ? ('begun' as const) : ('open' as const),
          reviewed: counted.every(part => part.reviewed),
        }
      })
      .sort((a, b) => a.number - b.number)
  }

  #says(part: Part): boolean {
    return part.said || this.#status.get(part.name)?.done === true
  }

  #isDone(part: Part): boolean {
    const status = this.#status.get(part.name)
    if (status) return status.done || part.said
    return part.said || (part.boxes > 0 && part.ticked === part.boxes)
  }
}

const BELOW_HEADINGS = 7

const newPart = ({ name, number, title }: { name: string; number: number; title: string }): Part => ({
  name,
  number,
  title: title
    .replace(/\s*(?:✅|✔️?|\[x\])\s*$/iu, '')
    .trim()
    .slice(0, 200),
  boxes: 0,
  ticked: 0,
  said: /(?:✅|✔|\[x\])/iu.test(title),
  reviewed: false,
})

/** A heading that starts a phase: `## Phase 2: Title`, `## Phase 2A - Title`. Not `## Phase 2 Overall Success Criteria`. */
function phaseHeading(
  line: string,
  depth: number,
): { name: string; number: number; title: string } | undefined {
  const [, marks = '', name = '', separator = '', title = ''] =
    /^(#{1,6})\s+Phase\s+(\d{1,3}(?:\.\d{1,2})?[A-Za-z]?)(?:\s*([:.—–-])\s*|\s+(?=✅|✔|\[x\])|\s*$)(.*)$/iu.exec(
      line,
    ) ?? []
  if (marks.length !== depth) return undefined
  // Below other headings, `### Phase 1 - Implementation Complete` is a statement.
  if (depth > 2 && separator !== ':') return undefined
  return { name: name.toLowerCase(), number: Number.parseInt(name, 10), title }
}

const STATED =
  /^Phases?\s+(\d{1,3}(?:\.\d{1,2})?[A-Za-z]?)(?:\s*[-–—]\s*(\d{1,3}))?\s+(?:implementation\s+)?(?:complete|completed|completion (?:notes|summary))\b/i
const STATUS =
  /^(?:phase )?status\s*:\s*(?:✅\s*)?(?:phase\s+[\w.]+\s+)?(?:implementation\s+)?(?:complete|completed|done|finished)\b/i
/** `1. ✅ **Phase 1: Title**` in a summary of the whole plan. */
const LISTED = /^(?:\d{1,3}[.)]\s*)?✅\s*Phase\s+(\d{1,3}(?:\.\d{1,2})?[A-Za-z]?)\s*(?:[:.—–-]|$)/iu
const COMPLETED_ON = /^completed\s*:\s*\d{4}-\d{2}-\d{2}\b/i
const COMPLETION = /^completion (?:notes|summary)\b/i
const REVIEWED =
  /^[\s>*_-]*review(?:ed)?[*_]*\s*:[\s*_]*(?:✅\s*)?(?:passed|approved|complete|completed|done|yes)\b/i

/** Counts the ticked boxes of a plan. */
export function countTicks(text: string): number {
  let count = 0
  for (const line of proseLines(text)) if (/^\s*[-*+]\s+\[[xX]\]/.test(line)) count++
  return count
}

/** Counts the open questions in the section "Research Questions" of Spec.md: unticked boxes and plain points. */
export function openQuestions(text: string): number {
  let level = 0
  let count = 0
  for (const line of proseLines(text)) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (heading) {
      const depth = heading[1]?.length ?? 0
      if (/\bresearch questions?\b/i.test(heading[2] ?? '')) level = depth
      else if (level > 0 && depth <= level) level = 0
      continue
    }
    if (level === 0) continue
    const point = /^(?:[-*+]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s*)?(.*)$/.exec(line)
    if (!point || (point[1] ?? ' ') !== ' ') continue
    if (!/^(?:~~|none\b|n\/a\b)/i.test(point[2] ?? '') && (point[2] ?? '').trim() !== '') count++
  }
  return count
}

const MAX_LENGTH = 1_000_000

/**
 * The lines outside code fences. Plans quote markdown that has fences of its own: inside a fence, one with a language opens
 * another.
 */
function* proseLines(text: string): Generator<string> {
  const open: string[] = []
  for (const line of text.slice(0, MAX_LENGTH).split(/\r\n?|\n/)) {
    const [, mark, info = ''] = /^\s{0,3}(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? []
    if (mark === undefined) {
      if (open.length === 0) yield line
      continue
    }
    const fence = open.at(-1)
    if (fence === undefined || (info.trim() !== '' && mark[0] === fence[0])) open.push(mark)
    else if (mark[0] === fence[0] && mark.length >= fence.length) open.pop()
  }
}
