import { HandoffDocument, type HandoffFinding } from '@batonpass/contract/handoff'
import {
  FIELDS,
  type FieldKey,
  type Form,
  isTitle,
  REQUIRED,
  type SectionKey,
  sectionOf,
  titleOf,
} from './form.ts'
import { readFacts } from './front-matter.ts'
import { type Block, readPoints, readText, splitBlocks } from './markdown.ts'

export interface ReadHandoff {
  document: HandoffDocument
  form: Form
  /** How the text deviates from its form. The evidence is not considered here. */
  findings: HandoffFinding[]
}

/** A longer document would fill the context that the handoff is meant to free. */
export const MAX_HANDOFF_LENGTH = 200_000

/**
 * Reads a document in either form, even a sloppily written one. Never throws. `requested`: the form that was asked for, which
 * a text without any section is measured by.
 */
export function parseHandoff(written: string, requested: Form = 'file'): ReadHandoff {
  const findings: HandoffFinding[] = []
  const whole = written.slice(0, MAX_HANDOFF_LENGTH)
  if (whole.length < written.length)
    findings.push(
      wrong(
        'unreadable',
        'document',
        `The document is longer than ${MAX_HANDOFF_LENGTH} characters; shorten it`,
      ),
    )
  const { facts, rest, findings: odd } = readFacts(extractDocument(whole))
  findings.push(...odd)
  const blocks = splitBlocks(rest)
  const keys = blocks.map(({ heading }) => (heading === '' ? undefined : sectionOf(heading)))
  const form = formOf(keys, requested)
  const draft = new Draft(form, findings)
  for (const [i, block] of blocks.entries()) draft.addBlock(block, keys[i])
  draft.reportProblems(keys)
  return { document: HandoffDocument.parse({ ...draft.result, facts }), form, findings }
}

function formOf(keys: readonly (SectionKey | undefined)[], requested: Form): Form {
  if (keys.includes('work')) return 'file'
  if (keys.includes('goal') || keys.includes('progress')) return 'context'
  return keys.some(key => key !== undefined && !REQUIRED.context.includes(key)) ? 'file' : requested
}

/** Extracts the document from a reply: the agent may put it into a fence or write a sentence before it. */
export function extractDocument(reply: string): string {
  const text = reply.replaceAll(/\r\n?/g, '\n').replace(/^\uFEFF/, '')
  const lines = text.split('\n')
  const opens = lines.findIndex(line => /^(?:`{3,}|~{3,})\s*(?:markdown|md)?\s*$/.test(line))
  const begins = lines.findIndex((line, i) => isBeginning(line, lines[i + 1]))
  if (begins < 0) return text
  const body = lines.slice(begins)
  if (opens < 0 || opens > begins) return body.join('\n')
  const fence = /^(`+|~+)/.exec(lines[opens] ?? '')?.[1] ?? '```'
  const closes = body.findLastIndex(line => line.trimEnd() === fence)
  return (closes < 0 ? body : body.slice(0, closes)).join('\n')
}

function isBeginning(line: string, next: string | undefined): boolean {
  if (line === '---') return next !== undefined && /^[a-z_]+:/.test(next)
  const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1]
  return (
    (heading !== undefined && (isTitle(heading) || sectionOf(heading) !== undefined)) ||
    /^\*\*Created\*\*:/.test(line)
  )
}

/** The document while it is being read. */
class Draft {
  readonly result = {
    created: '',
    contextUsage: undefined as number | undefined,
    project: '',
    work: { epic: '', progress: '', task: '' },
    completed: [] as { text: string; done: boolean }[],
    nextSteps: [] as string[],
    criticalState: [] as string[],
    blockers: [] as string[],
    notes: [] as string[],
    goal: '',
    constraints: [] as string[],
    decisions: [] as string[],
    others: [] as { title: string; text: string }[],
  }
  readonly #form: Form
  readonly #findings: HandoffFinding[]

  constructor(form: Form, findings: HandoffFinding[]) {
    this.#form = form
    this.#findings = findings
  }

  addBlock(block: Block, key: SectionKey | undefined): void {
    const { heading, lines } = block
    if (heading === '' || (key === undefined && isTitle(heading))) {
      const rest = this.#readFields(lines, ['created', 'contextUsage', 'project'])
      if (rest.join('').trim() !== '')
        this.#reportOddity('header', 'Text before the first section is ignored')
      return
    }
    if (key === undefined) {
      const title = heading.replace(/^Other: (?=.)/, '')
      this.result.others.push({
        title: sectionOf(title) || isTitle(title) ? title : heading,
        text: readText(lines),
      })
      return
    }
    if (!KNOWN_TITLES.has(heading))
      this.#reportOddity(titleOf(key, this.#form), `The heading reads \`${heading.slice(0, 80)}\``)
    this.#addSection(key, lines)
  }

