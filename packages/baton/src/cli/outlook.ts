import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import type { EventOf } from '@batonpass/contract/event'
import { EventId, SessionId } from '@batonpass/contract/ids'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import { sandboxingOf } from '../adapters/agents/registry.ts'
import { gitSnapshots } from '../adapters/git/snapshot.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { namesIn, readText } from '../adapters/system/read-text.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { stateDir } from '../config/places.ts'
import { cwdOf, type ToolEvent } from '../permission/ask-for.ts'
import type { ChainSettings } from '../permission/chain.ts'
import { chainSettings } from '../permission/chain-settings.ts'
import { containmentPlace, whyOutside } from '../permission/containment.ts'
import { decideCommand } from '../permission/decide-command.ts'
import { type CallContext, type LinkPorts, takeSnapshot, walkTo } from '../permission/links.ts'
import { brokerFor, ownerOfRules } from '../permission/own-rules.ts'
import { isGuarded } from '../permission/paths/protected.ts'
import type { Decided } from '../permission/record.ts'
import { canRunInside, type SandboxLink } from '../permission/sandbox-link.ts'
import { foretellSnapshot } from '../permission/snapshotted.ts'
import type { RulePlace } from '../ports/agent.ts'
import { sessionSettings } from '../sandbox/access/access.ts'
import { whyNoBoundary } from '../sandbox/plan.ts'
import { Undo } from '../undo/undo.ts'
import { type Io, printable } from './io.ts'
import { guardedBy } from './local-judge.ts'
import type { SandboxHere } from './local-sandbox.ts'

export interface Outlook {
  decision: 'allow' | 'deny' | 'ask' | 'defer'
  reason: string
  /** The command would run in the sandbox. */
  sandbox?: true
  /** Why it would not, although there is one. */
  outside?: string
  /** Why no snapshot would undo it, although one is wanted. */
  noUndo?: string
}

export const decisionWords = ({ decision, sandbox }: Outlook): string =>
  sandbox ? `${decision} (in the sandbox)` : decision

export interface OutlookPlace {
  project: string
  config: Config
  /** Undefined: nothing runs in the sandbox. */
  findSandbox: (() => Promise<SandboxHere>) | undefined
  snapshot: LinkPorts['snapshot']
}

/** Looks at the worktree as it is now, but not before a command needs a snapshot, and writes nothing. */
export function snapshotNow(io: Io): LinkPorts['snapshot'] {
  const snapshots = gitSnapshots({ dir: join(stateDir(io.env, io.home), 'undo') })
  const undo = new Undo({ snapshots, clock: systemClock })
  return foretellSnapshot(project => undo.preview(project))
}

/** A recorded call ran in a worktree that has changed since: a snapshot counts as possible. */
export const snapshotThen: LinkPorts['snapshot'] = async () => ({ undo: 'N' })

/**
 * What a judged call comes to where neither a model nor a person is asked, and the agent is at a terminal. The daemon decides by
 * the same functions.
 */
export async function outlook(
  event: ToolEvent,
  judgement: PermissionJudgement,
  { project, config, findSandbox, snapshot }: OutlookPlace,
  io: Io,
): Promise<Outlook> {
  const context: CallContext = { project, config, attended: true, session: { mode: event.mode ?? 'default' } }
  const settings = chainSettings(config.permission, event, context.session.mode, false)
  // As in the daemon, the next link decides.
  const fault = (during: string, cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    io.stderr.write(`${printable(`Baton failed while ${during}: ${why}`)}\n`)
  }
  const ports = {
    snapshot,
    bringsGuarded: (folder: string, commands: readonly (readonly string[])[]) =>
      gitUnnamedWrites.mayChange(folder, commands, path => isGuarded(path, guardedBy(config, io))),
    fault,
  }
  const walkText = (judged: PermissionJudgement, settings: ChainSettings, reason?: string) =>
    walkTo(
      { event, context, judgement: judged, settings, tried: new Set(), reason },
      {
        ...ports,
        askModel: async () => undefined,
        askPerson: async why => ({ decision: 'ask', reason: why, by: 'nobody' }),
      },
    )
  const told = ({ decision, reason, by, noUndo }: Decided): Outlook => ({
    decision,
    reason: by === 'undo' ? `${judgement.reason}: stays inside the worktree and can be undone` : reason,
    ...(noUndo === undefined ? {} : { noUndo }),
  })
  const { agent, mode } = event
  if (
    event.type !== 'ToolRequested' ||
    judgement.decision === 'deny' ||
    !findSandbox ||
    !canRunInside(event, sandboxingOf(agent), mode ?? 'default', project, config)
  )
    return told(await walkText(judgement, settings))
  const sandbox = localLink(await findSandbox(), io)
  const result = await decideCommand(
    { event, context, judgement, settings, tried: new Set() },
    {
      sandbox,
      snapshot: () => takeSnapshot({ event, context, judgement }, ports),
      walkPart: walkText,
      byText: walkText,
      fault,
    },
  )
  if ('inside' in result) {
    const { inside } = result
    if (!inside.rewrite) return told(inside)
    const reason = inside.decision === 'allow' ? judgement.reason : inside.reason
    const { decision, noUndo } = inside
    return { decision, reason, sandbox: true, ...(noUndo === undefined ? {} : { noUndo }) }
  }
  const outside = await whyNotInside(event, context, judgement, sandbox)
  return { ...told(result.byText), ...(outside === undefined ? {} : { outside }) }
}

