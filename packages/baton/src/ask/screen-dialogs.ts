import type { Ask } from '@batonpass/contract/ask'
import type { AgentName } from '@batonpass/contract/event'
import type { Choice } from '@batonpass/contract/question'
import type { Session } from '@batonpass/contract/session'
import type { Clock } from '../ports/clock.ts'
import type { Driver, ScreenDialog } from '../ports/driver.ts'
import type { AskingOptions, Asks } from './asks.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Question } from './question.ts'
import type { WhenUnanswered } from './unanswered.ts'
import { undeliveredNews } from './undelivered.ts'

/** A dialog on an agent's screen, as the watch saw it. */
export interface SeenDialog {
  session: Session
  agent: AgentName
  project: string | undefined
  place: string
  dialog: ScreenDialog
  /** By the agent's events: it works on a prompt. */
  isTurnRunning: boolean
}

/** A screen with an idle prompt line. */
export interface IdleScreen {
  place: string
  session: Session
}

export interface ScreenDialogPorts {
  asks: Pick<Asks, 'ask' | 'open' | 'recent' | 'tell' | 'withdraw'>
  choose: NonNullable<Driver['choose']>
  /** What happens if no one answers. */
  unanswered(seen: SeenDialog): Promise<WhenUnanswered>
  /** Takes the workflow up again, if it is parked because of this question. */
  resumeRun(session: Session['id']): Promise<void>
  redact(text: string): string
  fault(during: string, cause: unknown): void
  clock: Clock
}

/** How long a dialog must stay unchanged: a person who opens one at the terminal needs no message about it. */
const UNCHANGED_MS = 15_000
/** How long a session must have been silent for its prompt line to count as idle: Codex asks about its plan after its turn. */
const IDLE_MS = 10_000
const WAIT_MS = 24 * 3600 * 1000

interface Shown {
  seen: SeenDialog
  fingerprint: string
  since: number
  /** No agent asks this. */
  isOpenedByHand: boolean
  /** It was about to close once, but is still shown. */
  hasStayed?: boolean
  /** Set while Baton asks. Aborted when the dialog is gone. */
  asking?: AbortController
}

/**
 * Brings dialogs that only an agent's screen shows to every channel, such as Codex's "Implement this plan?", for which it has
 * no hook. The answer is given by keystrokes, and only while the screen still shows exactly this dialog.
 */
export class ScreenDialogs {
  readonly #ports: ScreenDialogPorts
  readonly #shown = new Map<string, Shown>()
  /** The sessions as they were when their places last showed an idle prompt line. */
  readonly #idle = new Map<string, Session>()
  readonly #startedAt: number

  constructor(ports: ScreenDialogPorts) {
    this.#ports = ports
    this.#startedAt = ports.clock.now()
  }

  /** Call this with all dialogs that are on a screen now. */
  look(dialogs: readonly SeenDialog[], idle: readonly IdleScreen[] = []): void {
    const { clock } = this.#ports
    for (const { place, session } of idle)
      if (clock.now() - Date.parse(session.lastSeenAt) >= IDLE_MS) this.#idle.set(place, session)
    const current = new Map(dialogs.map(seen => [seen.place, seen]))
    for (const [place, { asking, fingerprint }] of this.#shown) {
      const seen = current.get(place)
      if (seen && fingerprint === fingerprintFor(seen)) continue
      this.#shown.delete(place)
      if (asking) this.#withdraw(fingerprint, asking)
    }
    for (const [place, seen] of current) {
      const known = this.#shown.get(place)
      if (!known) {
        const isOpenedByHand = this.#isOpenedByHand(seen)
        const since = clock.elapsed()
        this.#shown.set(place, { seen, fingerprint: fingerprintFor(seen), since, isOpenedByHand })
      } else if (!known.asking && !known.isOpenedByHand && clock.elapsed() - known.since >= UNCHANGED_MS)
        this.#start(known)
    }
  }

