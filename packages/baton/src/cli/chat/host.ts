import { setTimeout as pause } from 'node:timers/promises'
import { BatonError } from '@batonpass/contract/errors'
import { HostedWord } from '@batonpass/contract/hosted'
import { type HostOrder, hostAgent } from '../../adapters/acp/backend.ts'
import { reportingBackend } from '../../adapters/acp/reporting-backend.ts'
import { launchesOf } from '../../adapters/agents/launches.ts'
import { piReader } from '../../adapters/agents/pi/reader.ts'
import { systemGit } from '../../adapters/git/git.ts'
import { systemAppendFiles } from '../../adapters/system/append-files.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { systemFiles } from '../../adapters/system/files.ts'
import { systemIds } from '../../adapters/system/ids.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { systemTimers } from '../../adapters/system/timers.ts'
import { AgentSession } from '../../chat/agent-session.ts'
import type { SessionPorts } from '../../chat/session-file/session-file.ts'
import { SessionManager } from '../../chat/session-file/session-manager.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import type { StateFolder } from '../../config/state-folder.ts'
import { HandoffMemory } from '../../handoff/write/handoff-memory.ts'
import { HandoffWriter } from '../../handoff/write/hosted-writer.ts'
import type { Backend } from '../../ports/backend.ts'
import { readTest } from '../../session/transcript/test-runs.ts'
import { VERSION } from '../../version.ts'
import { callDaemon, ensureDaemon, folderOf, followDaemon } from '../daemon.ts'
import { handoffFiles, workIn } from '../handoffs.ts'
import type { Io } from '../io.ts'
import { type AskInline, consentBy, daemonAside, reactThroughDaemon } from './ask-permission.ts'
import { type ContainedAgent, containAgent } from './contained.ts'
import { mirrored } from './mirror.ts'

const TOLD_MS = 5000

export interface ChatOrder {
  agent: string
  attended: boolean
  /** Runs the whole agent in the sandbox. */
  sandbox: boolean
  /** Asks the person at the terminal, where one sits there. */
  ask?: AskInline
  /** Takes what a person says from elsewhere, such as the dashboard. */
  onWord?(word: HostedWord): void
}

export interface Chat {
  session: AgentSession
  backend: Backend
  ports: SessionPorts
  title: string
  /** Why Baton's rules do not decide here, where they do not. */
  alone: string | undefined
  /** The whole agent runs in the sandbox. */
  sandbox: boolean
}

export const sessionPorts = (io: Io): SessionPorts => ({
  files: systemAppendFiles,
  clock: systemClock,
  ids: systemIds,
  home: folderOf(io).dir,
})

/** Starts the agent and a session in the current folder, with Baton's rules in force. */
export async function openChat(io: Io, order: ChatOrder): Promise<Chat> {
  const launches = launchesOf(order.agent)
  const launch = launches.acp?.()
  if (!launch)
    throw new BatonError('missing_tool', `${launches.agent} cannot be hosted`, {
      remedy: `Start it directly: ${launches.interactive({}).program}`,
    })
  const folder = folderOf(io)
  const { onWord } = order
  const alone = order.sandbox ? await requireDaemon(io) : await daemonThere(io)
  const host: { backend?: Backend } = {}
  const { agent } = launches
  const contained = order.sandbox ? await containAgent(agent, launch, io) : undefined
  const ear = reactThroughDaemon(folder, {
    agent,
    sandbox: contained?.sandbox,
    cwd: io.cwd,
    attended: order.attended,
    pid: () => host.backend?.pid,
  })
  const consent = consentBy(ear, io.cwd, order.ask)
  const program = await hostedProgram({ agent, launch, cwd: io.cwd, env: io.env, consent }, contained)
  const backend = mirrored(reportingBackend(program, ear, io.cwd, daemonAside(folder, agent)), {
    clock: systemClock,
    timers: systemTimers,
    tell: (nativeSession, news) =>
      callDaemon(folder, 'POST', '/api/hosted/conversation', TOLD_MS, {
        body: { agent, nativeSession, news },
      }),
    ...(onWord
      ? {
          attend: (nativeSession, over) =>
            followRemoteMessages(folder, { agent, nativeSession }, over, onWord),
        }
      : {}),
  })
  host.backend = backend
  const ports = sessionPorts(io)
  const root = findWorktreeRoot(io.cwd)
  const writer = new HandoffWriter({
    evidence: { git: systemGit, files: systemFiles, readTest },
    files: await handoffFiles(io),
    reader: piReader,
    workOf: workIn,
    // The receiver of the next session's start knows what it continues, and does not send it the document again.
    beforeDelivery: ({ root: project, session: from }, document) =>
      new HandoffMemory(systemSmallFiles, folder.dir).await(project, {
        document,
        from,
        fromAgent: agent,
        toldTo: agent,
      }),
  })
  const manager = SessionManager.create(ports, io.cwd)
  const session = new AgentSession({
    manager,
    backend,
    writer,
    clock: systemClock,
    timers: systemTimers,
    root,
  })
  return { session, backend, ports, title: launches.agent, alone, sandbox: order.sandbox }
}

async function hostedProgram(order: HostOrder, contained: ContainedAgent | undefined): Promise<Backend> {
  if (!contained) return await hostAgent({ ...order, version: VERSION })
  const { launch, began, ended } = contained
  try {
    return await hostAgent({ ...order, version: VERSION, launch, began, ended })
  } catch (cause) {
    await ended()
    throw cause
  }
}

/** Only a daemon can prepare the sandbox. */
async function requireDaemon(io: Io): Promise<undefined> {
  await ensureDaemon(folderOf(io), io)
}

/** The daemon holds the rules; where it cannot be started, the person at the terminal has to do. */
async function daemonThere(io: Io): Promise<string | undefined> {
  try {
    const folder = folderOf(io)
    await ensureDaemon(folder, io)
    return undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const AGAIN_MS = 3000

/** Follows what a person says to a session from elsewhere, also over restarts of the daemon, until `over`. */
async function followRemoteMessages(
  folder: StateFolder,
  session: { agent: string; nativeSession: string },
  over: AbortSignal,
  take: (word: HostedWord) => void,
): Promise<void> {
  const path = `/api/hosted/words?${new URLSearchParams(session)}`
  while (!over.aborted) {
    await followDaemon(folder, path, over, data => {
      const word = wordIn(data)
      if (word && !over.aborted) take(word)
    }).catch(() => {})
    await pause(AGAIN_MS, undefined, { signal: over, ref: false }).catch(() => {})
  }
}

function wordIn(data: string): HostedWord | undefined {
  try {
    return HostedWord.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
