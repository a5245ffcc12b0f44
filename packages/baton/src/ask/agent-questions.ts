import type { Ask, AskOption, WithdrawnWhy } from '@batonpass/contract/ask'
import type { AgentEvent, EventOf } from '@batonpass/contract/event'
import type { Contribution } from '../ports/contribution.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'
import type { AskOutcome } from './ask-outcome.ts'
import type { Asks } from './asks.ts'
import { fingerprintOf } from './fingerprint.ts'
import { ACCESS_REQUEST, type Question } from './question.ts'
import type { ScreenQuestions } from './screen-questions.ts'
import { type UnansweredInRun, whenUnanswered } from './unanswered.ts'

/** How long a question may wait: just less than the agent's hook does. */
const WAIT_MS = (24 * 3600 - 10) * 1000
/** The ask's own time-out comes before that of the whole. */
const MARGIN_MS = 5_000

export interface QuestionPorts {
  /** Questions that the agent's own dialog asks at the same time. Absent: the hook always waits. */
  onScreen?: Pick<ScreenQuestions, 'take'> | undefined
  asks: Pick<Asks, 'ask' | 'withdraw'>
  /** The workflow that the session runs, if it runs one. */
  workflowOf(context: ReactionContext): Promise<UnansweredInRun | undefined>
  /** Whether the person said that they are away. */
  isAway(): Promise<boolean>
  /** Parks the workflow of the session. False: it runs none. */
  parkRun(context: ReactionContext, reason: string): Promise<boolean>
  /** Takes the workflow up again, if it is parked because of a question. */
  resumeRun(session: AgentEvent['session']): Promise<void>
}

/** Brings what the agent itself asks (questions, plans, forms) to every channel, and the answer back to the agent. */
export function questionReactor(ports: QuestionPorts): Reactor {
  const { asks, workflowOf, isAway, parkRun, resumeRun } = ports
  return {
    name: 'question',
    async react(event, context) {
      const question = questionOf(event, context.project)
      if (!question) return await withdrawStale(event, ports)
      return {
        later: {
          run: async signal => {
            if (await isAskedOnScreen(event, context, question, ports)) return {}
            const outcome = await asks.ask(question, {
              signal,
              withinMs: WAIT_MS,
              unreached: isOnScreen(event, context) ? 'wait' : 'give-up',
              unanswered: await whenUnanswered(context.config.asks, {
                workflow: () => workflowOf(context),
                isAway,
                parkRun: reason => parkRun(context, reason),
              }),
            })
            // Before the agent continues: its next stop must find the run active again.
            if (outcome.result === 'answered' && outcome.ask.parkedAt) await resumeRun(event.session)
            return contributionOf(outcome)
          },
          // The agent's own dialog asks.
          otherwise: {},
          withinMs: WAIT_MS + MARGIN_MS,
        },
      }
    },
  }
}

/** Whether the agent's own dialog is to ask at the same time as every channel, so that its hook need not wait. */
async function isAskedOnScreen(
  event: AgentEvent,
  { session, project }: ReactionContext,
  question: Question,
  { onScreen }: QuestionPorts,
): Promise<boolean> {
  // A subagent's question may not be on the screen.
  if (!onScreen || event.type !== 'ToolRequested' || event.subagent || session.pane === undefined)
    return false
  return await onScreen.take(question, { session, agent: event.agent, project, place: session.pane })
}

/** Some agents show their dialog only after the hook, and not at all if the hook gives the answer. */
const isBeforeDialog = ({ action }: EventOf<'ToolRequested'>): boolean =>
  action.kind === 'question' && action.beforeDialog === true
const BEFORE_DIALOG: readonly AskOption[] = ['reply', 'decline', 'on-screen']

/** The agent shows its dialog while this hook waits. For a form, it shows the dialog only after the hook. */
const isOnScreen = (event: AgentEvent, { attended }: ReactionContext): boolean =>
  event.type === 'PermissionAsked' && attended !== false

