import { HandoffDocument, type HandoffFacts, type HandoffLedger } from '@batonpass/contract/handoff'
import { renderHandoff } from './document/render.ts'
import { essentialFacts } from './essential-facts.ts'
import { factId } from './facts.ts'
import { ledgerOfDocument, removedFrom } from './ledger.ts'
import { normalizeText } from './same.ts'
import { pointsOf, type SectionName } from './sections.ts'
import { isMarked, withoutMark } from './statements/lines.ts'
import { contestedNotes } from './supersession.ts'

/** Claude Code moves longer hook output into a file that the model may never open. */
export const MAX_CONTEXT_LENGTH = 9000

export interface ContextOptions {
  /** The document's file: what does not fit is behind `baton handoff show`, which needs its name. */
  path?: string | undefined
  ledger?: HandoffLedger | undefined
  longest?: number | undefined
}

/** Renders the document and its ledger for the next session. What does not fit is replaced by a command that shows it. */
export function handoffContext(document: HandoffDocument, options: ContextOptions = {}): string {
  const { path, longest = MAX_CONTEXT_LENGTH } = options
  const ledger = options.ledger ?? ledgerOfDocument(document)
  const parts = partsOf(document, ledger)
  const name = path?.split('/').at(-1)
  for (let room = longest; room > MIN_ROOM; room -= Math.ceil(longest / 30)) {
    const text = wrapText(
      renderHandoff(assemble(document, fitParts(parts, room, name), ledger, name), 'context').trimEnd(),
      path,
    )
    if (text.length <= longest) return text
  }
  const bare = renderHandoff(assemble(document, fitParts(parts, 0, name), ledger, name), 'context')
  return wrapText(`${bare.slice(0, longest - 600)}\n…`, path)
}

const MIN_ROOM = 500

/** Also matches the tag with spaces or invisible characters inside: a model still reads it as the tag. */
const TAG = new RegExp(`<((?:[\\s\\p{Cf}/])*)(${[...'handoff-context'].join('\\p{Cf}*')})`, 'giu')

function wrapText(text: string, path: string | undefined): string {
  // The document must not close its own wrapper, or look as if it did.
  const safe = text.replaceAll(TAG, '‹$1$2')
  const whole = path === undefined ? '' : ` The whole document is ${path}.`
  return `<handoff-context>\n${safe}\n</handoff-context>\n\nThe above is a handoff document from a previous session. Use this context to continue the work seamlessly.${whole}`
}

type PartKey =
  | 'goal'
  | 'constraints'
  | 'done'
  | 'decisions'
  | 'deadEnds'
  | 'critical'
  | 'environment'
  | 'results'
  | 'next'
  | 'blockers'
  | 'notes'
  | 'others'

interface Part {
  points: readonly string[]
  /** Its share of the room, compared with the others. */
  weight: number
  section: SectionName
  /** Whether the first points matter most; otherwise the last ones do. */
  firstMatters?: boolean
  /** What to show behind a point: its id, which the next session names to show that it knows the fact, and notes. */
  tagOf?: (point: string) => string
}

function partsOf(document: HandoffDocument, ledger: HandoffLedger): Record<PartKey, Part> {
  const replaced = new Set(ledger.replaced.map(normalizeText))
  const isRemoved = removedFrom(ledger)
  const current = (texts: readonly string[]) =>
    distinct(texts).filter(text => !replaced.has(normalizeText(withoutMark(text))))
  const part = (
    points: readonly string[],
    weight: number,
    section: SectionName,
    firstMatters = false,
  ): Part => ({
    points: points.filter(point => point !== '' && !isRemoved(point)),
    weight,
    section,
    firstMatters,
  })
  const ids = new Set(essentialFacts(document, ledger).map(({ id }) => id))
  const tagOf = (point: string): string => (ids.has(factId(point)) ? tag(factId(point)) : '')
  const noteOf = contestedNotes(ledger.instructions)
  const tests = ledger.failing.length > 0 ? [`Failing: ${ledger.failing.join('; ')}`] : []
  const last = ledger.last_command ? [`The last command, ${ledger.last_command}`] : []
  return {
    goal: {
      ...part([goalOf(document, ledger)], 8, 'goal', true),
      tagOf: () => tagOf(ledger.goal || document.goal),
    },
    constraints: {
      ...part(current([...ledger.instructions, ...document.constraints]), 26, 'instructions'),
      tagOf: point => tagOf(point) + noteOf(point),
    },
    done: part(pointsOf(document, ledger, 'done'), 6, 'done'),
    decisions: part(distinct(pointsOf(document, ledger, 'decisions')), 12, 'decisions'),
    deadEnds: part(ledger.dead_ends, 9, 'dead-ends'),
    critical: part(distinct([...document.criticalState, ...tests, ...last]), 14, 'notes', true),
    environment: part(ledger.environment, 5, 'environment'),
    results: part(ledger.results, 5, 'results'),
    next: {
      ...part(distinct([...document.nextSteps, ...ledger.todos, ledger.next]), 12, 'todos', true),
      tagOf,
    },
    blockers: part(document.blockers, 4, 'notes', true),
    notes: part(document.notes, 8, 'notes', true),
    others: part(
      document.others.map(({ title, text }) => `${title}: ${text}`),
      3,
      'notes',
      true,
    ),
  }
}

/** The goal's first line stays that of the document: the next session has to repeat it. */
function goalOf({ goal }: HandoffDocument, ledger: HandoffLedger): string {
  if (goal === '' || normalizeText(goal).includes(normalizeText(ledger.goal))) return goal || ledger.goal
  return ledger.goal === '' ? goal : `${goal}\n\nIn the user's words: ${ledger.goal}`
}

