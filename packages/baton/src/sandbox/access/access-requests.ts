import { createHash } from 'node:crypto'
import type { Ask } from '@batonpass/contract/ask'
import type { AskOutcome } from '../../ask/ask-outcome.ts'
import type { Asks } from '../../ask/asks.ts'
import { fingerprintOf } from '../../ask/fingerprint.ts'
import { ACCESS_REQUEST, type Question } from '../../ask/question.ts'
import type { Clock } from '../../ports/clock.ts'
import { ACCESS_KINDS, type Access, splitHostName } from './access.ts'

export interface AccessParts {
  asks: Pick<Asks, 'ask' | 'recent'>
  /** What the ask says about a session; undefined if Baton does not know it, and then no one is asked. */
  factsOf(session: string): Promise<(Question['facts'] & { project: string }) | undefined>
  /** Adds the access to the user's own settings for a project. */
  remember(project: string, access: Access): Promise<void>
  fault(during: string, cause: unknown): void
  clock: Clock
}

/** `open`: no one has answered yet. `full`: the session has too many requests. */
export type AccessState = 'granted' | 'refused' | 'open' | 'unanswered' | 'full'

interface Asked {
  access: Access
  state: AccessState
  /** Counts the asks about the same thing: a yes for once ends. */
  round: number
  /** When a yes for once ends. */
  untilMs?: number | undefined
  settled: Promise<void>
}

interface OfSession {
  asked: Map<string, Asked>
  over: AbortController
  loaded: Promise<void>
}

/** A session can wait for so many answers at a time, and ask so many times in all: an agent must not flood its user. */
const MOST_OPEN = 3
const MOST_ASKED = 30
const ONCE_MS = 10 * 60_000
const ASK_MS = 60 * 60_000
const RECENT = 500

/** Asks the person once about each thing outside the sandbox that commands tried to use or requested. */
export class AccessRequests {
  readonly #parts: AccessParts
  readonly #sessions = new Map<string, OfSession>()

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  /** Reads what a person already allowed this session, also before a restart of the daemon. */
  load(session: string): Promise<void> {
    return this.#of(session).loaded
  }

  /** What the session may use now. */
  granted(session: string): Access[] {
    const known = this.#sessions.get(session)
    return [...(known?.asked.values() ?? [])].flatMap(each => (this.#isGranted(each) ? [each.access] : []))
  }

  /** A command tried it without asking: opens one ask in the background, and returns its state. */
  noteBlocked(session: string, access: Access): AccessState {
    const known = this.#of(session).asked.get(keyOf(access))
    if (known && !this.#isOver(known)) return known.state
    return this.#open(session, access).state
  }

  /** Waits for the person's answer. `signal`: the command no longer waits; the ask stays. */
  async request(session: string, access: Access, signal: AbortSignal): Promise<AccessState> {
    const of = this.#of(session)
    await of.loaded
    const known = of.asked.get(keyOf(access))
    const isAgain = known && (this.#isOver(known) || known.state === 'unanswered' || known.state === 'full')
    const asked = known && !isAgain ? known : this.#open(session, access)
    await Promise.race([asked.settled, aborted(signal)])
    return asked.state
  }

  /** Withdraws the open asks of a session that is over. */
  end(session: string): void {
    this.#sessions.get(session)?.over.abort()
    this.#sessions.delete(session)
  }

  #isGranted({ state, untilMs }: Asked): boolean {
    return state === 'granted' && (untilMs === undefined || untilMs > this.#parts.clock.now())
  }

  /** A yes for once whose time has passed. */
  #isOver(asked: Asked): boolean {
    return asked.state === 'granted' && !this.#isGranted(asked)
  }

  #of(session: string): OfSession {
    const known = this.#sessions.get(session)
    if (known) return known
    const asked = new Map<string, Asked>()
    const made = { asked, over: new AbortController(), loaded: this.#load(session, asked) }
    this.#sessions.set(session, made)
    return made
  }

  async #load(session: string, asked: Map<string, Asked>): Promise<void> {
    const asks = await this.#parts.asks.recent(RECENT).catch(cause => {
      this.#parts.fault('reading what a session may use', cause)
      return []
    })
    // The newest first: it counts.
    for (const ask of asks) {
      const access = ask.key.startsWith(`${ACCESS_REQUEST}${session} `) ? accessOf(ask) : undefined
      if (!access || asked.has(keyOf(access)) || ask.state !== 'answered') continue
      const round = Number(ask.key.slice(ask.key.lastIndexOf(' ') + 1)) || 0
      asked.set(keyOf(access), { access, round, settled: Promise.resolve(), ...this.#answered(ask) })
    }
  }

  #open(session: string, access: Access): Asked {
    const { asked, over } = this.#of(session)
    const before = asked.get(keyOf(access))
    const all = [...asked.values()]
    const made: Asked = {
      access,
      state: 'open',
      round: (before?.round ?? -1) + 1,
      settled: Promise.resolve(),
    }
    const rounds = all.reduce((sum, { round }) => sum + round + 1, 0)
    if (all.filter(({ state }) => state === 'open').length >= MOST_OPEN || rounds >= MOST_ASKED)
      return { ...made, state: 'full' }
    asked.set(keyOf(access), made)
    made.settled = this.#ask(session, made, over.signal).catch(cause => {
      made.state = 'unanswered'
      this.#parts.fault(`asking about ${access.kind} ${access.name}`, cause)
    })
    return made
  }

  async #ask(session: string, made: Asked, signal: AbortSignal): Promise<void> {
    const facts = await this.#parts.factsOf(session)
    if (!facts) {
      made.state = 'unanswered'
      return
    }
    // Without a channel the ask stays in `baton asks`: nothing waits for it.
    const options = { signal, withinMs: ASK_MS, unreached: 'wait' as const }
    const question = questionFor(session, made.access, made.round, facts)
    const outcome: AskOutcome = await this.#parts.asks.ask(question, options)
    if (outcome.result !== 'answered') {
      made.state = 'unanswered'
      return
    }
    Object.assign(made, this.#answered(outcome.ask))
    if (chosenOf(outcome.ask) !== 'project') return
    await this.#parts
      .remember(facts.project, made.access)
      .catch(cause => this.#parts.fault('adding a rule to your settings', cause))
  }

  #answered(ask: Ask): Pick<Asked, 'state' | 'untilMs'> {
    const chosen = chosenOf(ask)
    if (chosen === 'session' || chosen === 'project') return { state: 'granted' }
    const answeredMs = Date.parse(ask.answer?.at ?? '')
    return chosen === 'once' ? { state: 'granted', untilMs: answeredMs + ONCE_MS } : { state: 'refused' }
  }
}

