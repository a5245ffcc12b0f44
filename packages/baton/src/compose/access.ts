import { existsSync } from 'node:fs'
import type { Config } from '@batonpass/contract/config'
import { SessionId } from '@batonpass/contract/ids'
import { isClosedAddress, namesLoopback } from '../adapters/proxy/addresses.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { realpath } from '../adapters/system/realpath.ts'
import type { Asks } from '../ask/asks.ts'
import { addProjectAccess } from '../config/add-project-access.ts'
import type { Blocked, Target } from '../ports/network.ts'
import {
  type Access,
  hostName,
  parseAccess,
  type SessionSettings,
  sessionSettings,
} from '../sandbox/access/access.ts'
import { answerLine, blockedLine } from '../sandbox/access/access-lines.ts'
import { AccessRequests } from '../sandbox/access/access-requests.ts'
import type { BrokerParts } from '../sandbox/broker/brokered-call.ts'
import type { Ground } from './ground.ts'

/** What a session's commands may use in addition to its settings, because a person said so. */
export interface SandboxAccess {
  request(
    ...call: [...Parameters<BrokerParts['requestAccess']>, isRegistry: (target: Target) => boolean]
  ): ReturnType<BrokerParts['requestAccess']>
  /** The line for a command that was blocked. With `asks` the person is asked once; without, only on request. */
  lineFor(session: string, blocked: Blocked, asks: boolean): string | undefined
  grantedHosts(session: string): readonly string[]
  settingsFor(
    session: string,
    about: { config: Pick<Config, 'sandbox'>; project: string },
  ): Promise<SessionSettings>
  end(session: string): void
}

export function composeAccess(
  { home, sessions, config, fault }: Ground,
  {
    asks,
    ownPorts,
    borrowedBy,
  }: {
    asks: Asks
    ownPorts(): readonly number[]
    /** Folders that a clone of the fleet borrows objects from. */
    borrowedBy(project: string): Promise<readonly string[]>
  },
): SandboxAccess {
  const requests = new AccessRequests({
    asks,
    async factsOf(session) {
      const known = await sessions.find(session)
      if (!known?.project) return undefined
      const { agent, nativeSession, project } = known
      return { session: SessionId.parse(session), agent, nativeSession, project }
    },
    async remember(project, access) {
      await addProjectAccess(home, project, entryOf(access), systemFiles)
      await config.refresh()
    },
    fault,
    clock: systemClock,
  })
  return {
    async request(session, { kind, name, methods }, signal, isRegistry) {
      const worktree = realpath((await sessions.find(session))?.project ?? '/')
      const parsed = parseAccess(kind, name, methods, {
        worktree,
        home: realpath(home),
        ownPorts: ownPorts(),
        namesThisMachine: namesLoopback,
        isClosed: isClosedAddress,
        isRegistry,
        findReal: path => (existsSync(path) ? realpath(path) : undefined),
      })
      if ('error' in parsed) return { isGranted: false, line: parsed.error }
      const state = await requests.request(session, parsed, signal)
      return { isGranted: state === 'granted', line: answerLine(parsed, state) }
    },
    lineFor(session, { target, method }, asks) {
      if (!target || namesLoopback(target.host)) return undefined
      const access: Access = { kind: 'host', name: hostName(target, method) }
      return blockedLine(access, asks ? requests.noteBlocked(session, access) : 'unasked')
    },
    grantedHosts: session =>
      requests.granted(session).flatMap(({ kind, name }) => (kind === 'host' ? [name] : [])),
    async settingsFor(session, about) {
      await requests.load(session)
      const borrowed = await borrowedBy(about.project)
      return sessionSettings(about, { home, realpath }, requests.granted(session), borrowed)
    },
    end: session => requests.end(session),
  }
}

function entryOf({ kind, name }: Access) {
  if (kind === 'port') return { key: 'ports', value: Number(name) } as const
  return { key: kind === 'host' ? 'hosts' : 'readable', value: name } as const
}
