import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentAdapter, HookPoint, InstallTarget } from '../../../ports/agent.ts'
import { hookArguments, hookCommand, runsLauncher } from '../hook-command.ts'
import { type HookLayout, ourEntries, withHooks, withoutHooks } from '../settings-file.ts'
import { hooks } from './hooks.ts'

type Place = Omit<InstallTarget, 'launcher' | 'waitSeconds'>

export const install: AgentAdapter['install'] = (target, read) => {
  const path = hooksPath(target)
  const before = read(path)
  const wanted = new Map(hooks.map(point => [point.event, entry(point, target)]))
  const after = withHooks({ path, text: before }, layout, wanted)
  return after === before ? [] : [{ path, before, after }]
}

export const uninstall: AgentAdapter['uninstall'] = (target, read) => {
  const path = hooksPath(target)
  const before = read(path)
  const after = withoutHooks({ path, text: before }, layout)
  return after === before ? [] : [{ path, before, after }]
}

/** `stale`: our hooks are there, but not for every event, or not as this version calls them. */
export const installed: AgentAdapter['installed'] = (target, read) => {
  const path = hooksPath(target)
  const found = ourEntries({ path, text: read(path) }, layout)
  if (found.size === 0) return 'no'
  const current = hooks.every(({ event }) =>
    JSON.stringify(found.get(event) ?? null).includes(` ${hookArguments('cursor', event, target.scope)}"`),
  )
  return current && found.size === hooks.length ? 'yes' : 'stale'
}

function entry(point: HookPoint, target: InstallTarget): Record<string, unknown> {
  return {
    command: hookCommand(target, 'cursor', point.event),
    // In seconds; the margin lets the launcher give its safe answer before Cursor continues without one.
    timeout: point.waits ? Math.ceil(target.waitSeconds) + 15 : (point.seconds ?? 10),
    // Without the launcher nothing runs. A committed file would lock out colleagues who have no Baton.
    ...(point.waits && target.scope === 'user' ? { failClosed: true } : {}),
    // Baton bounds the continuations itself.
    ...(point.event === 'stop' ? { loop_limit: null } : {}),
  }
}

const layout: HookLayout = {
  entries: 'flat',
  ours: (_event, hook) =>
    typeof hook === 'object' && hook !== null && 'command' in hook && runsLauncher(hook.command),
  beside: { key: 'version', value: 1 },
}

/** The settings file of that scope. */
export function hooksPath({ scope, project, home }: Place): string {
  if (scope === 'local') {
    throw new BatonError('usage', 'Cursor has no private settings for one project.', {
      remedy: 'Install for the user or for the project.',
    })
  }
  return join(scope === 'user' ? home : project, '.cursor', 'hooks.json')
}
