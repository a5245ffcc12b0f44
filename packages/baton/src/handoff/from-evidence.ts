import { HandoffDocument, type HandoffFinding } from '@batonpass/contract/handoff'
import { formatCreated } from './document-name.ts'
import { type Evidence, evidenceFacts } from './evidence.ts'

export interface EvidenceHandoff {
  now: number
  focus?: string | undefined
  /** Name of the document that this session started with. */
  parent?: string | undefined
  /** That document's goal and constraints: they remain valid. */
  before?: Pick<HandoffDocument, 'goal' | 'constraints'> | undefined
  /** Percent of the context window in use, if known. */
  contextUsage?: number | undefined
}

/** Writes a document from evidence alone. It says so, and states only what git or the transcript shows. */
export function handoffFromEvidence(evidence: Evidence, writing: EvidenceHandoff): HandoffDocument {
  const { git, transcript, commits, issue, pr } = evidence
  const { goal, later } = splitInstructions(
    transcript?.instructions ?? evidence.prompts ?? [],
    writing.before,
  )
  const todos = transcript?.todos ?? []
  const open = todos.filter(todo => !todo.done)
  const test = transcript?.test
  const wanted = later.at(-1) ?? goal
  const task = open[0]?.text ?? headline(wanted)
  return HandoffDocument.parse({
    facts: {
      ...factsAt(evidence, writing, 'baton'),
      ...(transcript ? {} : { evidence: evidence.prompts?.length ? 'git and prompts' : 'git' }),
    },
    created: formatCreated(writing.now),
    ...(writing.contextUsage === undefined ? {} : { contextUsage: writing.contextUsage }),
    project: evidence.names[0] ?? '',
    work: {
      epic: issue === undefined ? headline(goal) : `Issue #${issue}${goal ? ` - ${headline(goal)}` : ''}`,
      progress:
        todos.length > 0
          ? `${Math.round(((todos.length - open.length) / todos.length) * 100)}% complete (${todos.length - open.length} of ${todos.length} todos)`
          : `${commits.length === 1 ? 'one commit' : `${commits.length} commits`} since the session began`,
      task,
    },
    completed: [
      ...commits
        .toReversed()
        .map(({ id, subject }) => ({ text: `${subject} (commit ${id.slice(0, 10)})`, done: true })),
      ...todos.filter(todo => todo.done).map(({ text }) => ({ text, done: true })),
    ],
    nextSteps: [
      ...(writing.focus ? [`Focus: ${writing.focus}`] : []),
      ...open.map(todo => todo.text),
      ...(test && !test.passed ? [`Make \`${test.command}\` pass`] : []),
      ...(open.length === 0 && wanted ? [`Continue with the last request: ${headline(wanted)}`] : []),
    ],
    criticalState: [
      ...(git
        ? [
            `Branch ${git.branch ? `\`${git.branch}\`` : 'none (detached HEAD)'} at ${git.head.slice(0, 10) || 'no commit yet'}${
              git.ahead === undefined
                ? ', no upstream'
                : `, ${git.ahead} ahead and ${git.behind ?? 0} behind its upstream`
            }`,
            git.dirty.length === 0
              ? 'Everything is committed'
              : `Not committed: ${git.dirty.slice(0, 20).join(', ')}${git.dirty.length > 20 ? ` and ${git.dirty.length - 20} more` : ''}`,
          ]
        : ['The folder is not a git repository']),
      test
        ? `The last test run, \`${test.command}\`, ${test.passed ? 'passed' : `failed${test.failing ? ` (${test.failing} failing)` : ''}`}`
        : 'No test was run in this session',
      ...(pr === undefined ? [] : [`Pull request #${pr} is open or was opened in this session`]),
    ],
    blockers: test && !test.passed ? [`\`${test.command}\` fails`] : [],
    notes: [
      transcript
        ? 'Written by Baton from git and the transcript alone: no agent wrote or checked this document.'
        : `Written by Baton from git${evidence.prompts?.length ? ' and the prompts that the session received' : ''} alone, without a transcript: check the code before you rely on it.`,
      ...(transcript?.lastReply ? [`The session's last message:\n${transcript.lastReply.slice(-1500)}`] : []),
    ],
    goal,
    constraints: later.map(text => text.slice(0, 1000)),
  })
}

const FIRST_INSTRUCTIONS = 3
const LAST_INSTRUCTIONS = 17

/**
 * Splits the user's instructions into the goal and later requests. In a chain of sessions the goal is that of the first
 * session. Only the first and the last requests are kept: those in between are either done or repeated later.
 */
function splitInstructions(
  instructions: readonly string[],
  before: EvidenceHandoff['before'],
): { goal: string; later: string[] } {
  const [first = '', ...rest] = instructions
  const goal = before?.goal || first
  const all = before?.goal ? [...before.constraints, ...instructions] : rest
  // A repeated instruction counts at its last position.
  const later = [...new Set(all.toReversed())].reverse().filter(text => text !== goal && text !== 'None')
  if (later.length <= FIRST_INSTRUCTIONS + LAST_INSTRUCTIONS) return { goal, later }
  return { goal, later: [...later.slice(0, FIRST_INSTRUCTIONS), ...later.slice(-LAST_INSTRUCTIONS)] }
}

/** The agent's document with its facts replaced by the evidence, plus what the check found wrong. */
export function completeDocument(
  document: HandoffDocument,
  evidence: Evidence,
  writing: EvidenceHandoff,
  findings: readonly HandoffFinding[],
): HandoffDocument {
  const wrong = findings.filter(({ weight }) => weight === 'wrong').map(({ message }) => message)
  return HandoffDocument.parse({
    ...document,
    facts: {
      ...document.facts,
      ...factsAt(evidence, writing, 'agent'),
      verified_at: new Date(writing.now).toISOString(),
      ...(wrong.length > 0 ? { findings: wrong } : {}),
    },
    created: document.created || formatCreated(writing.now),
    project: evidence.names[0] ?? document.project,
  })
}

function factsAt(evidence: Evidence, { now, focus, parent }: EvidenceHandoff, writtenBy: 'agent' | 'baton') {
  return {
    ...evidenceFacts(evidence),
    written_by: writtenBy,
    created_at: new Date(now).toISOString(),
    ...(parent === undefined ? {} : { parent }),
    ...(focus ? { focus } : {}),
  }
}

const headline = (text: string): string =>
  (text.split('\n').find(line => line.trim() !== '') ?? '').trim().slice(0, 120)
