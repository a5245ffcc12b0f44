import type { Ask, AskAnswer, AskOption, WithdrawnWhy } from './ask.ts'
import type { ClaimEntry, ClaimView } from './claim.ts'
import type { CycleEntry, CycleStep } from './cycle.ts'
import type { AgentEvent } from './event.ts'
import type { FleetEntry } from './fleet.ts'
import type { HandoffEntry } from './handoff.ts'
import type { DecidedBy, PermissionStep } from './permission.ts'
import { answerWords } from './replies.ts'
import type { StageEntry } from './work.ts'
import type { EndKind, WorkflowEntry } from './workflow.ts'

/**
 * What users read for values that the journal and the API store. Every page, message and button takes its words from
 * here, so that names such as `settled-elsewhere` never reach a user.
 */

/** The buttons under a question. */
export const OPTION_LABELS: Record<AskOption, string> = {
  'allow-once': 'Allow once',
  'allow-session': 'Allow for this session',
  'allow-project': 'Always allow in this project',
  'allow-everywhere': 'Always allow everywhere',
  deny: 'Deny',
  'deny-with-reason': 'Deny and say why',
  yes: 'Yes',
  no: 'No',
  reply: 'Answer',
  decline: 'Decline to answer',
  approve: 'Approve the plan',
  'send-back': 'Send back with a comment',
  'on-screen': "Answer on the agent's screen",
}

/** What a person answered. */
export const ANSWER_LABELS: Record<AskOption, string> = {
  'allow-once': 'Allowed',
  'allow-session': 'Allowed for this session',
  'allow-project': 'Always allowed in this project',
  'allow-everywhere': 'Always allowed everywhere',
  deny: 'Denied',
  'deny-with-reason': 'Denied',
  yes: 'Yes',
  no: 'No',
  reply: 'Answered',
  decline: 'Declined to answer',
  approve: 'Approved',
  'send-back': 'Sent back',
  'on-screen': "Left to the agent's screen",
}

/** Options that refuse: they are safe even if the person sees only part of the question. */
export const REFUSALS: readonly AskOption[] = [
  'deny',
  'deny-with-reason',
  'no',
  'decline',
  'send-back',
  'on-screen',
]
/** Options that the agent takes as a yes. */
export const isYes = (option: AskOption): boolean => !REFUSALS.includes(option)
/** Options that need a reason or a comment. */
export const needsReason = (option: AskOption): boolean =>
  option === 'deny-with-reason' || option === 'send-back'

/** Why a question closed without an answer to Baton. */
export const WITHDRAWN_LABELS: Record<WithdrawnWhy, string> = {
  'waiter-gone': 'Withdrawn: the agent no longer waits for an answer',
  'settled-elsewhere': 'Answered at the agent itself',
  'session-ended': 'Withdrawn: the session ended',
  unreachable: 'Withdrawn: no channel could show it',
}

/** What became of a question, without who answered it. */
export function outcomeLabel({
  state,
  answer,
  withdrawn,
  questions,
}: Pick<Ask, 'state' | 'answer' | 'withdrawn' | 'questions'>): string {
  if (answer) {
    const words = answerWords({ questions, answer }) || rememberedWords(answer.remembered)
    return `${ANSWER_LABELS[answer.option]}${words ? `: ${words}` : ''}`
  }
  if (withdrawn) return WITHDRAWN_LABELS[withdrawn]
  return { open: 'Still open', answered: 'Answered', 'timed-out': 'Timed out', withdrawn: 'Withdrawn' }[state]
}

/** What became of the rule of an "always allow". */
function rememberedWords(remembered: AskAnswer['remembered']): string {
  if (!remembered) return ''
  if ('problem' in remembered)
    return `only for this session, because the rule could not be added: ${remembered.problem}`
  return `added ${remembered.rule} to ${remembered.file}`
}

/** What was decided about a tool call. */
export const DECISION_LABELS = {
  allow: 'allowed',
  deny: 'denied',
  ask: 'asked',
  defer: 'left to the agent',
} as const

const DECIDED_WORDS: Record<DecidedBy, string> = {
  rules: 'by the rules',
  session: 'by your earlier yes',
  sandbox: 'in the sandbox',
  undo: 'with undo',
  model: 'by the permission model',
  person: 'by you',
  nobody: 'without an answer',
  error: 'after an error',
}