async function whyNotInside(
  event: EventOf<'ToolRequested'>,
  context: CallContext,
  judgement: PermissionJudgement,
  sandbox: SandboxLink<CallContext>,
): Promise<string | undefined> {
  if ((await sandbox.whyUnavailable()) !== undefined) return undefined
  const place = await sandbox.place(event, context)
  return whyNoBoundary(place.worktree, place.home) ?? (await whyOutside(judgement, place, sandbox.ports))
}

/** A call that no hook reported. */
export const unreportedCall = (
  call: Pick<EventOf<'ToolRequested'>, 'agent' | 'tool' | 'input' | 'action' | 'cwd' | 'mode' | 'toolUseId'>,
): EventOf<'ToolRequested'> => ({
  type: 'ToolRequested',
  id: NO_EVENT,
  at: NO_TIME,
  session: NO_SESSION,
  nativeSession: 'replayed',
  ...call,
})

// Nothing of these is looked at, recorded or sent.
const NO_EVENT = EventId.parse(`evt_${'0'.repeat(20)}`)
const NO_SESSION = SessionId.parse(`ses_${'0'.repeat(20)}`)
const NO_TIME = new Date(0).toISOString()

/** The sandbox as the daemon would use it, for commands that are only checked. */
function localLink(here: SandboxHere, io: Io): SandboxLink<CallContext> {
  const { home, env } = io
  const rulePlace = (event: EventOf<'ToolRequested'>, project: string): RulePlace => ({
    home,
    env,
    args: [],
    project,
    cwd: cwdOf(event, { project }),
    toolUseId: event.toolUseId,
    read: readText,
    names: namesIn,
    lastInTranscript: () => undefined,
  })
  return {
    takes: () => true,
    whyUnavailable: async () => (here.available ? undefined : `${here.reason} ${here.remedy}`.trim()),
    async ownRules(event, context) {
      const known = sandboxingOf(event.agent)
      if (!known || event.action.kind !== 'shell') return 'user'
      const { command } = event.action
      return ownerOfRules(
        (text, place) => known.whyOwnText(text, place),
        command,
        rulePlace(event, context.project),
      )
    },
    async askRule(event, { project }) {
      const { agent, action } = event
      if (action.kind !== 'shell') return undefined
      return sandboxingOf(agent)?.whyAsk?.(action.command, rulePlace(event, project))
    },
    place: async (event, context) => {
      const { project, config } = context
      return containmentPlace(
        {
          worktree: project,
          cwd: cwdOf(event, context),
          home,
          broker: brokerFor(event, context, sandboxingOf(event.agent)),
          hasRegistries: here.available && here.hasRegistries,
        },
        { ...config, sandbox: sessionSettings({ config, project }, { home, realpath }) },
        realpath,
      )
    },
    ports: { ...gitUnnamedWrites, exists: existsSync },
    openedHosts: () => [],
    prepare: async () => ({ ok: true, id: '', text: '' }),
    discard: async () => {},
    dialogOpened: async () => false,
  }
}
