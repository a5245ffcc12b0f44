import { Config } from '@batonpass/contract/config'
import type { Cycle, CycleEntry } from '@batonpass/contract/cycle'
import { AgentEvent } from '@batonpass/contract/event'
import { HandoffDocument } from '@batonpass/contract/handoff'
import type { Reaction } from '@batonpass/contract/reaction'
import { Session } from '@batonpass/contract/session'
import type { AskOutcome } from '../../../src/ask/ask-outcome.ts'
import { Cycles } from '../../../src/handoff/cycle/cycles.ts'
import type { CyclePorts } from '../../../src/handoff/cycle/ports.ts'
import { cycleReactor } from '../../../src/handoff/cycle/reactor.ts'
import { handoffCommand } from '../../../src/handoff/write/command.ts'
import type { CycleStore } from '../../../src/ports/cycle-store.ts'
import type { Driver, ScreenReading, TypeResult } from '../../../src/ports/driver.ts'
import { sessionId } from '../../../src/session/id.ts'
import { fakeTime, settled } from '../../world/time.ts'

const GOAL = 'Add refresh tokens to the login service'
const NEXT = 'Write the endpoint that renews a token'
const PROJECT = '/project'
const TICK_MS = 5000

export interface Behaviour {
  /** What the agent does when asked for its document; the last entry repeats. */
  documents?: ('good' | 'none' | 'hangs')[]
  /** How it answers the question about the essentials. */
  answers?: ('right' | 'wrong-goal' | 'talk' | 'hangs')[]
  /** How often `/clear` is accepted without any effect. */
  swallows?: number
  /** The agent dies in this step of its cycle. */
  diesIn?: Cycle['step'] | undefined
  /** Reports its end with its own reason when it is cleared, and the new session only with its first prompt. */
  startsWithPrompt?: boolean
  /** Reports that end only after the new session has started. */
  lateGoodbye?: boolean
  /** Is in a long turn when the context becomes full. */
  working?: boolean
  /** A person pauses Baton right after it typed this many texts. */
  pausedAfter?: number
}

/** Thrown at the point where the daemon is killed. */
class Killed extends Error {}

/**
 * A daemon's cycles with an agent in a terminal, all in memory. The daemon can be killed at any point: before and after each
 * write, each terminal action, each document and each journal entry.
 */