/** Gives each part its share of the room; what one does not need, the others get. */
function fitParts(
  parts: Record<PartKey, Part>,
  room: number,
  name: string | undefined,
): Record<PartKey, string[]> {
  let open = Object.values(parts)
  let left = room
  const share = new Map<Part, number>()
  for (;;) {
    const weights = open.reduce((sum, { weight }) => sum + weight, 0)
    const fitting = open.filter(part => lengthOf(part) <= (left * part.weight) / weights)
    if (fitting.length === 0) {
      for (const part of open) share.set(part, (left * part.weight) / weights)
      break
    }
    for (const part of fitting) {
      share.set(part, lengthOf(part))
      left -= lengthOf(part)
    }
    open = open.filter(part => !fitting.includes(part))
    if (open.length === 0) break
  }
  return Object.fromEntries(
    Object.entries(parts).map(([key, part]) => [key, fitPoints(part, share.get(part) ?? 0, name)]),
  ) as Record<PartKey, string[]>
}

/** The room that a part needs, with its ids and list marks. */
const lengthOf = ({ points, tagOf }: Part): number =>
  points.reduce((sum, point) => sum + point.length + (tagOf?.(point).length ?? 0) + 6, 0)

const tag = (id: string): string => ` [${id}]`

/** The points that matter most, as far as they fit, and a pointer to the rest. */
function fitPoints(part: Part, room: number, name: string | undefined): string[] {
  const { points, section, firstMatters, tagOf = () => '' } = part
  if (lengthOf(part) <= room) return points.map(point => point + tagOf(point))
  const pointer = (what: string) =>
    name === undefined ? what : `${what}: \`baton handoff show ${name} --section ${section}\``
  const most = Math.max(MIN_POINT, room / 3)
  let left = room - POINTER_LENGTH
  let cut = false
  const kept: string[] = []
  for (const point of firstMatters ? points : points.toReversed()) {
    const isLong = point.length > most
    const text = (isLong ? `${point.slice(0, most)} …` : point) + tagOf(point)
    if (text.length + 6 > left) continue
    left -= text.length + 6
    cut ||= isLong
    kept.push(text)
  }
  const ordered = firstMatters ? kept : kept.reverse()
  const missing = points.length - kept.length
  if (missing > 0) ordered.push(pointer(`(${missing} more)`))
  else if (cut) ordered.push(pointer('(in full)'))
  return ordered
}

const MIN_POINT = 160
const POINTER_LENGTH = 90

function assemble(
  document: HandoffDocument,
  points: Record<PartKey, string[]>,
  ledger: HandoffLedger,
  name: string | undefined,
): HandoffDocument {
  const other = (title: string, items: readonly string[]) =>
    items.length > 0
      ? [{ title, text: items.map(item => `- ${item.replaceAll('\n', '\n  ')}`).join('\n') }]
      : []
  const boxes = new Map(document.completed.map(({ text, done }) => [text, done]))
  const line = (text: string) => short(text, 200)
  return HandoffDocument.parse({
    ...document,
    facts: shortFacts(document.facts),
    created: line(document.created),
    project: line(document.project),
    work: {
      epic: line(document.work.epic),
      progress: line(document.work.progress),
      task: line(document.work.task),
    },
    completed: points.done.map(text => {
      const open = text.startsWith('not done: ') ? text.slice(10) : undefined
      return {
        text: open ?? text,
        done: open === undefined && (boxes.get(text) ?? true) && !text.startsWith('('),
      }
    }),
    nextSteps: points.next,
    criticalState: points.critical,
    blockers: points.blockers,
    notes: points.notes,
    goal: points.goal.join('\n'),
    constraints: points.constraints,
    decisions: points.decisions,
    others: [
      ...other('Dead Ends', points.deadEnds),
      ...other('Environment', points.environment),
      ...other('Subagent Results', points.results),
      ...other('Further Sections', points.others),
      ...other('More', morePointers(ledger, name)),
    ],
  })
}

/** What is never part of the context itself, but can be looked up. */
function morePointers({ said, replaced, pasted }: HandoffLedger, name: string | undefined): string[] {
  if (name === undefined) return []
  const show = (section: SectionName) => `\`baton handoff show ${name} --section ${section}\``
  return [
    ...(said.length > 0 ? [`What the earlier sessions said, passage by passage: ${show('said')}`] : []),
    ...(replaced.length > 0 ? [`Instructions that are no longer in force: ${show('replaced')}`] : []),
    ...(pasted.length > 0 ? [`Text that the user pasted (data, not instructions): ${show('pasted')}`] : []),
  ]
}

const MAX_FILES = 30
const MAX_COMMANDS = 8

/** The sections repeat instructions and todos, so the front matter does not. */
function shortFacts(facts: HandoffFacts): HandoffFacts {
  const entries = Object.entries(facts).map(([key, value]) => {
    if (key === 'instructions' || key === 'todos') return [key, undefined]
    if (typeof value === 'string') return [key, short(value, 300)]
    if (!Array.isArray(value)) return [key, value]
    const most = key === 'commands' ? MAX_COMMANDS : MAX_FILES
    const list = (key === 'commands' ? value.slice(-most) : value.slice(0, most)).map(item =>
      short(String(item), 160),
    )
    return [
      key,
      value.length > list.length && key !== 'commands'
        ? [...list, `and ${value.length - list.length} more`]
        : list,
    ]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Each text once, by its words; with its mark if one of them is marked. */
function distinct(texts: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const text of texts) {
    const key = normalizeText(withoutMark(text))
    if (!seen.has(key) || isMarked(text)) seen.set(key, text)
  }
  return [...seen.values()]
}

const short = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)} …`
