import type { Config } from '@batonpass/contract/config'
import type { PermissionJudgement, PermissionRule } from '@batonpass/contract/permission'
import { hookFiles } from '../adapters/agents/hook-files.ts'
import { findBareRepository } from '../adapters/system/bare-repository.ts'
import { hasDashNames } from '../adapters/system/dash-names.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { stateDir } from '../config/places.ts'
import { problemLine } from '../config/problem.ts'
import type { ToolEvent } from '../permission/ask-for.ts'
import type { GrantsInForce } from '../permission/grants/grants-in-force.ts'
import { judge } from '../permission/judge.ts'
import { judgeCall } from '../permission/requests.ts'
import { rulesInForce } from '../permission/rules-in-force.ts'
import { type Io, paint } from './io.ts'

/** Judges as the daemon would in a project, by rules alone. */
export interface LocalJudge {
  tool(request: { tool: string; input: unknown; cwd: string; grants?: GrantsInForce }): PermissionJudgement
  call(event: ToolEvent): PermissionJudgement
}

export function localJudge(
  config: Config,
  worktree: string,
  io: Io,
  allow: readonly PermissionRule[] = [],
): LocalJudge {
  const permissions = { ...config.permissions, allow: [...config.permissions.allow, ...allow] }
  const rules = rulesInForce({ ...config, permissions }, { worktree, home: io.home })
  const place = { worktree, home: io.home, guarded: guardedBy(config, io) }
  const paths = { realpath, hasDashNames, findBareRepository }
  return {
    tool: request => {
      const branch = request.grants?.grants.find(grant => grant.branch)?.branch
      return judge({ ...request, ...place, ...(branch ? { branch } : {}) }, rules, paths)
    },
    call: event => judgeCall(event, rules, place, paths),
  }
}

/** What of Baton's own no agent may touch. */
export function guardedBy({ daemon: { port } }: Pick<Config, 'daemon'>, { env, home }: Io) {
  return {
    folders: [stateDir(env, home)],
    ports: port === 0 ? [] : [port],
    pids: [],
    hooks: hookFiles(home, env),
  }
}

export function configOf(project: string, io: Io): Promise<LoadedConfig> {
  const places = { project, env: io.env, home: io.home, stateDir: stateDir(io.env, io.home) }
  return loadConfig(places, { files: systemFiles })
}

/** A rule that was not understood does not count: the caller must know about it. */
export function warnOf({ problems }: LoadedConfig, io: Io): void {
  for (const problem of problems) io.stderr.write(`${paint(io)('red', 'error:')} ${problemLine(problem)}\n`)
}
