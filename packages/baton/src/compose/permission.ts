import type { Grant } from '@batonpass/contract/grant'
import type { SessionId } from '@batonpass/contract/ids'
import { hookFiles } from '../adapters/agents/hook-files.ts'
import { gitGrantFacts } from '../adapters/git/grant-facts.ts'
import { gitUnnamedWrites } from '../adapters/git/unnamed-writes.ts'
import { findBareRepository } from '../adapters/system/bare-repository.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { hasDashNames } from '../adapters/system/dash-names.ts'
import { fileKind } from '../adapters/system/file-kind.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import type { Environment } from '../config/places.ts'
import { printable } from '../config/problem.ts'
import type { ToolEvent } from '../permission/ask-for.ts'
import { readGrantsInForce } from '../permission/grants/grants-in-force.ts'
import { isGuarded } from '../permission/paths/protected.ts'
import type { PermissionPorts } from '../permission/ports.ts'
import { permissionReactor } from '../permission/reactor.ts'
import { type ActiveWorkflow, rulesInForce, rulesKeeper } from '../permission/rules-in-force.ts'
import type { ReactionContext, Reactor } from '../ports/reactor.ts'

export interface PermissionParts {
  asks: Asks
  home: string
  env: Environment
  /** Baton's own state folder and port; agents may not access them. */
  stateDir: string
  port(): number | undefined
  workflowOf(
    context: ReactionContext,
  ): Promise<(ActiveWorkflow & { issue?: number | undefined; grant?: Grant | undefined }) | undefined>
  /** Grants of other jobs of the session, such as a claim. */
  grantsOf?(context: ReactionContext): Promise<Grant | readonly Grant[]>
  useGrant(session: SessionId, call: string): Promise<void>
  snapshot: PermissionPorts['snapshot']
  sandbox: PermissionPorts['sandbox']
  model: PermissionPorts['model']
  write: PermissionPorts['write']
  fault: PermissionPorts['fault']
  /** Removes secrets from a text. */
  redact(text: string): string
  /** The folder of the permission log: BATON_HOME, or the project. */
  logRoot(project: string): string
}

/** Builds the permission chain. */
export function composePermission(parts: PermissionParts): Reactor {
  const rules = rulesKeeper()
  const asked = new WeakMap<ReactionContext, ReturnType<PermissionParts['workflowOf']>>()
  // Look the workflow up once for each event, however many links of the chain need it.
  const workflowOf = async (context: ReactionContext) => {
    if (!mayHaveJobs(context)) return undefined
    const known = asked.get(context) ?? parts.workflowOf(context)
    asked.set(context, known)
    return known
  }
  const grantsOf = async (context: ReactionContext) =>
    mayHaveJobs(context) ? [(await parts.grantsOf?.(context)) ?? []].flat() : []
  const guarded = {
    folders: [parts.stateDir],
    get ports() {
      const port = parts.port()
      return port === undefined ? [] : [port]
    },
    pids: [process.pid],
    hooks: hookFiles(parts.home, parts.env),
  }
  return permissionReactor({
    asks: parts.asks,
    home: parts.home,
    guarded,
    paths: { realpath, hasDashNames, findBareRepository },
    rules: async (context, besides) => {
      const place = { worktree: context.project, home: parts.home }
      const workflow = await workflowOf(context)
      if (!besides) return rules(context.config, place, workflow)
      const { permissions } = context.config
      const allow = [...permissions.allow, ...besides]
      return rulesInForce({ ...context.config, permissions: { ...permissions, allow } }, place, workflow)
    },
    redact: parts.redact,
    grants: {
      inForce: async (event, context) => {
        const own = (await workflowOf(context))?.grant
        const grants = [own ?? [], await grantsOf(context)].flat()
        const isBrokered = context.brokered !== undefined
        const call = { folder: folderOf(event, context), command: commandOf(event), isBrokered }
        return await readGrantsInForce(grants, call, { facts: gitGrantFacts, realpath, fileKind })
      },
      use: (event, { session }) => parts.useGrant(session.id, event.toolUseId ?? ''),
    },
    ownBranch: async context => {
      const { issue, grant } = (await workflowOf(context)) ?? {}
      const named = grant?.branch ?? (issue === undefined ? undefined : `issue-${issue}`)
      return named ?? (await grantsOf(context)).find(({ branch }) => branch)?.branch
    },
    snapshot: parts.snapshot,
    sandbox: parts.sandbox,
    model: parts.model,
    bringsGuarded: (project, commands) =>
      gitUnnamedWrites.mayChange(project, commands, path => isGuarded(path, guarded)),
    write: parts.write,
    fault: parts.fault,
    debug: (context, line) => debugLine(parts.logRoot(context.project), context, parts.redact(line)),
    clock: systemClock,
    ids: systemIds,
  })
}

/** Any process in the sandbox of a whole agent could have begun a run with a forged prompt, so none lets anything out. */
const mayHaveJobs = ({ brokered }: ReactionContext): boolean => brokered !== 'whole-agent'

const commandOf = ({ action }: ToolEvent): string | undefined =>
  action.kind === 'shell' ? action.command : undefined

const folderOf = ({ action, cwd }: ToolEvent, { project }: ReactionContext): string =>
  (action.kind === 'shell' ? action.cwd : undefined) ?? cwd ?? project

const LOG = '.tmp/hooked-sessions/permission.txt'

async function debugLine(root: string, { session, now }: ReactionContext, line: string): Promise<void> {
  const at = new Date(now).toISOString().slice(0, 19)
  await systemSmallFiles.append(root, LOG, `${printable(`[${at}] [${session.nativeSession}] ${line}`)}\n`)
}
