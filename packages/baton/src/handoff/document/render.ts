import type { HandoffDocument } from '@batonpass/contract/handoff'
import {
  FIELDS,
  type FieldKey,
  type Form,
  foreignTitle,
  REQUIRED,
  type SectionKey,
  TITLE,
  titleOf,
} from './form.ts'
import { writeFacts } from './front-matter.ts'
import { writePoint, writePoints, writeText } from './markdown.ts'

/** Renders the document as a file or as context for the next session. `parseHandoff` reads the same document back. */
export function renderHandoff(document: HandoffDocument, form: Form): string {
  const { created, contextUsage, project } = document
  const header = [
    ...(form === 'file' ? [`# ${TITLE}`, ''] : []),
    field('created', created),
    field('contextUsage', contextUsage === undefined ? 'unknown' : `${contextUsage}%`),
    field('project', project),
  ]
  const further = FURTHER[form].filter(key => !isEmpty(document, key))
  const sections = [...REQUIRED[form], ...further].map(key =>
    section(titleOf(key, form), bodyOf(document, key)),
  )
  const others = document.others.map(({ title, text }) => section(foreignTitle(title), writeText(text)))
  return `${writeFacts(document.facts)}\n${[header.join('\n'), ...sections, ...others].join('\n\n')}\n`
}

/** Sections that this form does not require, but the other form has. */
const FURTHER: Readonly<Record<Form, readonly SectionKey[]>> = {
  file: ['goal', 'constraints', 'decisions'],
  context: ['blockers', 'notes'],
}

function bodyOf(document: HandoffDocument, key: SectionKey): string[] {
  const { work, completed } = document
  const about = [field('epic', work.epic), field('progress', work.progress), field('task', work.task)]
  const boxes = completed.flatMap(({ text, done }) => writePoint('- ', `[${done ? 'x' : ' '}] ${text}`))
  switch (key) {
    case 'work':
      return about
    case 'completed':
      return boxes.length > 0 ? boxes : writePoints([])
    case 'progress':
      return [...about, ...(boxes.length > 0 ? ['', ...boxes] : [])]
    case 'goal':
      return writeText(document.goal)
    default:
      return writePoints(document[key], key === 'nextSteps')
  }
}

function isEmpty(document: HandoffDocument, key: SectionKey): boolean {
  if (key === 'work' || key === 'progress') return false
  return document[key].length === 0
}

const section = (title: string, body: readonly string[]): string =>
  [`## ${title}`, '', ...body].join('\n').trimEnd()

const field = (key: FieldKey, value: string): string => `**${FIELDS[key]}**: ${value || 'None'}`
