import { join } from 'node:path'
import type { AgentEvent, PermissionMode } from '@batonpass/contract/event'
import { EventId, SessionId } from '@batonpass/contract/ids'
import type { Session } from '@batonpass/contract/session'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { sandboxingOf } from '../adapters/agents/registry.ts'
import { outsideWork } from '../adapters/broker/outside.ts'
import { brokerSockets } from '../adapters/broker/sockets.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { realpath } from '../adapters/system/realpath.ts'
import type { Intake } from '../engine/intake.ts'
import { Broker } from '../sandbox/broker/broker.ts'
import type { BrokerParts, BrokerRecord, BrokerRequest } from '../sandbox/broker/brokered-call.ts'
import { commandText } from '../sandbox/broker/command-text.ts'
import type { BrokeredCommand } from '../work/workflows/run-grant.ts'
import type { Ground } from './ground.ts'
import { newEntry } from './new-entry.ts'

export interface BrokerLinks {
  intake(): Pick<Intake, 'handleEvent'>
  /** Reports what became of a gh command that the broker was allowed to run. */
  brokerEnded(session: SessionId, done: BrokeredCommand): Promise<void>
  /** The environment that a session's agent was started with; undefined if it cannot be read. */
  agentEnvironment(pid: number | undefined): Promise<NodeJS.ProcessEnv | undefined>
  requestAccess: BrokerParts['requestAccess']
  signer: BrokerParts['signer']
  takeRelease: BrokerParts['takeRelease']
  /** The session of a sandbox: that of a whole agent has another name. */
  sessionOf(name: string): string
  /** How to start Baton's own program. */
  ownProgram: readonly string[]
}

/** Modes in which the user told the agent to run everything that is not denied. */
const UNASKED: readonly (PermissionMode | undefined)[] = ['bypass', 'never-ask']

/** Builds the broker: what leaves the sandbox takes the way of every other command through the permission chain. */
export function composeBroker(
  { env, stateDir, sessions, write, fault }: Ground,
  {
    intake,
    brokerEnded,
    agentEnvironment,
    requestAccess,
    signer,
    takeRelease,
    sessionOf,
    ownProgram,
  }: BrokerLinks,
): Broker {
  const folder = join(stateDir, 'sandbox', 'broker')
  const find = (name: string) => sessions.find(sessionOf(name))
  return new Broker({
    sockets: brokerSockets({
      folder,
      node: process.execPath,
      hasProgram: name => onPath(name, env) !== undefined,
      fault,
    }),
    outside: outsideWork({
      folder,
      async environmentOf(session) {
        const known = await find(session)
        const found = (await agentEnvironment(known?.pid)) ?? env
        return {
          ...found,
          BATON_HOME: undefined,
          PATH: pathOutside(found.PATH ?? env.PATH ?? '', known?.project),
        }
      },
      findProgram: (name, path) => onPath(name, { PATH: path }),
      async ownProgram(session) {
        const nativeSession = (await find(session))?.nativeSession
        // The daemon's own environment, and nothing that a command inside could set.
        const own = { CLAUDE_CODE_SESSION_ID: nativeSession, CODEX_THREAD_ID: undefined }
        return { words: ownProgram, env: { ...env, ...own, BATON_FOR_SANDBOX: '1', NO_COLOR: '1' } }
      },
      ids: systemIds,
    }),
    requestAccess,
    signer,
    takeRelease,
    now: systemClock.now,
    newCall: () => `broker_${systemIds.id(20)}`,
    ended: (session, { call, words }, output) =>
      brokerEnded(SessionId.parse(sessionOf(session)), { call, words, output }),
    async whyNot(session, { call, words, cwd }, waiting) {
      const command = commandText(words)
      const known = await find(session)
      if (!known) return 'This session is over.'
      const { agent, nativeSession } = known
      const isWhole = sessionOf(session) !== session
      // Any process inside can send a whole agent's events, which name the mode.
      const mode = isWhole ? 'default' : known.mode
      const { permission } = await intake().handleEvent(
        agent,
        {
          type: 'ToolRequested',
          nativeSession,
          cwd,
          tool: 'Bash',
          toolUseId: call,
          input: { command },
          action: { kind: 'shell', command },
          ...(mode ? { mode } : {}),
        },
        {
          cwd,
          attended: false,
          brokered: isWhole ? 'whole-agent' : 'command',
          signal: waiting.signal,
          takeRelease: waiting.takeRelease,
        },
      )
      if (permission?.decision === 'allow') return undefined
      const isLeft = permission === undefined
      const isOwnJudge = mode !== undefined && sandboxingOf(agent)?.ownJudge?.includes(mode)
      if (isLeft && isOwnJudge) return `${command} needs a yes. Run it as a separate command.`
      if (isLeft && UNASKED.includes(mode)) return undefined
      return (
        permission?.reason ??
        `${command} needs a yes, and no one answered. Run exactly this as a separate command: then the dialog asks.`
      )
    },
    async record(session, { pushed, request, ...entry }) {
      // No hook of a whole agent has told yet which session this is.
      if (!SessionId.safeParse(sessionOf(session)).success) return
      const body = { kind: 'broker' as const, ...entry, ...(pushed ? { pushed: [...pushed] } : {}) }
      const known = await find(session)
      const about = { session: SessionId.parse(sessionOf(session)), project: known?.project }
      const ended = request && known && endedEvent(known, request, entry)
      await write([
        newEntry(body, about),
        ...(ended
          ? [newEntry({ kind: 'event', event: ended, source: 'manual' }, { ...about, ...ended })]
          : []),
      ])
    },
    fault,
  })
}

/**
 * How a command ended that went through the permission chain, for the journal alone: the agent reports the whole command
 * that it is a part of, and reactors act on that.
 */
function endedEvent(
  { id: session, agent, nativeSession }: Session,
  { call, words, cwd }: BrokerRequest,
  { exit, refused }: Pick<BrokerRecord, 'exit' | 'refused'>,
): AgentEvent {
  const command = commandText(words)
  const common = {
    id: EventId.parse(`evt_${systemIds.id(20)}`),
    at: new Date(systemClock.now()).toISOString(),
    agent,
    session,
    nativeSession,
    cwd,
    tool: 'Bash',
    toolUseId: call,
    input: { command },
    action: { kind: 'shell' as const, command },
  }
  return refused === undefined
    ? { ...common, type: 'ToolFinished', failed: exit !== 0, response: { exit } }
    : { ...common, type: 'ToolDenied', reason: refused }
}

/** Without folders in which a command of the agent could have put a program. */
const pathOutside = (path: string, project: string | undefined): string =>
  path
    .split(':')
    .filter(folder => {
      const real = folder.startsWith('/') ? realpath(folder) : ''
      return (
        real !== '' && !real.includes('/node_modules/') && !(project && isInside(real, realpath(project)))
      )
    })
    .join(':')