export function cycleWorld(behaviour: Behaviour = {}, options: { killAt?: number; place?: string } = {}) {
  const time = fakeTime()
  const place = options.place ?? '%1 /tmp/tmux'
  const kept = new Map<string, Cycle>()
  const files = new Map<string, { from: string; by: 'agent' | 'baton' }>()
  const requests = new Map<string, { answered: boolean; again: boolean; name?: string }>()
  const story: CycleEntry[] = []
  const news: string[] = []
  const questions: { title: string; answer: (option: 'yes' | 'no') => void; withdrawn: boolean }[] = []
  const carried: [string, string][] = []
  const faults: string[] = []
  const sessions = new Map<string, Session>()
  const done: string[] = []
  const disk = { full: false, unreadable: false }
  /** While Baton is paused, hook calls are answered without its reactors. */
  const pause = { on: false }
  let points = 0
  let kills = 0
  let serial = 0
  let waitingDocument: { document: string; from: string; writtenBy: 'agent' | 'baton' } | undefined
  const config = Config.parse({})

  // ——— the agent in its terminal
  const agent = {
    state: (behaviour.working ? 'working' : 'waiting') as ScreenReading['state'],
    native: 'native-1',
    n: 1,
    cleared: 0,
    /** A new conversation that has not been reported yet. */
    untold: false,
    typed: [] as string[],
    running: Promise.resolve() as Promise<unknown>,
  }
  const take = <T>(list: T[] | undefined, fallback: T): T =>
    (list && list.length > 1 ? list.shift() : list?.[0]) ?? fallback

  const track = (native: string, more: Partial<Session> = {}): Session => {
    const id = sessionId('claude-code', native)
    const at = new Date(time.clock.now()).toISOString()
    const session = Session.parse({
      id,
      agent: 'claude-code',
      nativeSession: native,
      project: PROJECT,
      pane: place,
      pid: 4711,
      startedAt: at,
      events: 5,
      lastEvent: 'TurnEnded',
      ...sessions.get(id),
      lastSeenAt: at,
      ...more,
    })
    sessions.set(id, session)
    return session
  }

  /** One hook call, repeated with the next daemon if the first one is killed during it. */
  async function hook(event: object, native = agent.native): Promise<Reaction['goOn']> {
    const session = track(native)
    const stamped = AgentEvent.parse({
      id: `evt_${String(++serial).padStart(20, '0')}`,
      at: new Date(time.clock.now()).toISOString(),
      agent: 'claude-code',
      session: session.id,
      nativeSession: native,
      ...event,
    })
    if (pause.on) return undefined
    for (;;) {
      const daemon = current
      try {
        const documents = await daemon.handoff(stamped)
        const outcome = await daemon.reactor.react(stamped, {
          session: sessions.get(session.id) ?? session,
          project: PROJECT,
          config,
          now: time.clock.now(),
        })
        if (daemon.dead) continue
        const going = outcome?.now?.continuation ?? documents
        return going && 'prompt' in going ? { prompt: going.prompt } : undefined
      } catch (cause) {
        if (daemon.dead) continue
        // Any other error is a bug in the reactor; the agent gets an empty answer.
        faults.push(String(cause))
        return undefined
      }
    }
  }

  /** A turn: the agent does what it is asked, and continues with the answer to its stop. */
  async function turn(prompt: string, native: string): Promise<void> {
    const alive = () => agent.state !== 'dead' && agent.state !== 'gone' && agent.native === native
    for (let text: string | undefined = prompt; text !== undefined && alive(); ) {
      let message = 'I see.'
      await settled()
      if (/Create handoff document|There is no handoff document/.test(text)) {
        const kind = take(behaviour.documents, 'good')
        if (kind === 'hangs') return
        const request = requests.get(sessionId('claude-code', native))
        if (kind === 'good') {
          await hook({ type: 'ToolRequested', ...WRITE }, native)
          if (!alive()) return
          const name = `doc-${files.size + 1}.md`
          files.set(name, { from: native, by: 'agent' })
          if (request) request.name = name
          await hook({ type: 'ToolFinished', ...WRITE, failed: false, response: null }, native)
        }
      } else if (/and resume work|That is not what/.test(text)) {
        const kind = take(behaviour.answers, 'right')
        if (kind === 'hangs') return
        const goal = kind === 'right' ? GOAL : 'Rewrite the billing service in Rust'
        message = kind === 'talk' ? 'Resuming work from handoff…' : block(goal)
      } else if (/Now continue the work/.test(text)) {
        await hook({ type: 'ToolRequested', ...RUN }, native)
        done.push(native)
        message = 'The endpoint is there.'
      }
      if (!alive()) return
      text = (await hook({ type: 'TurnEnded', continued: false, lastMessage: message }, native))?.prompt
    }
    if (alive()) agent.state = 'waiting'
  }

  const begin = (prompt: string, native: string) => {
    agent.state = 'working'
    agent.running = turn(prompt, native)
  }

  async function submit(text: string): Promise<void> {
    const { native } = agent
    agent.state = 'working'
    const begins = agent.untold
    agent.untold = false
    agent.running = (async () => {
      if (begins) await hook({ type: 'SessionStarted', source: 'startup' }, native)
      if (begins && behaviour.lateGoodbye)
        await hook({ type: 'SessionEnded', reason: 'user_exit' }, 'native-1')
      await hook({ type: 'PromptSubmitted', prompt: text }, native)
      await turn(text, native)
    })()
  }

  const typedOnce = (text: string) => {
    if (agent.typed.push(text) === behaviour.pausedAfter) pause.on = true
  }

  /** What happens in the terminal, no matter who types. */
  const terminal = {
    async type(text: string): Promise<TypeResult> {
      if (agent.state === 'gone' || agent.state === 'dead') return 'gone'
      if (agent.state !== 'waiting') return 'busy'
      typedOnce(text)
      await submit(text)
      return 'taken'
    },
    clear(): TypeResult {
      if (agent.state === 'gone' || agent.state === 'dead') return 'gone'
      if (agent.state !== 'waiting') return 'busy'
      typedOnce('/clear')
      if ((behaviour.swallows ?? 0) > 0) {
        behaviour.swallows = (behaviour.swallows ?? 0) - 1
        return 'taken'
      }
      const old = agent.native
      if (!waitingDocument) throw new Error('cleared before the document stood')
      agent.cleared++
      agent.native = `native-${++agent.n}`
      const told = !agent.untold
      agent.untold = behaviour.startsWithPrompt === true
      agent.running = (async () => {
        if (behaviour.startsWithPrompt) {
          if (told && !behaviour.lateGoodbye) await hook({ type: 'SessionEnded', reason: 'user_exit' }, old)
          return
        }
        await hook({ type: 'SessionEnded', reason: 'clear' }, old)
        await hook({ type: 'SessionStarted', source: 'clear' })
      })()
      return 'taken'
    },
  }

  const driverFor = (point: () => void): Driver => ({
    kind: 'tmux',
    reaches: each => each === place,
    readScreen: async () => ({ state: agent.state, lines: [] }),
    async type(_place, text) {
      point()
      const typed = await terminal.type(text)
      point()
      return typed
    },
    async clear() {
      point()
      const typed = terminal.clear()
      point()
      return typed
    },
    interrupt: async () => {
      point()
      if (agent.state === 'gone' || agent.state === 'dead') return 'gone'
      agent.state = 'waiting'
      return 'interrupted'
    },
    startsWithPrompt: () => behaviour.startsWithPrompt === true,
    start: () => Promise.reject(new Error('not here')),
    kill: async () => false,
  })

  const storeFor = (point: () => void): CycleStore => ({
    async put(cycle) {
      if (disk.full) throw new Error('disk full')
      point()
      const before = kept.get(cycle.id)
      if ((before?.version ?? -1) !== cycle.version - 1) return false
      kept.set(cycle.id, structuredClone(cycle))
      point()
      return true
    },
    open: async () => {
      if (disk.unreadable) throw new Error('database is malformed')
      return [...kept.values()].filter(({ step }) => !['done', 'failed', 'cancelled'].includes(step))
    },
    recent: async () => [...kept.values()].sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1)),
    forget: async () => 0,
  })

  // ——— one daemon after the other
  function startDaemon() {
    const daemon = {
      dead: false,
      /** A point at which this daemon may be killed. A dead daemon does nothing. */
      point() {
        if (daemon.dead) throw new Killed()
        if (++points !== options.killAt) return
        kills++
        daemon.dead = true
        current = startDaemon()
        throw new Killed()
      },
      handoff: async (_event: AgentEvent) => undefined as { prompt: string } | undefined,
      reactor: { react: async () => undefined } as unknown as ReturnType<typeof cycleReactor>,
      cycles: undefined as unknown as Cycles,
      documents: undefined as unknown as CyclePorts['documents'],
    }
    const settle = (session: string, native: string, by: 'agent' | 'baton', name?: string) => {
      if (disk.full) throw new Error('Cannot store the handoff document: the disk is full')
      const document = name ?? `doc-${files.size + 1}.md`
      if (!name) files.set(document, { from: native, by })
      daemon.point()
      waitingDocument = { document, from: native, writtenBy: by }
      requests.delete(session)
      daemon.point()
      void daemon.cycles
        .documentWritten(session, document)
        .catch(cause => daemon.dead || faults.push(String(cause)))
    }
    const documents: CyclePorts['documents'] = {
      async request({ session }) {
        daemon.point()
        if (disk.full) throw new Error('disk full')
        requests.set(session, { answered: false, again: false })
        return 'doc.md'
      },
      async ready(session) {
        const request = requests.get(session)
        const native = sessions.get(session)?.nativeSession ?? ''
        if (request?.name) settle(session, native, 'agent', request.name)
      },
      async writeNow({ session, nativeSession }) {
        daemon.point()
        settle(session, nativeSession, 'baton')
      },
      settled: async ({ nativeSession }) =>
        waitingDocument?.from === nativeSession ? waitingDocument : undefined,
      release: async () => daemon.point(),
      async drop({ session }) {
        requests.delete(session)
        waitingDocument = undefined
      },
      wanted: async () => undefined,
    }
    daemon.documents = documents
    /** What the reactor of `/handoff` does in addition to the cycle's. */
    daemon.handoff = async event => {
      if (event.type === 'PromptSubmitted' && handoffCommand(event.prompt))
        requests.set(event.session, { answered: false, again: false })
      const request = requests.get(event.session)
      if (event.type !== 'TurnEnded' || !request) return undefined
      if (request.name) settle(event.session, event.nativeSession, 'agent', request.name)
      else if (request.again) settle(event.session, event.nativeSession, 'baton')
      else {
        request.again = true
        return { prompt: 'There is no handoff document yet. Write it.' }
      }
      return undefined
    }
    const driver = driverFor(daemon.point)
    const ports: CyclePorts = {
      store: storeFor(daemon.point),
      driverAt: each => (each === place ? driver : undefined),
      documents,
      read: async () => ({
        document: HandoffDocument.parse({ goal: GOAL, nextSteps: [NEXT], facts: { branch: 'main' } }),
        form: 'file',
        findings: [],
      }),
      session: async id => sessions.get(id),
      sessionsAt: async () => [...sessions.values()],
      alive: () => agent.state !== 'dead',
      carryOver: [
        async (from, to) => {
          daemon.point()
          carried.push([from.nativeSession, to.nativeSession])
        },
      ],
      asks: {
        ask: ({ title }, { signal }) =>
          new Promise<AskOutcome>(resolve => {
            const question = {
              title,
              withdrawn: false,
              answer: (option: 'yes' | 'no') =>
                resolve({ result: 'answered', option, by: { channel: 't', who: 'p' }, ask: {} as never }),
            }
            signal.addEventListener('abort', () => {
              question.withdrawn = true
              resolve({ result: 'withdrawn', ask: {} as never })
            })
            questions.push(question)
          }),
        tell: async ({ text }) => void news.push(text),
      },
      config: async () => config,
      async journal(_about, entry) {
        daemon.point()
        story.push(entry)
      },
      fault: (during, cause) => {
        if (!daemon.dead) faults.push(`${during}: ${cause}`)
      },
      paused: () => pause.on,
      clock: time.clock,
      timers: { after: (ms, run) => time.timers.after(ms, () => daemon.dead || run()) },
      ids: { id: length => String(++serial).padStart(length, '0') },
    }
    daemon.cycles = new Cycles(ports)
    daemon.reactor = cycleReactor(daemon.cycles, { ...documents, deliverLate: async () => ({}) })
    return daemon
  }
  let current = startDaemon()

  const measured = { type: 'ContextMeasured', used: 174_000, size: 200_000, percent: 87 }
  track('native-1', {
    context: {
      used: 174_000,
      size: 200_000,
      percent: 87,
      zone: 'trigger',
      overflows: false,
      at: new Date(time.clock.now()).toISOString(),
      growth: [],
      late: false,
    },
  })
  const cycle = (): Cycle | undefined => [...kept.values()].at(-1)

  /** Lets time pass in ticks until a condition is met. */
  async function pass(until: () => boolean, minutes = 60): Promise<void> {
    for (let ms = 0; ms < minutes * 60_000 && !until(); ms += TICK_MS) {
      await time.advance(TICK_MS)
      if (cycle()?.step === behaviour.diesIn && agent.state !== 'dead') {
        agent.state = 'dead'
        behaviour.diesIn = undefined
      }
      const ticked = current
      let over = false
      void ticked.cycles
        .tick()
        .catch(cause => ticked.dead || faults.push(String(cause)))
        .finally(() => {
          over = true
        })
      for (let n = 0; n < 400 && !over; n++) await time.advance(25)
      await settled()
    }
  }
  const ended = () => ['done', 'failed', 'cancelled', 'person'].includes(cycle()?.step ?? '')

  return {
    time,
    agent,
    terminal,
    story,
    what: () => story.map(({ what }) => what),
    news,
    questions,
    carried,
    faults,
    files,
    done,
    disk,
    pause,
    kept,
    cycle,
    hook,
    submit,
    measured: () => hook(measured),
    /** An agent that hung writes its document after all, and the daemon finds it. */
    async documentFound() {
      const session = cycle()?.session ?? ''
      const request = requests.get(session)
      if (!request) throw new Error('no document was asked for')
      files.set('doc-1.md', { from: agent.native, by: 'agent' })
      request.name = 'doc-1.md'
      agent.state = 'waiting'
      await current.documents.ready(session, time.clock.now())
    },
    clearedByPerson() {
      agent.native = `native-${++agent.n}`
      agent.running = hook({ type: 'SessionStarted', source: 'clear' })
    },
    begin: () => begin('please begin', agent.native),
    pass,
    /** Until the cycle has ended or needs a person. */
    run: async (minutes = 60) => {
      await pass(ended, minutes)
      await pass(() => false, 1)
    },
    points: () => points,
    kills: () => kills,
    /** A second daemon next to the first. */
    another: () => startDaemon().cycles,
    daemon: () => current.cycles,
    kill: () => {
      current.dead = true
      current = startDaemon()
    },
  }
}

const block = (goal: string) =>
  `<handoff-check>\ngoal: ${goal}\nbranch: main\nnext: ${NEXT}\n</handoff-check>`
const call = (tool: string, action: object) => ({ tool, input: {}, action })
const WRITE = call('Write', { kind: 'write', paths: ['/project/.bmad/handoffs/doc.md'] })
const RUN = call('Bash', { kind: 'shell', command: 'true' })