const keyOf = ({ kind, name }: Access): string => `${kind} ${name}`

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(done => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })

const chosenOf = ({ answer }: Ask): string | undefined =>
  answer?.option === 'reply' ? answer.replies?.[0]?.chosen?.[0] : undefined

/** The ask names in `tool` what it is about. */
function accessOf({ facts }: Ask): Access | undefined {
  const [, kind, name] = /^(\w+) (.+)$/.exec(facts.tool ?? '') ?? []
  const found = ACCESS_KINDS.find(each => each === kind)
  return found && name ? { kind: found, name } : undefined
}

function questionFor(session: string, access: Access, round: number, facts: Question['facts']): Question {
  const text = TEXTS[access.kind](access.name)
  const hash = createHash('sha256').update(keyOf(access)).digest('hex').slice(0, 16)
  return {
    kind: 'question',
    title: text.title,
    detail: `${text.detail}\nA command in the sandbox asked for this. The agent may continue without it.`,
    facts: { ...facts, tool: keyOf(access) },
    key: `${ACCESS_REQUEST}${session} ${hash} ${round}`,
    fingerprint: fingerprintOf({ session, tool: 'sandbox-request', input: access, cwd: facts.project }),
    questions: [
      {
        id: 'access',
        kind: 'choice',
        text: text.title,
        choices: [
          { value: 'no', label: 'No' },
          { value: 'once', label: 'Once (for 10 minutes)' },
          { value: 'session', label: 'For this session' },
          { value: 'project', label: 'For this project (adds it to your own settings)' },
        ],
      },
    ],
  }
}

/** A list of asks shows the first line of the detail alone, so that line names what it is about. */
const TEXTS: Readonly<Record<Access['kind'], (name: string) => { title: string; detail: string }>> = {
  host(name) {
    const { methods, host } = splitHostName(name)
    const what = methods === undefined ? `read from ${host} (GET, HEAD)` : `send ${host} ${methods} requests`
    return {
      title: `Let commands contact ${host}?`,
      detail: `Commands could ${methods === '*' ? `send ${host} anything` : what}.`,
    }
  },
  port: name => ({
    title: `Let commands connect to port ${name} of this machine?`,
    detail: `Commands could talk to whatever listens on port ${name}, such as a database.`,
  }),
  path: name => ({
    title: `Let commands read ${name}?`,
    detail: `${name} is outside the project. Secrets in it stay hidden.`,
  }),
}
