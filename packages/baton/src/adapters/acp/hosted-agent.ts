import { BatonError } from '@batonpass/contract/errors'
import type { Reaction } from '@batonpass/contract/reaction'
import type { DecodedEvent } from '../../ports/agent.ts'
import type { Backend } from '../../ports/backend.ts'
import type {
  LiveConversation,
  PlaceStatus,
  ScreenReading,
  StartOrder,
  TypeResult,
} from '../../ports/driver.ts'
import { askPermissionChain } from './ask-permission.ts'
import { Conversation } from './conversation.ts'
import type { AcpDriverParts } from './parts.ts'
import { reportingBackend } from './reporting-backend.ts'
import type { SavedSession } from './saved-sessions.ts'

/** A prompt that is not rejected within this time counts as accepted. */
const TAKEN_MS = 3000
const STOPPED_MS = 15_000
/** How often to save that the session is alive. */
const ALIVE_MS = 60 * 60_000

type HostedState = 'waiting' | 'working' | 'dialog' | 'dead' | 'unknown'

/** One agent that this process hosts. Every change is saved for the next process before it takes effect. */
export class HostedAgent {
  #state: HostedState
  readonly #parts: AcpDriverParts
  readonly #order: StartOrder
  readonly #place: string
  #backend: Backend | undefined
  /** The same agent, without reports to Baton. */
  #program: Backend | undefined
  #turn: Promise<unknown> | undefined
  readonly #said: Conversation
  #revivals = 0
  /** A turn was interrupted with the previous process and has not been continued yet. */
  #cut = false
  #keptAt = 0
  #keeping: Promise<unknown> = Promise.resolve()
  #left = false

  constructor(
    parts: AcpDriverParts,
    order: StartOrder,
    place: string,
    state: 'waiting' | 'unknown' = 'waiting',
  ) {
    this.#parts = parts
    this.#order = order
    this.#place = place
    this.#state = state
    this.#said = new Conversation(parts.clock)
  }

