import { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentEvent } from '@batonpass/contract/event'
import { Envelope } from '@batonpass/contract/hook'
import { Entry, type EntryBody, type NewEntry } from '@batonpass/contract/journal'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { Session } from '@batonpass/contract/session'
import { claudeCode } from '../../src/adapters/agents/claude-code/adapter.ts'
import type { HookCall } from '../../src/engine/hook-call.ts'
import { Intake } from '../../src/engine/intake.ts'
import type { AgentAdapter } from '../../src/ports/agent.ts'
import type { Reactor } from '../../src/ports/reactor.ts'
import { fakeTime } from '../world/time.ts'

interface CallParts extends Partial<Omit<HookCall, 'envelope'>> {
  envelope?: Partial<Envelope>
}

/** An intake whose journal is a list. */
export function intakeWorld(
  options: { reactors?: readonly Reactor[]; before?: NewEntry[]; adapter?: AgentAdapter } = {},
) {
  const { adapter = claudeCode } = options
  const { clock } = fakeTime()
  const journal: NewEntry[] = options.before ?? []
  const sessions = new Map<string, Session>()
  const faults: { during: string; cause: unknown }[] = []
  let ids = 0
  const nextId = (length: number) => String(++ids).padStart(length, '0')
  const world = {
    journal,
    sessions,
    faults,
    /** Which process runs in which pane of this machine. */
    processes: new Map<number, string>(),
    /** Where an agent's own screen is to be seen. */
    screens: new Set<string>(),
    /** Runs before each write; what it throws, the write throws. */
    disk: async (_entries: readonly NewEntry[]): Promise<void> => {},
    /** The line that says that Baton is paused. */
    paused: undefined as string | undefined,
  }
  const intake = new Intake({
    adapterFor: name => (name === adapter.name ? adapter : undefined),
    reactors: options.reactors ?? [],
    async write(entries, changed = []) {
      await world.disk(entries)
      for (const entry of entries) journal.push(entry)
      for (const session of changed) sessions.set(session.id, Session.parse(session))
      return entries.map((entry, i) =>
        Entry.parse({ ...entry, seq: journal.length - entries.length + i + 1 }),
      )
    },
    findRecordedEvent: async request => {
      const body = journal.find(entry => entry.request === request)?.body
      return body?.kind === 'event' ? body.event : undefined
    },
    session: async id => sessions.get(id),
    cacheSession: session => void sessions.set(session.id, session),
    projectOf: cwd => cwd,
    onScreen: async (place, agent) => world.screens.has(`${agent} ${place}`),
    isOwnPlace: async (place, pid) => world.processes.get(pid ?? 0) === place,
    config: async () => Config.parse({}),
    ownCall: marker => marker === 'ours',
    pausedFor: () => world.paused,
    fault: (during, cause) => faults.push({ during, cause }),
    clock,
    ids: { id: nextId },
  })

  /** One call of a hook with this payload. */
  function take(payload: unknown, parts: CallParts = {}): Promise<string> {
    return intake.handleHookCall({
      body: payload instanceof Uint8Array ? payload : new TextEncoder().encode(JSON.stringify(payload)),
      retry: parts.retry ?? false,
      signal: parts.signal ?? new AbortController().signal,
      envelope: Envelope.parse({
        protocol: PROTOCOL,
        agent: 'claude-code',
        source: 'user',
        request: `request-${nextId(1)}`,
        ...parts.envelope,
      }),
    })
  }
  const bodies = <K extends EntryBody['kind']>(kind: K) =>
    journal.flatMap(({ body }) => (body.kind === kind ? [body as Extract<EntryBody, { kind: K }>] : []))
  const events = (): AgentEvent[] => bodies('event').map(({ event }) => event)
  return Object.assign(world, { intake, take, bodies, events })
}

export const diskFull = () => Promise.reject(new BatonError('disk_full', 'No space is left'))

export const prompted = (session: string, prompt: string) => ({
  hook_event_name: 'UserPromptSubmit',
  session_id: session,
  cwd: '/home/dev/project',
  prompt,
})

export const wantsToRun = (session: string, command: string, permission_mode = 'default') => ({
  hook_event_name: 'PreToolUse',
  session_id: session,
  cwd: '/home/dev/project',
  permission_mode,
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: `toolu_${command.length}`,
})
