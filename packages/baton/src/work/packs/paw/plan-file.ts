import type { WorkPhase } from '@batonpass/contract/work'

/** Reads the phases of ImplementationPlan.md: its `## Phase N:` headings, in order. */
export function parsePhases(text: string): WorkPhase[] {
  const phases: (WorkPhase & { boxes: number; ticked: number; said: boolean })[] = []
  let current: (typeof phases)[number] | undefined
  for (const line of proseLines(text)) {
    const heading = /^(#{1,2})\s+(.*)$/.exec(line)
    if (heading) {
      const [, number, title = ''] = /^Phase\s+(\d{1,3})\s*[:.—–-]?\s*(.*)$/i.exec(heading[2] ?? '') ?? []
      const n = Number(number)
      current =
        heading[1] === '##' && n > 0 && !phases.some(phase => phase.number === n)
          ? {
              number: n,
              title: title
                .replace(/\s*(?:✅|✔️?|\[x\])\s*$/iu, '')
                .trim()
                .slice(0, 200),
              state: 'open',
              reviewed: false,
              boxes: 0,
              ticked: 0,
              said: /(?:✅|✔|\[x\])/iu.test(title),
            }
          : undefined
      if (current) phases.push(current)
      continue
    }
    if (!current) continue
    const box = /^\s*[-*+]\s+\[([ xX])\]/.exec(line)
    if (box) {
      current.boxes++
      if (box[1] !== ' ') current.ticked++
    }
    if (
      /^[\s>*_-]*(?:phase )?status[*_]*\s*:[\s*_]*(?:✅\s*)?(?:complete|completed|done|finished)\b/i.test(
        line,
      )
    )
      current.said = true
    if (
      /^[\s>*_-]*review(?:ed)?[*_]*\s*:[\s*_]*(?:✅\s*)?(?:passed|approved|complete|completed|done|yes)\b/i.test(
        line,
      )
    )
      current.reviewed = true
  }
  return phases.map(({ boxes, ticked, said, ...phase }) => {
    const done = said || (boxes > 0 && ticked === boxes)
    return { ...phase, state: done ? 'done' : ticked > 0 ? 'begun' : 'open' }
  })
}

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

/** The lines outside code fences. */
function* proseLines(text: string): Generator<string> {
  let fence: string | undefined
  for (const line of text.slice(0, MAX_LENGTH).split(/\r\n?|\n/)) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined) {
      if (mark === undefined) yield line
      else fence = mark
    } else if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = undefined
  }
}