/** What a person is asked because of an event, if the agent asks. */
function questionOf(event: AgentEvent, project: string): Question | undefined {
  if (event.type === 'FormAsked') return formQuestion(event, project)
  if (event.type !== 'PermissionAsked' && event.type !== 'ToolRequested') return undefined
  const { tool, input, action } = event
  if (event.type === 'ToolRequested' && !isBeforeDialog(event)) return undefined
  const bound = { ...commonOf(event, project, tool), fingerprint: fingerprint(event, tool, input) }
  if (action.kind === 'question') {
    const [first] = action.questions
    const title = action.questions.length > 1 ? `${action.questions.length} questions` : (first?.text ?? tool)
    return {
      ...bound,
      kind: 'question',
      title,
      detail: '',
      questions: action.questions,
      ...(action.beforeDialog ? { options: BEFORE_DIALOG } : {}),
    }
  }
  if (action.kind !== 'plan') return undefined
  const attachments = [{ title: 'Plan', text: action.plan }]
  return { ...bound, kind: 'plan', title: `Plan in ${project}`, detail: '', attachments }
}

function formQuestion(event: EventOf<'FormAsked'>, project: string): Question {
  const { server, message, questions } = event
  return {
    ...commonOf(event, project, server),
    fingerprint: fingerprint(event, `form ${server}`, { message, questions }),
    kind: 'form',
    title: `${server} asks you to fill in a form`,
    detail: message,
    questions,
  }
}

const fingerprint = ({ session, cwd }: AgentEvent, tool: string, input: unknown): string =>
  fingerprintOf({ session, tool, input, cwd })

/** A subagent's questions outlive the turn that the session itself ends. */
const OF_SUBAGENT = ' of a subagent'

function commonOf(event: AgentEvent, project: string, tool: string): Pick<Question, 'facts' | 'key'> {
  const { id, session, nativeSession, agent, cwd, subagent } = event
  return {
    key: subagent ? `${id}${OF_SUBAGENT}` : id,
    facts: { session, nativeSession, agent, project, tool, ...(cwd ? { cwd } : {}) },
  }
}

/** What the agent receives. Without an answer, it asks on its own screen. */
function contributionOf(outcome: AskOutcome): Contribution {
  if (outcome.result !== 'answered') return {}
  const { option, reason, by, ask } = outcome
  switch (option) {
    case 'reply':
      return { answer: { accepted: true, replies: ask.answer?.replies ?? [] } }
    case 'approve':
      return { answer: { accepted: true } }
    case 'send-back':
      return { answer: { accepted: false, comment: reason ?? 'The plan needs changes' } }
    case 'decline': {
      const why = reason ? `: ${reason}` : ''
      return { answer: { accepted: false, comment: `${by.who} declined to answer${why}` } }
    }
    default:
      return {}
  }
}

/** The person answered on the agent's screen, or no one waits any more: Baton withdraws what it asked elsewhere. */
async function withdrawStale(
  event: AgentEvent,
  { asks, resumeRun }: Pick<QuestionPorts, 'asks' | 'resumeRun'>,
): Promise<undefined> {
  const withdraw = (fits: (ask: Ask) => boolean, why: WithdrawnWhy = 'settled-elsewhere') =>
    asks.withdraw(
      ask =>
        KINDS.has(ask.kind) &&
        !ask.key.startsWith(ACCESS_REQUEST) &&
        ask.facts.session === event.session &&
        fits(ask),
      why,
    )
  switch (event.type) {
    case 'ToolFinished': {
      let wasParked = false
      await withdraw(ask => {
        const fits = isAbout(ask, event)
        wasParked ||= fits && ask.parkedAt !== undefined
        return fits
      })
      if (wasParked) await resumeRun(event.session)
      return
    }
    case 'PromptSubmitted':
    case 'TurnEnded':
    case 'TurnFailed':
      if (event.subagent || ('automatic' in event && event.automatic)) return
      await withdraw(ask => !ask.key.endsWith(OF_SUBAGENT))
      return
    case 'SessionEnded':
      await withdraw(() => true, 'session-ended')
      return
  }
}

const KINDS: ReadonlySet<Ask['kind']> = new Set(['question', 'plan', 'form'])

/** The finished call carries the answers in addition to what was asked, so only the questions themselves are compared. */
function isAbout({ kind, facts, questions }: Ask, { tool, action }: EventOf<'ToolFinished'>): boolean {
  if (kind === 'form') return action.kind === 'mcp' && action.server === facts.tool
  if (facts.tool !== tool) return false
  return action.kind !== 'question' || JSON.stringify(action.questions) === JSON.stringify(questions)
}
