import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { Reaction } from '@batonpass/contract/reaction'
import type { DecodedEvent } from '../../ports/agent.ts'
import type { Backend, Heard } from '../../ports/backend.ts'
import type { Chance } from '../../ports/chance.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Driver, Glance, Look, StartOrder, Typed } from '../../ports/driver.ts'
import { hostAgent } from './backend.ts'
import { askChain } from './consent.ts'
import { reporting } from './reporting.ts'

export interface AcpDriverParts {
  /** Takes what a hosted agent does, and where. */
  tell(
    agent: AgentName,
    event: DecodedEvent,
    about: { pane: string; cwd: string; pid?: number; attended: boolean; signal: AbortSignal },
  ): Promise<Reaction>
  env: Readonly<Record<string, string | undefined>>
  clock: Pick<Clock, 'now'>
  chance: Chance
}

const PLACE = /^hosted [0-9a-z]{12}$/
/** A prompt that was neither refused nor answered so soon has been taken. */
const TAKEN_MS = 3000
const STOPPED_MS = 15_000
const MOST_LINES = 200

/** Sessions that live inside this process, over the Agent Client Protocol: no terminal, no keystrokes. They end with it. */
export function acpDriver(parts: AcpDriverParts): Driver & { close(): Promise<void> } {
  const places = new Map<string, Hosted>()
  const alive = (place: string): Hosted | undefined => {
    const hosted = places.get(place)
    return hosted?.state === 'dead' ? undefined : hosted
  }
  return {
    kind: 'acp',
    reaches: place => PLACE.test(place),
    async look(place) {
      const hosted = places.get(place)
      return hosted ? hosted.look() : { state: 'gone', lines: [] }
    },
    async glance(wanted) {
      return new Map(wanted.map(place => [place, places.get(place)?.glance() ?? { state: 'gone' as const }]))
    },
    type: async (place, text) => (await alive(place)?.type(text)) ?? 'gone',
    interrupt: async place => (await alive(place)?.interrupt()) ?? 'gone',
    clear: async place => (await alive(place)?.clear()) ?? 'gone',
    async start(order) {
      const place = `hosted ${parts.chance.id(12)}`
      const hosted = new Hosted(parts, order, place)
      await hosted.start()
      places.set(place, hosted)
      const { pid, nativeSession } = hosted
      return { place, pid, nativeSession }
    },
    async kill(place) {
      const hosted = places.get(place)
      places.delete(place)
      if (!hosted) return false
      await hosted.close()
      return true
    },
    async close() {
      await Promise.all([...places.values()].map(hosted => hosted.close().catch(() => {})))
      places.clear()
    },
  }
}

class Hosted {
  state: 'waiting' | 'working' | 'dialog' | 'dead' = 'waiting'
  readonly #parts: AcpDriverParts
  readonly #order: StartOrder
  readonly #place: string
  #backend: Backend | undefined
  #turn: Promise<unknown> | undefined
  #lines: string[] = ['']
  #changedAt: number

  constructor(parts: AcpDriverParts, order: StartOrder, place: string) {
    this.#parts = parts
    this.#order = order
    this.#place = place
    this.#changedAt = parts.clock.now()
  }

  get pid(): number | undefined {
    return this.#backend?.pid
  }
  get nativeSession(): string | undefined {
    return this.#backend?.nativeSession
  }

