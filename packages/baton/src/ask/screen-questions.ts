import type { Ask } from '@batonpass/contract/ask'
import type { AgentName } from '@batonpass/contract/event'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { answerWords } from '@batonpass/contract/replies'
import type { Session } from '@batonpass/contract/session'
import type { Clock } from '../ports/clock.ts'
import type { ChooseResult, QuestionSight } from '../ports/driver.ts'
import type { Asks } from './asks.ts'
import type { Question } from './question.ts'
import type { WhenUnanswered } from './unanswered.ts'
import { undeliveredNews } from './undelivered.ts'

/** A session whose screen Baton sees. */
export interface SessionAt {
  session: Session
  agent: AgentName
  project: string | undefined
  place: string
}

export interface ScreenQuestionPorts {
  asks: Pick<Asks, 'ask' | 'open' | 'recent' | 'tell' | 'withdraw'>
  /** Whether the agent's own dialog for these questions can be answered by keystrokes. */
  canAnswer(place: string, agent: AgentName, questions: readonly AskedQuestion[]): Promise<boolean>
  findQuestions(place: string, agent: AgentName, questions: readonly AskedQuestion[]): Promise<QuestionSight>
  answer(
    place: string,
    agent: AgentName,
    questions: readonly AskedQuestion[],
    replies: readonly Reply[],
  ): Promise<ChooseResult>
  /** What happens if no one answers. */
  unanswered(at: SessionAt): Promise<WhenUnanswered>
  /** Takes the workflow up again, if it is parked because of this question. */
  resumeRun(session: Session['id']): Promise<void>
  fault(during: string, cause: unknown): void
  clock: Clock
}

const WAIT_MS = 24 * 3600 * 1000
/** How long an agent may take to open its dialog after its hook was answered. */
const OPENS_MS = 15_000
/** How many looks in a row must miss the dialog. */
const MISSES = 2
const RECENT = 50
/** How the keys of these asks end. */
const ON_SCREEN = ' on its screen'

interface Waiting {
  at: SessionAt
  questions: readonly AskedQuestion[]
  since: number
  misses: number
  gone: AbortController
}

/**
 * Questions of agents that open their dialog only after the hook, such as Codex. If Baton sees the agent's terminal, the hook
 * does not wait: the agent shows its dialog, every channel asks the same, and an answer from a channel is given in the dialog
 * by keystrokes. Whichever answer comes first counts. The ask is stored before the hook returns and outlives the daemon.
 */
export class ScreenQuestions {
  readonly #ports: ScreenQuestionPorts
  readonly #waiting = new Map<string, Waiting>()
  #isFirstLook = true

  constructor(ports: ScreenQuestionPorts) {
    this.#ports = ports
  }

  /** Asks the question on every channel while the agent's own dialog is open. False: the hook must wait for the answer. */
  async take(question: Question, at: SessionAt): Promise<boolean> {
    const { questions = [] } = question
    if (questions.length === 0 || !(await this.#ports.canAnswer(at.place, at.agent, questions))) return false
    const key = `${question.key}${ON_SCREEN}`
    if (!this.#waiting.has(key))
      await this.#start({ ...question, key, options: ['reply', 'on-screen'] }, questions, at)
    return true
  }

  /** Call this every few seconds with all sessions whose screen Baton sees. */
  async look(sessions: readonly SessionAt[]): Promise<void> {
    await this.#resume(sessions)
    for (const [key, waiting] of this.#waiting) {
      if (this.#ports.clock.elapsed() - waiting.since < OPENS_MS) continue
      const sight = await this.#find(waiting.at, waiting.questions)
      if (sight === 'shown') waiting.misses = 0
      else if (sight === 'gone' && ++waiting.misses >= MISSES) await this.#withdraw(key, waiting)
    }
  }

  /** Continues what an earlier daemon asked, and gives the answers that it could no longer give. */
  async #resume(sessions: readonly SessionAt[]): Promise<void> {
    const { asks, fault } = this.#ports
    const known = this.#isFirstLook ? await asks.recent(RECENT) : []
    const newest = (ask: Ask) =>
      !known.some(({ facts, createdAt }) => facts.session === ask.facts.session && createdAt > ask.createdAt)
    this.#isFirstLook = false
    const given = known.filter(ask => ask.answer?.option === 'reply' && newest(ask))
    for (const ask of [...asks.open(), ...given]) {
      const { key, questions = [], state } = ask
      const at = sessions.find(({ session }) => session.id === ask.facts.session)
      if (!at || !key.endsWith(ON_SCREEN) || this.#waiting.has(key)) continue
      if (state === 'open' || (await this.#find(at, questions)) === 'shown')
        await this.#start(asQuestion(ask), questions, at).catch(cause => fault('asking again', cause))
    }
  }

  /** Resolves when the ask is stored. */
  #start(question: Question, questions: readonly AskedQuestion[], at: SessionAt): Promise<void> {
    const { clock, fault } = this.#ports
    const gone = new AbortController()
    this.#waiting.set(question.key, { at, questions, since: clock.elapsed(), misses: 0, gone })
    return new Promise((opened, reject) => {
      this.#ask(question, at, gone.signal, opened)
        .catch(cause => {
          reject(cause)
          fault("asking what an agent's screen asks", cause)
        })
        .finally(() => this.#waiting.delete(question.key))
    })
  }

  async #ask(question: Question, at: SessionAt, signal: AbortSignal, opened: () => void): Promise<void> {
    const { asks, resumeRun, unanswered } = this.#ports
    const outcome = await asks.ask(question, {
      signal,
      withinMs: WAIT_MS,
      unreached: 'wait',
      unanswered: await unanswered(at),
      opened,
    })
    if (outcome.result !== 'answered' || outcome.option !== 'reply') return
    if (outcome.ask.parkedAt) await resumeRun(at.session.id)
    await this.#answer(at, outcome.ask)
  }

  async #answer(at: SessionAt, ask: Ask): Promise<void> {
    const { place, agent } = at
    const { questions = [], answer } = ask
    const result = await this.#ports.answer(place, agent, questions, answer?.replies ?? [])
    if (result !== 'taken') await this.#ports.asks.tell(undeliveredNews(at, answerWords(ask), result))
  }

  #find({ place, agent }: SessionAt, questions: readonly AskedQuestion[]): Promise<QuestionSight> {
    return this.#ports.findQuestions(place, agent, questions)
  }

  /** The person answered in the dialog, or interrupted the agent. */
  async #withdraw(key: string, { gone }: Waiting): Promise<void> {
    await this.#ports.asks.withdraw(ask => ask.key === key, 'settled-elsewhere')
    gone.abort()
  }
}

const asQuestion = ({
  kind,
  title,
  detail,
  facts,
  key,
  fingerprint,
  questions = [],
  options,
}: Ask): Question => ({
  ...{ kind, title, detail, facts, key, fingerprint, questions, options },
})
