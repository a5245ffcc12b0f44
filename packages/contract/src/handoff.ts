import { z } from 'zod'
import { AgentName } from './event.ts'

/**
 * The handoff document: one model for both written forms. Texts are canonical (see `text` and `line`), so that a written
 * document parses back to exactly the same model.
 */

/** Text of several lines, trimmed, without characters that a markdown file cannot hold. */
const text = z.string().transform(canonicalText)
/** The same, folded into one line. */
const line = z.string().transform(value => canonicalText(value).replaceAll(/\s+/g, ' '))
/** One line after a label; `None` counts as empty. */
const field = line.transform(value => (isPoint(value) ? value : '')).default('')
/** A list of points. An empty list is written as `None`, so a point that says `None` is dropped. */
const points = z
  .array(text)
  .transform(items => items.filter(isPoint))
  .default([])
/** A fact as text; empty text counts as absent. */
const word = line.transform(value => value || undefined).optional()
const words = z
  .array(line)
  .transform(items => items.filter(Boolean))
  .optional()
const count = z.number().int().nonnegative()

/** The last test run, as stated in the document or found in the transcript. */
export const HandoffTest = z.object({
  command: line.pipe(z.string().min(1)),
  result: z.enum(['passed', 'failed']),
  failing: count.optional(),
  at: z.iso.datetime().optional(),
})
export type HandoffTest = z.infer<typeof HandoffTest>

/** Machine facts: the front matter. All optional, because Baton fills in what the agent leaves out. */
export const HandoffFacts = z.object({
  /** Version of these keys. */
  baton: z.literal(1).default(1),
  written_by: z.enum(['agent', 'baton']).default('agent'),
  agent: AgentName.optional(),
  /** The agent's own id of the session that hands off. */
  session: word,
  /** The file name of the document with which this session started. */
  parent: word,
  created_at: z.iso.datetime().optional(),
  /** How many tokens the session's context held. */
  context_tokens: count.optional(),
  /** The worktree's folder. */
  root: word,
  branch: word,
  head: word,
  ahead: count.optional(),
  behind: count.optional(),
  /** Files that are not committed. */
  dirty: words,
  /** Files the session changed, committed or not. */
  touched: words,
  commands: words,
  tests: HandoffTest.optional(),
  /** What the agent's own todo list still holds. */
  todos: words,
  /** The user's own instructions, verbatim. */
  instructions: z
    .array(text)
    .transform(items => items.filter(Boolean))
    .optional(),
  issue: z.number().int().positive().optional(),
  pr: z.number().int().positive().optional(),
  stage: word,
  /** What Baton wrote the document from, if it had neither the agent's document nor a transcript. */
  evidence: word,
  focus: text.transform(value => value || undefined).optional(),
  /** When Baton compared the document with the evidence, and what still differed. */
  verified_at: z.iso.datetime().optional(),
  findings: words,
})
export type HandoffFacts = z.infer<typeof HandoffFacts>
export type FactName = keyof HandoffFacts

export const HandoffDocument = z.object({
  facts: HandoffFacts.prefault({}),
  /** `YYYY-MM-DD HH:MM:SS`, in the local time of the machine that wrote it. */
  created: field,
  /** Percent of the context window. */
  contextUsage: z.number().min(0).max(1000).optional(),
  /** The project's name. */
  project: field,
  work: z.object({ epic: field, progress: field, task: field }).prefault({}),
  completed: z
    .array(z.object({ text, done: z.boolean() }))
    .transform(items => items.filter(item => isPoint(item.text)))
    .default([]),
  nextSteps: points,
  criticalState: points,
  blockers: points,
  notes: points,
  goal: text.default(''),
  constraints: points,
  decisions: points,
  /** Sections that are not part of the form. Baton keeps them. */
  others: z
    .array(z.object({ title: line, text }))
    .transform(items => items.filter(item => item.title !== ''))
    .default([]),
})
export type HandoffDocument = z.infer<typeof HandoffDocument>

/** The session a fact comes from, and the id of the instruction that replaced it. */
export const FactOrigin = z.object({
  session: z.string().optional(),
  at: z.string().optional(),
  replaced_by: z.string().optional(),
})
export type FactOrigin = z.infer<typeof FactOrigin>

/**
 * What a line of work has established, carried from document to document. A fact leaves only when it is replaced, done, or
 * removed by the user. Lists are oldest first.
 */
export const HandoffLedger = z.object({
  /** What the user wants, in the user's words. */
  goal: text.default(''),
  /** The user's instructions in force. */
  instructions: points,
  /** Instructions that a later one replaced. */
  replaced: points,
  /** Text that the user pasted: data, not instructions. */
  pasted: points,
  todos: points,
  done: points,
  decisions: points,
  dead_ends: points,
  /** Services, ports and variables of the session. */
  environment: points,
  /** What subagents reported. */
  results: points,
  /** Tests that failed in the last run, by name. */
  failing: points,
  /** The last command and how it ended. */
  last_command: text.default(''),
  /** What the agent said it would do next. */
  next: text.default(''),
  /** Other passages of the agent's messages. */
  said: points,
  /** Facts that the user removed or changed: they do not come back. */
  removed: points,
  /** Where each fact comes from, by its id. */
  origins: z.record(z.string(), FactOrigin).default({}),
})
export type HandoffLedger = z.infer<typeof HandoffLedger>

/** One problem found in a document. */
export const HandoffFinding = z.object({
  code: z.enum([
    'unreadable',
    'missing-section',
    'odd-section',
    'empty-section',
    'odd-value',
    'unknown-fact',
    'other-project',
    'other-session',
    'wrong-fact',
    'wrong-test',
    'never-ran',
    'command-failed',
    'file-absent',
    'todo-unnamed',
    'unverified',
  ]),
  /** `wrong`: the document must not be used as it is. `minor`: Baton understood it anyway. */
  weight: z.enum(['wrong', 'minor']),
  /** The section or fact it is about. */
  where: z.string(),
  message: z.string(),
})
export type HandoffFinding = z.infer<typeof HandoffFinding>

/** A journal entry about a handoff. */
export const HandoffEntry = z.object({
  kind: z.literal('handoff'),
  what: z.enum(['asked', 'asked-again', 'written', 'received']),
  /** The document's file name. */
  document: z.string().optional(),
  writtenBy: z.enum(['agent', 'baton']).optional(),
  /** What was wrong with the agent's document. */
  findings: z.array(z.string()).optional(),
  /** The session the document comes from, for `received`. */
  from: z.string().optional(),
})
export type HandoffEntry = z.infer<typeof HandoffEntry>

function canonicalText(value: string): string {
  return (
    value
      .toWellFormed()
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\uFEFF]/gu, c => (c === '\n' || c === '\t' ? c : ''))
      .split('\n')
      // Not a regular expression: a long run of blanks inside a line would make it backtrack.
      .map(each => each.trimEnd())
      .join('\n')
      .trim()
  )
}

function isPoint(value: string): boolean {
  return value !== '' && !/^none\.?$/i.test(value)
}