  async start(): Promise<void> {
    const { agent, launch, cwd, env } = this.#order
    const program = await hostAgent({
      agent,
      launch,
      cwd,
      env: { ...this.#parts.env, ...env },
      // Nobody sits here: what the chain leaves open is refused.
      consent: async (consent, signal) => {
        this.state = 'dialog'
        try {
          const { decision } = await askChain(this.#ear, consent, cwd, signal)
          return decision === 'allow' ? 'allow' : 'deny'
        } finally {
          if (this.state === 'dialog') this.state = this.#turn ? 'working' : 'waiting'
        }
      },
    })
    this.#backend = reporting(program, this.#ear, cwd)
    this.#backend.listen(heard => this.#hear(heard))
    void program.gone.then(said => this.#died(said))
    try {
      await this.#backend.begin()
    } catch (cause) {
      await program.close()
      throw cause
    }
  }

  readonly #ear = (event: DecodedEvent, signal: AbortSignal): Promise<Reaction> => {
    const { agent, cwd } = this.#order
    const pid = this.#backend?.pid
    const about = { pane: this.#place, cwd, attended: false, signal, ...(pid === undefined ? {} : { pid }) }
    return this.#parts.tell(agent, event, about)
  }

  look(): Look {
    const lines =
      this.state === 'dead'
        ? this.#lines
        : this.#lines.filter((line, i, all) => line !== '' || i < all.length - 1)
    return { state: this.state, lines, pid: this.pid }
  }

  glance(): Glance {
    return { state: this.state === 'dead' ? 'dead' : 'there', pid: this.pid, changedAt: this.#changedAt }
  }

  async type(text: string): Promise<Typed> {
    const backend = this.#backend
    if (!backend) return 'gone'
    if (this.#turn) return 'busy'
    this.#write(`> ${text}\n`)
    this.state = 'working'
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<Typed>()
    const unlisten = backend.listen(() => hasBegun('taken'))
    const timer = setTimeout(hasBegun, TAKEN_MS, 'taken')
    this.#turn = backend
      .prompt(text)
      .then(
        end => {
          if (end !== 'ended') this.#write(`\n[${end}]`)
          hasBegun('taken')
        },
        (cause: unknown) => {
          this.#write(`\n[${cause instanceof Error ? cause.message : String(cause)}]`)
          const refused = cause instanceof BatonError && cause.code === 'not_allowed'
          hasBegun(refused ? 'not-taken' : 'taken')
        },
      )
      .finally(() => {
        this.#turn = undefined
        if (this.state !== 'dead') this.state = 'waiting'
        this.#write('\n')
      })
    const typed = await begun
    clearTimeout(timer)
    unlisten()
    return typed
  }

  async interrupt(): Promise<'interrupted' | 'idle' | 'gone'> {
    const turn = this.#turn
    if (!turn) return 'idle'
    const until = AbortSignal.timeout(STOPPED_MS)
    // An agent that has hardly begun may miss the first one.
    while (this.#turn === turn && !until.aborted) {
      await this.#backend?.cancel()
      await Promise.race([turn, new Promise(resolve => setTimeout(resolve, 1000))])
    }
    return this.state === 'dead' ? 'gone' : 'interrupted'
  }

  async clear(): Promise<Typed> {
    if (this.#turn) return 'busy'
    try {
      await this.#backend?.begin()
    } catch {
      return this.state === 'dead' ? 'gone' : 'not-taken'
    }
    this.#lines = ['']
    return 'taken'
  }

  async close(): Promise<void> {
    this.state = 'dead'
    await this.#backend?.close()
  }

  #died(said: string): void {
    if (this.state === 'dead') return
    this.state = 'dead'
    const last = said.split('\n').filter(Boolean).slice(-3).join('\n')
    this.#write(`\n[the agent has ended]${last ? `\n${last}` : ''}`)
    const { nativeSession } = this
    if (nativeSession === undefined) return
    const event = { type: 'SessionEnded' as const, nativeSession, cwd: this.#order.cwd, reason: 'died' }
    void this.#ear(event, new AbortController().signal).catch(() => {})
  }

  #hear(heard: Heard): void {
    if (heard.kind === 'text') this.#write(heard.text)
    if (heard.kind === 'result') this.#write(`\n  ${heard.failed ? '✗' : '✓'} ${heard.text.slice(0, 300)}\n`)
    if (heard.kind === 'continued') this.#write(`\n> ${heard.prompt}\n`)
  }

  #write(text: string): void {
    this.#changedAt = this.#parts.clock.now()
    const plain = text.replaceAll(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, ' ')
    const [first = '', ...rest] = plain.split('\n')
    const last = this.#lines.pop() ?? ''
    this.#lines.push(...[`${last}${first}`, ...rest].map(line => line.slice(0, 2000)))
    this.#lines = this.#lines.slice(-MOST_LINES)
  }
}