  #addSection(key: SectionKey, lines: readonly string[]): void {
    const { result } = this
    switch (key) {
      case 'work':
      case 'progress': {
        const rest = this.#readFields(lines, ['epic', 'progress', 'task'])
        for (const { text, box, bare } of readPoints(rest, { boxes: true })) {
          if (box !== undefined || (key === 'progress' && !bare)) this.#addCompleted(text, box)
          else result.notes.push(text)
        }
        return
      }
      case 'completed':
        for (const { text, box } of readPoints(lines, { boxes: true })) this.#addCompleted(text, box)
        return
      case 'goal':
        result.goal = [result.goal, readText(lines)].filter(Boolean).join('\n\n')
        return
      default: {
        const points = readPoints(lines)
        if (points.some(point => point.bare))
          this.#reportOddity(titleOf(key, this.#form), 'Not every point has a bullet')
        result[key].push(...points.map(point => point.text))
      }
    }
  }

  /** A point without a checkbox counts as done. */
  #addCompleted(text: string, box: boolean | undefined): void {
    if (/^none\.?$/i.test(text)) return
    if (box === undefined)
      this.#reportOddity(titleOf('completed', this.#form), 'A point has no checkbox; it counts as done')
    this.result.completed.push({ text, done: box ?? true })
  }

  /** Reads the labelled values and returns the other lines. */
  #readFields(lines: readonly string[], wanted: readonly FieldKey[]): string[] {
    return lines.filter(line => {
      const exact = /^\*\*([^*]+)\*\*: ?(.*)$/.exec(line)
      const loose =
        exact ??
        /^ ?(?:[-*+]\s+)?(?:\*\*|__)?([A-Za-z ]{3,20}?)(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(.*)$/.exec(line)
      const key = wanted.find(each => FIELDS[each].toLowerCase() === loose?.[1]?.trim().toLowerCase())
      if (key === undefined) return true
      this.#setField(key, loose?.[2]?.trim() ?? '')
      return false
    })
  }

  #setField(key: FieldKey, value: string): void {
    const { result } = this
    if (key === 'contextUsage') {
      const percent = /^(?:about |~|≈)?\s*(\d{1,3}(?:\.\d+)?)\s*%?/.exec(value)?.[1]
      if (percent !== undefined) result.contextUsage = Number(percent)
      else if (!/^(?:unknown|none|n\/a)?\.?$/i.test(value))
        this.#reportOddity(FIELDS[key], 'It is not a percentage')
    } else if (key === 'created' || key === 'project') result[key] = value
    else result.work[key] = value
  }

  reportProblems(keys: readonly (SectionKey | undefined)[]): void {
    const form = this.#form
    const missing = REQUIRED[form].filter(key => !keys.includes(key))
    for (const key of missing) {
      const title = titleOf(key, form)
      this.#findings.push(wrong('missing-section', title, `The section \`## ${title}\` is missing`))
    }
    const order = keys.flatMap(key =>
      key && REQUIRED[form].includes(key) ? REQUIRED[form].indexOf(key) : [],
    )
    if (order.some((at, i) => at < (order[i - 1] ?? 0)))
      this.#reportOddity('document', 'The sections are not in the expected order')
    const { result } = this
    if (!missing.includes('nextSteps') && result.nextSteps.length === 0)
      this.#findings.push({
        ...wrong('empty-section', 'Next Steps', 'It names no next step'),
        weight: 'minor',
      })
    if (form === 'context' && !missing.includes('goal') && result.goal === '')
      this.#findings.push(wrong('empty-section', 'Goal', 'The goal is empty'))
    if (form === 'file' && !missing.includes('work') && !result.work.epic && !result.work.task)
      this.#findings.push(wrong('empty-section', 'Current Work', 'It names neither the epic nor the task'))
    if (form === 'file' && !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(result.created))
      this.#reportOddity(FIELDS.created, 'It is not of the form YYYY-MM-DD HH:MM:SS')
  }

  #reportOddity(where: string, message: string): void {
    const code = where === FIELDS.created || where === FIELDS.contextUsage ? 'odd-value' : 'odd-section'
    if (!this.#findings.some(each => each.where === where && each.message === message))
      this.#findings.push({ code, weight: 'minor', where, message })
  }
}

const KNOWN_TITLES: ReadonlySet<string> = new Set(
  [...REQUIRED.file, ...REQUIRED.context].flatMap(key => [titleOf(key, 'file'), titleOf(key, 'context')]),
)

const wrong = (code: HandoffFinding['code'], where: string, message: string): HandoffFinding => ({
  code,
  weight: 'wrong',
  where,
  message,
})