/** What was decided about a tool call and how, in one phrase: `allowed by the rules`. */
export function decidedLabel(decision: keyof typeof DECISION_LABELS, by: DecidedBy): string {
  if (decision === 'defer') return DECISION_LABELS.defer
  if (decision === 'ask' && by === 'nobody') return "asked in the agent's dialog"
  return `${DECISION_LABELS[decision]} ${DECIDED_WORDS[by]}`
}

/** What the rules say about one part of a call. */
export const STEP_LABELS: Record<PermissionStep['decision'], string> = {
  allow: 'allowed',
  deny: 'denied',
  ask: 'asks',
  undecided: 'not decided',
}

/** The name of a rule: one of a person's as it is, a built-in one without the name of its preset. */
export function ruleLabel(rule: string): string {
  const found = /^builtin(?: (?!\()(?<name>.+?))?(?: \(\w+\))?$/s.exec(rule)
  if (!found) return rule
  const name = found.groups?.name
  return name === undefined ? 'built-in rules' : `built-in rule: ${name}`
}

/** What an agent reported. */
export const EVENT_LABELS: Record<AgentEvent['type'], string> = {
  SessionStarted: 'session started:',
  PromptSubmitted: 'prompt:',
  ToolRequested: 'wants to use',
  PermissionAsked: 'asks for permission:',
  ToolDenied: 'refused by the agent:',
  ToolFinished: 'used',
  SettingsChanged: 'settings changed',
  TaskCompleted: 'task completed:',
  TeammateIdle: 'teammate idle:',
  FormAsked: 'asks to fill in a form:',
  TurnEnded: 'turn ended:',
  TurnFailed: 'turn failed:',
  Idle: 'waits:',
  ContextMeasured: 'context measured:',
  Compacting: 'compacting:',
  Compacted: 'compacted',
  SubagentStarted: 'subagent started',
  SubagentEnded: 'subagent ended',
  SessionEnded: 'session ended:',
}

/** How a run of a workflow ended. */
export const END_LABELS: Record<EndKind, string> = {
  proven: 'proven',
  unproven: 'unproven',
  accepted: 'accepted',
  complete: 'complete',
  capped: 'out of continuations',
  stalled: 'stalled',
  blocked: 'blocked',
  'over-budget': 'over budget',
  'limit-parked': 'paused by a usage limit',
  'question-parked': 'waits for your answer',
  'handed-off': 'handed off',
  failed: 'failed',
}

/** Whether nothing is left to do for a person but to look at the result. `complete` is from version 0.1. */
export const isGoodEnd = (end: EndKind): boolean =>
  end === 'proven' || end === 'accepted' || end === 'complete'

/** What happened to a workflow. Read after its name: `issue-to-impl continued`. */
export const WORKFLOW_LABELS: Record<WorkflowEntry['what'], string> = {
  started: 'started',
  continued: 'continued',
  supervised: 'prompted by the supervisor',
  proving: 'is being checked',
  'sent-back': 'sent back by a failed check',
  warned: 'warned',
  ended: 'ended',
  resumed: 'resumed',
  'carried-over': 'moved to a new session',
  cleaned: 'cleaned up',
}

/** What happened to a claim. Read after its issue: `Issue #42 claimed`. */
export const CLAIM_LABELS: Record<ClaimEntry['what'], string> = {
  claimed: 'claimed',
  phase: 'changed its claim phase',
  proving: 'is being checked',
  proven: 'is proven',
  unproven: 'sent back by a failed check',
  opened: 'has a pull request',
  checks: 'checks',
  review: 'reviewed',
  'asked-again': 'review requested again',
  conflict: 'has merge conflicts',
  merged: 'merged',
  'closed-unmerged': 'closed without a merge',
  asked: 'may be closed: asked you',
  answered: 'may be closed: answered',
  told: 'reported to the agent',
  closed: 'closed',
  released: 'released',
  'taken-over': 'taken over',
  lost: 'taken by another machine',
  'carried-over': 'moved to a new session',
  trouble: 'has a problem',
}

/** What happened to the fleet or one of its jobs. Read after `Fleet` or `Issue #N`. */
export const FLEET_LABELS: Record<FleetEntry['what'], string> = {
  up: 'started',
  paused: 'paused',
  draining: 'drains',
  down: 'stopped',
  added: 'added to the queue',
  taken: 'taken from the queue',
  started: 'has an agent',
  opened: 'has a pull request',
  'put-back': 'put back into the queue',
  failed: 'failed; another attempt follows',
  'gave-up': 'failed twice and waits for you',
  retried: 'starts again',
  removed: 'removed from the queue',
  cleaned: 'cleaned up',
  merging: 'is brought up to date with its base',
  merged: 'merged',
  'sent-back': 'goes back to its agent before the merge',
  vanished: 'machine vanished',
  resumed: 'resumed from another machine',
  fenced: 'given up to another machine',
  'not-merged': 'could not be merged',
  founded: 'founded',
  joined: 'joined',
  admitted: 'has a new machine',
  answered: 'question answered for another machine',
  'removed-machine': 'has removed a machine',
}

/** What happened to a handoff document. Read after `Handoff document`. */
export const HANDOFF_LABELS: Record<HandoffEntry['what'], string> = {
  asked: 'requested',
  'asked-again': 'sent back',
  written: 'written',
  received: 'received by the next session',
}

/** What happened in the automatic handoff of a live session. Read after `Handoff`. */
export const CYCLE_LABELS: Record<CycleEntry['what'], string> = {
  due: 'due',
  warned: 'announced to the agent',
  asked: 'document requested',
  postponed: 'postponed',
  written: 'document written',
  interrupted: 'interrupted the turn',
  cleared: 'cleared the context',
  resumed: 'resumed in a fresh session',
  verified: 'verified',
  unproven: 'continued without verification',
  refused: 'not verified: the fresh session lacks essentials',
  retried: 'retried',
  waits: 'waiting',
  'taken-up': 'resumed by a new daemon',
  person: 'needs a person',
  decided: 'decided by a person',
  completed: 'completed',
  cancelled: 'cancelled',
  failed: 'failed',
}

/** The step that an automatic handoff is at. */
export const CYCLE_STEP_LABELS: Record<CycleStep, string> = {
  due: 'due',
  writing: 'writing the document',
  clearing: 'clearing the context',
  resuming: 'resuming',
  verifying: 'verifying',
  continuing: 'continuing',
  person: 'needs a person',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
}

/** What happened to a stage of a work item. Read after its name: `implement started`. */
export const STAGE_LABELS: Record<StageEntry['what'], string> = {
  begun: 'started',
  called: 'requested',
  passed: 'started in its session',
  paused: 'paused',
  reminded: 'reminded',
  waiting: 'waits',
  blocked: 'blocked',
  failed: 'failed',
  proving: 'is being checked',
  'sent-back': 'did not pass its checks',
  ended: 'ended',
  'asked-again': 'review requested again',
  'carried-over': 'moved to a new session',
}

/** Where a claimed issue is. */
export const PHASE_LABELS: Record<ClaimView['phase'], string> = {
  coding: 'coding',
  ready_for_pr: 'ready for a pull request',
  pr_created: 'pull request open',
  checks_running: 'checks running',
  done: 'done',
  unreadable: 'unreadable',
  gone: 'gone',
}

const LEFT = 'closed by the user'
const NO_REASON = 'no reason given'
const SESSION_ENDS: Readonly<Record<string, string>> = {
  clear: 'context cleared',
  resume: 'another session resumed',
  logout: 'logged out',
  prompt_input_exit: LEFT,
  user_exit: LEFT,
  exit: LEFT,
  bypass_permissions_disabled: 'bypass mode switched off',
  other: NO_REASON,
  unknown: NO_REASON,
}

/** Why a session ended, from the word of its agent. */
export const sessionEndLabel = (reason: string = 'unknown'): string => labelIn(SESSION_ENDS, reason)

const TURN_ERRORS: Readonly<Record<string, string>> = {
  rate_limit: 'usage limit reached',
  authentication_failed: 'login failed',
  billing_error: 'problem with the billing',
  max_output_tokens: 'answer too long',
  unknown: 'unknown error',
}

/** Why a turn failed, from the word of its agent. */
export const turnErrorLabel = (error: string): string => labelIn(TURN_ERRORS, error)

/** A word that only a newer agent has stays readable. */
const labelIn = (labels: Readonly<Record<string, string>>, word: string): string =>
  Object.hasOwn(labels, word) ? (labels[word] ?? word) : word.replaceAll('_', ' ')
