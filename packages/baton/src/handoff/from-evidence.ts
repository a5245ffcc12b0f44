import { HandoffDocument, type HandoffFinding, type HandoffLedger } from '@batonpass/contract/handoff'
import { formatCreated } from './document-name.ts'
import { type Evidence, evidenceFacts } from './evidence.ts'

export interface EvidenceHandoff {
  now: number
  focus?: string | undefined
  /** Name of the document that this session started with. */
  parent?: string | undefined
  /** Percent of the context window in use, if known. */
  contextUsage?: number | undefined
}

/** Writes a document from evidence alone. It says so, and states only what git, the transcript or the ledger shows. */
export function handoffFromEvidence(
  evidence: Evidence,
  writing: EvidenceHandoff,
  ledger: HandoffLedger,
): HandoffDocument {
  const { git, transcript, commits, issue, pr } = evidence
  const { goal } = ledger
  const todos = transcript?.todos ?? []
  const open = todos.filter(todo => !todo.done)
  const test = transcript?.test
  const wanted = ledger.instructions.at(-1) ?? goal
  const task = open[0]?.text ?? headline(wanted)
  return HandoffDocument.parse({
    facts: {
      ...factsAt(evidence, writing, 'baton', ledger),
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
      ...ledger.todos.slice(0, MAX_POINTS),
      ...(test && !test.passed ? [`Make \`${test.command}\` pass`] : []),
      ...(ledger.next && ledger.todos.length === 0
        ? [`The agent announced: ${ledger.next.slice(0, 600)}`]
        : []),
      ...(ledger.todos.length === 0 && wanted ? [`Continue with the last request: ${headline(wanted)}`] : []),
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
            ...(git.state ?? []),
          ]
        : ['The folder is not a git repository']),
      test
        ? `The last test run, \`${test.command}\`, ${test.passed ? 'passed' : `failed${test.failing ? ` (${test.failing} failing)` : ''}`}`
        : 'Baton saw no test result in this session',
      ...(ledger.failing.length > 0 ? [`Failing tests: ${ledger.failing.slice(0, 20).join('; ')}`] : []),
      ...(ledger.last_command ? [`Last command: ${ledger.last_command}`] : []),
      ...ledger.environment.slice(-MAX_POINTS).map(text => `Environment: ${text}`),
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
    constraints: ledger.instructions.slice(-MAX_POINTS).map(text => text.slice(0, 1000)),
    decisions: ledger.decisions.slice(-MAX_POINTS),
  })
}

/** The ledger holds all of them; the document stays readable. */
const MAX_POINTS = 40

/** The agent's document with its facts replaced by the evidence, plus what the check found wrong. */
export function completeDocument(
  document: HandoffDocument,
  evidence: Evidence,
  writing: EvidenceHandoff,
  findings: readonly HandoffFinding[],
  ledger: HandoffLedger,
): HandoffDocument {
  const wrong = findings.filter(({ weight }) => weight === 'wrong').map(({ message }) => message)
  return HandoffDocument.parse({
    ...document,
    facts: {
      ...document.facts,
      ...factsAt(evidence, writing, 'agent', ledger),
      verified_at: new Date(writing.now).toISOString(),
      ...(wrong.length > 0 ? { findings: wrong } : {}),
    },
    created: document.created || formatCreated(writing.now),
    project: evidence.names[0] ?? document.project,
    goal: document.goal || ledger.goal,
    criticalState: [...document.criticalState, ...(evidence.git?.state ?? [])],
    constraints: document.constraints.filter(text => !ledger.replaced.includes(text)),
  })
}

function factsAt(
  evidence: Evidence,
  { now, focus, parent }: EvidenceHandoff,
  writtenBy: 'agent' | 'baton',
  ledger: HandoffLedger,
) {
  const asked = evidence.transcript?.facts?.instructions ?? evidence.transcript?.instructions
  const inForce = asked?.filter(text => !ledger.replaced.includes(text)).map(text => text.slice(0, 2000))
  return {
    ...evidenceFacts(evidence),
    ...(inForce ? { instructions: inForce.slice(-MAX_POINTS) } : {}),
    written_by: writtenBy,
    created_at: new Date(now).toISOString(),
    ...(parent === undefined ? {} : { parent }),
    ...(focus ? { focus } : {}),
  }
}

const headline = (text: string): string =>
  (text.split('\n').find(line => line.trim() !== '') ?? '').trim().slice(0, 120)