  get state(): HostedState {
    return this.#state
  }
  set state(state: HostedState) {
    if (this.#state === state) return
    this.#state = state
    this.#said.changed()
  }

  get pid(): number | undefined {
    return this.#backend?.pid
  }
  get nativeSession(): string | undefined {
    return this.#backend?.nativeSession
  }
  get talk(): LiveConversation {
    return {
      nativeSession: this.nativeSession,
      since: rev => ({ state: this.state, ...this.#said.since(rev) }),
      listen: listener => this.#said.listen(listener),
    }
  }

  async start(): Promise<void> {
    await this.#open(async backend => void (await backend.begin()))
  }

  /** Resumes the conversation of the previous process, or starts a fresh one if the agent cannot resume it. */
  async revive({ nativeSession, revivals, working }: SavedSession): Promise<'resumed' | 'afresh'> {
    this.#revivals = revivals + 1
    this.#cut = working
    let resumed = false
    await this.#open(async backend => {
      resumed = nativeSession !== undefined && (await backend.resume(nativeSession))
      if (resumed) return
      await backend.begin()
      // As after a clear: the work continues in this session.
      const cleared = { type: 'SessionEnded' as const, cwd: this.#order.cwd, reason: 'clear' }
      if (nativeSession !== undefined)
        await this.#ear({ ...cleared, nativeSession }, new AbortController().signal).catch(() => ({}))
    })
    if (this.state === 'unknown') this.state = 'waiting'
    // A waiting session has survived the restart; a working one has when its turn ends.
    if (!working) this.#revivals = 0
    await this.#keep()
    return resumed ? 'resumed' : 'afresh'
  }

  /** Marks a session that cannot be restarted, with the reason. Baton does not try again. */
  async giveUp(why: string): Promise<void> {
    if (this.#left) return
    this.state = 'dead'
    this.#said.note(why, true)
    await this.#forget()
  }

  async #open(begin: (backend: Backend) => Promise<void>): Promise<void> {
    const { agent, launch, cwd, env, tools } = this.#order
    // Loaded lazily: a daemon that hosts no agent does not need the protocol library's memory.
    const { hostAgent } = await import('./backend.ts')
    const program = await hostAgent({
      agent,
      launch,
      tools,
      cwd,
      env: { ...this.#parts.env, ...env },
      // Save before reporting it: followers must not return to an earlier conversation.
      began: () => this.#keep(),
      // No person is present: deny what the permission chain leaves open.
      consent: async (consent, signal) => {
        this.state = 'dialog'
        this.#said.asks(consent.call.id, true)
        try {
          const { decision, reason } = await askPermissionChain(this.#ear, consent, cwd, signal)
          if (decision === 'allow') return 'allow'
          return reason ? { deny: reason } : 'deny'
        } finally {
          this.#said.asks(consent.call.id, false)
          if (this.state === 'dialog') this.state = this.#turn ? 'working' : 'waiting'
        }
      },
    })
    this.#program = program
    if (this.#left || this.state === 'dead') {
      await program.close()
      throw new BatonError('timed_out', 'The session was ended while it started')
    }
    this.#backend = reportingBackend(program, this.#ear, cwd)
    this.#backend.listen(heard => this.#said.hear(heard))
    void program.gone.then(said => this.#died(said))
    try {
      await begin(this.#backend)
    } catch (cause) {
      this.state = 'dead'
      await program.close()
      await this.#forget()
      throw cause
    }
  }

  /** Saves what the next process needs. If that fails, the session works now but cannot be restarted. */
  #keep(): Promise<void> {
    const { kept, clock, processes } = this.#parts
    if (!kept || this.#left || this.state === 'dead') return Promise.resolve()
    const { agent, launch, cwd, title, env, tools } = this.#order
    const { pid, nativeSession } = this
    const working = this.#turn !== undefined || this.#cut
    this.#keptAt = clock.now()
    const write = async () => {
      const born = pid === undefined ? undefined : await processes?.born(pid)
      await kept.put({
        place: this.#place,
        ...{ agent, cwd, title, working, revivals: this.#revivals, seenAt: clock.now() },
        launch: { program: launch.program, args: [...launch.args], env: { ...launch.env } },
        env: { ...env },
        ...(tools ? { tools: { ...tools, args: [...tools.args] } } : {}),
        ...(pid === undefined ? {} : { pid }),
        ...(born === undefined ? {} : { born }),
        ...(nativeSession === undefined ? {} : { nativeSession }),
      })
    }
    const written = this.#keeping.then(write).catch(() => {})
    this.#keeping = written
    return written
  }

  async #forget(): Promise<void> {
    if (this.#left) return
    const { kept } = this.#parts
    const gone = this.#keeping.then(() => kept?.remove(this.#place)).catch(() => {})
    this.#keeping = gone
    await gone
  }

  readonly #ear = (event: DecodedEvent, signal: AbortSignal): Promise<Reaction> => {
    // A session that stops only because this process stops has not ended.
    if (this.#left) return Promise.resolve({})
    const { agent, cwd } = this.#order
    const pid = this.#backend?.pid
    const about = { pane: this.#place, cwd, attended: false, signal, ...(pid === undefined ? {} : { pid }) }
    return this.#parts.tell(agent, event, about)
  }

  look(): ScreenReading {
    return { state: this.state, lines: this.#said.lines(), pid: this.pid }
  }

  glance(): PlaceStatus {
    // Record when it was last alive: a session that has been stopped for a day is not restarted.
    if (this.#parts.clock.now() - this.#keptAt > ALIVE_MS) void this.#keep()
    return { state: this.state === 'dead' ? 'dead' : 'there', pid: this.pid, changedAt: this.#said.changedAt }
  }

  async type(text: string): Promise<TypeResult> {
    const backend = this.#backend
    if (this.state === 'unknown' || this.#turn) return 'busy'
    if (!backend) return 'gone'
    this.#said.prompt(text)
    this.state = 'working'
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<TypeResult>()
    const unlisten = backend.listen(() => hasBegun('taken'))
    const timer = setTimeout(hasBegun, TAKEN_MS, 'taken')
    this.#cut = false
    this.#turn = backend
      .prompt(text)
      .then(
        end => {
          if (end !== 'ended') this.#said.note(end)
          this.#revivals = 0
          hasBegun('taken')
        },
        (cause: unknown) => {
          this.#said.note(cause instanceof Error ? cause.message : String(cause), true)
          const refused = cause instanceof BatonError && cause.code === 'not_allowed'
          hasBegun(refused ? 'not-taken' : 'taken')
        },
      )
      .finally(() => {
        this.#turn = undefined
        if (this.state !== 'dead') this.state = 'waiting'
        void this.#keep()
      })
    void this.#keep()
    const typed = await begun
    clearTimeout(timer)
    unlisten()
    return typed
  }

  async interrupt(): Promise<'interrupted' | 'idle' | 'gone'> {
    const turn = this.#turn
    if (!turn) return 'idle'
    const until = AbortSignal.timeout(STOPPED_MS)
    // An agent that has just started may miss the first interrupt.
    while (this.#turn === turn && !until.aborted) {
      await this.#backend?.cancel()
      await Promise.race([turn, new Promise(resolve => setTimeout(resolve, 1000))])
    }
    return this.state === 'dead' ? 'gone' : 'interrupted'
  }

  async clear(): Promise<TypeResult> {
    if (this.state === 'unknown' || this.#turn) return 'busy'
    try {
      await this.#backend?.begin()
    } catch {
      return this.state === 'dead' ? 'gone' : 'not-taken'
    }
    this.#said.clear()
    return 'taken'
  }

  /** `leave`: the next process resumes it. */
  async close(how: 'end' | 'leave' = 'end'): Promise<void> {
    if (how === 'leave' && this.#parts.kept) {
      this.#left = true
      await this.#keeping
      this.state = 'dead'
      await this.#program?.close()
      return
    }
    this.state = 'dead'
    await this.#backend?.close()
    await this.#forget()
  }

  #died(said: string): void {
    if (this.state === 'dead') return
    this.state = 'dead'
    const last = said.split('\n').filter(Boolean).slice(-3).join('\n')
    this.#said.note(`the agent has ended${last ? `\n${last}` : ''}`, true)
    const { nativeSession } = this
    void this.#forget()
    if (nativeSession === undefined) return
    const event = { type: 'SessionEnded' as const, nativeSession, cwd: this.#order.cwd, reason: 'died' }
    void this.#ear(event, new AbortController().signal).catch(() => {})
  }
}