  /** No turn runs, and since the last one the prompt line was idle: the person typed a command that opens a dialog. */
  #isOpenedByHand({ place, session, isTurnRunning }: SeenDialog): boolean {
    const idle = this.#idle.get(place)
    if (isTurnRunning || idle?.id !== session.id) return false
    return idle.lastSeenAt === session.lastSeenAt || session.lastEvent === 'Idle'
  }

  #start(shown: Shown): void {
    const { fault } = this.#ports
    shown.asking = new AbortController()
    this.#ask(shown, shown.asking.signal).catch(cause => fault("asking what an agent's screen asks", cause))
  }

  /** The person answered on the screen, or the agent no longer asks. */
  #withdraw(fingerprint: string, asking: AbortController): void {
    const { asks, fault } = this.#ports
    asks
      .withdraw(ask => ask.fingerprint === fingerprint, 'settled-elsewhere')
      .finally(() => asking.abort())
      .catch(cause => fault("withdrawing what an agent's screen asked", cause))
  }

  async #ask(shown: Shown, signal: AbortSignal): Promise<void> {
    const { asks, clock } = this.#ports
    const { seen, fingerprint } = shown
    const { session } = seen
    // Something else asks the person about it already, or they were asked and left it to the screen.
    if (asks.open().some(ask => isOf(session, ask) && ask.fingerprint !== fingerprint)) return
    const recent = await asks.recent(RECENT)
    if (recent.some(ask => isOf(session, ask) && ask.createdAt >= session.lastSeenAt && isLeftToScreen(ask)))
      return
    const firstSeenAt = clock.now() - (clock.elapsed() - shown.since)
    if (
      !shown.hasStayed &&
      recent.some(ask => isOf(session, ask) && isOfHookSettledAfter(firstSeenAt, ask))
    ) {
      // A hook asked what this dialog asks and has its answer: the dialog is about to close. If it stays, ask later.
      shown.hasStayed = true
      shown.since = clock.elapsed()
      delete shown.asking
      return
    }
    const unanswered = await this.#ports.unanswered(seen)
    const options: AskingOptions = { signal, withinMs: WAIT_MS, unreached: 'wait', unanswered }
    const question = this.#question(seen, fingerprint)
    let outcome = await asks.ask(question, options)
    // An answer from before this daemon was given to an earlier dialog of the same words, or is already typed.
    if (outcome.ask.settledAt && Date.parse(outcome.ask.settledAt) < this.#startedAt)
      outcome = await asks.ask({ ...question, key: `${question.key} ${this.#startedAt}` }, options)
    if (outcome.result !== 'answered' || outcome.option !== 'reply') return
    if (outcome.ask.parkedAt) await this.#ports.resumeRun(session.id)
    await this.#choose(seen, outcome.ask)
  }

  async #choose(seen: SeenDialog, { answer }: Ask): Promise<void> {
    const { place, agent, dialog } = seen
    const { chosen, words } = answer?.replies?.[0] ?? {}
    const named = dialog.options.findIndex((_, i) => String(i + 1) === chosen?.[0])
    const option = named < 0 && words ? (dialog.commentOption ?? -1) : named
    if (option < 0) return
    const result = await this.#ports.choose(place, agent, dialog, option, named < 0 ? words : undefined)
    // The same dialog may open again at once, and is a new question then.
    if (this.#shown.get(place)?.seen === seen) this.#shown.delete(place)
    if (result === 'taken') return
    const given = (named < 0 ? words : undefined) ?? dialog.options[option] ?? ''
    await this.#ports.asks.tell(undeliveredNews(seen, given, result))
  }

  #question({ session, agent, project, dialog }: SeenDialog, fingerprint: string): Question {
    const { redact } = this.#ports
    const line = redact(dialog.question).slice(0, 2000)
    return {
      kind: 'question',
      title: `${agent} asks on its screen: ${line}`,
      detail: '',
      facts: {
        session: session.id,
        nativeSession: session.nativeSession,
        agent,
        ...(project ? { project } : {}),
        ...(session.cwd ? { cwd: session.cwd } : {}),
      },
      key: `${OF_SCREEN}${session.id} ${session.lastSeenAt}`,
      fingerprint,
      questions: [
        {
          id: line,
          text: line,
          kind: 'choice',
          choices: dialog.options.map((option, i) => choiceOf(redact(option), i)),
          // Words become the comment of the option that takes one.
          ...(dialog.commentOption === undefined ? {} : { ownWords: true }),
        },
      ],
      attachments: [{ title: 'The screen', text: redact(dialog.text) }],
      options: ['reply', 'on-screen'],
    }
  }
}

const RECENT = 50
/** How the keys of these asks begin. */
const OF_SCREEN = 'screen '

/** Several spaces separate an option from its description. No option is recommended: Baton must never choose one by itself. */
function choiceOf(option: string, index: number): Choice {
  const [label = option, ...description] = option.split(/ {2,}/)
  return {
    value: String(index + 1),
    label: label.slice(0, 2000),
    ...(description.length > 0 ? { description: description.join(' ') } : {}),
  }
}

const isOf = (session: Session, { facts, kind }: Ask): boolean =>
  kind !== 'confirm' && facts.session === session.id

const isLeftToScreen = ({ state, answer }: Ask): boolean =>
  state === 'timed-out' || answer?.option === 'on-screen'

const isOfHookSettledAfter = (time: number, { key, settledAt }: Ask): boolean =>
  !key.startsWith(OF_SCREEN) && settledAt !== undefined && Date.parse(settledAt) > time

const fingerprintFor = ({ session, dialog: { text, options }, place }: SeenDialog): string =>
  fingerprintOf({ session: session.id, tool: `screen ${place}`, input: { text, options }, cwd: undefined })
