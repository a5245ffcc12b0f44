import { join } from 'node:path'
import type { AgentAdapter, HookPoint, InstallTarget } from '../../../ports/agent.ts'
import { hookArguments, hookCommand, runsLauncher } from '../hook-command.ts'
import { ownFolder } from '../own-folder.ts'
import { type HookLayout, ourEntries, withHooks, withoutHooks } from '../settings-file.ts'
import { hooks } from './hooks.ts'
import { isHttpHook } from './http-hooks.ts'
import { withoutStatusLine, withStatusLine } from './status-line.ts'

type Place = Omit<InstallTarget, 'launcher' | 'waitSeconds'>

export const install: AgentAdapter['install'] = (target, read) => {
  const path = settingsPath(target)
  const before = read(path)
  const wanted = new Map(hooks.map(point => [point.event, group(point, handler(point, target))]))
  const line = (text: string) => (target.statusLine ? withStatusLine(text, target) : text)
  const hooked = withHooks({ path, text: before }, layout, wanted)
  if (hooked === before && line(hooked) === before && target.statusLine) return []
  // Put in last and taken out first: so each of the two gives back what it found.
  const bare = before === undefined || isBlank(before) ? before : withoutStatusLine(before)
  const after = line(withHooks({ path, text: bare }, layout, wanted))
  return after === before ? [] : [{ path, before, after }]
}

export const uninstall: AgentAdapter['uninstall'] = (target, read) => {
  const path = settingsPath(target)
  const before = read(path)
  // Read by the hooks' own reader first: it refuses what is no settings file.
  ourEntries({ path, text: before }, layout)
  const bare = before === undefined || isBlank(before) ? before : withoutStatusLine(before)
  const after = bare === undefined ? undefined : withoutHooks({ path, text: bare }, layout)
  return after === before ? [] : [{ path, before, after }]
}

const isBlank = (text: string): boolean => /^\uFEFF?\s*$/.test(text)

/** `stale`: our hooks are there, but not for every event, or not as this version calls them. */
export const installed: AgentAdapter['installed'] = (target, read) => {
  const path = settingsPath(target)
  const found = ourEntries({ path, text: read(path) }, layout)
  if (found.size === 0) return 'no'
  if (ourEntries({ path, text: read(path) }, httpOnly).size > 0) return 'exposed'
  const current = hooks.every(({ event }) => isCurrent(event, found.get(event), target))
  return current && found.size === hooks.length ? 'yes' : 'stale'
}

/** One entry of a hooks list. */
export function group({ matcher }: HookPoint, hook: Record<string, unknown>): Record<string, unknown> {
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }
}

/** In seconds. A hook that may wait for a person gets a margin to answer by itself before Claude Code gives up on it. */
export function timeoutOf({ waits, seconds }: HookPoint, waitSeconds: number): number {
  return waits ? Math.ceil(waitSeconds) + 15 : (seconds ?? 10)
}

function handler(point: HookPoint, target: InstallTarget): Record<string, unknown> {
  const command = hookCommand(target, 'claude-code', point.event)
  return { type: 'command', command, timeout: timeoutOf(point, target.waitSeconds) }
}

const layout: HookLayout = {
  entries: 'groups',
  ours(event, hook) {
    if (typeof hook !== 'object' || hook === null) return false
    return 'command' in hook ? runsLauncher(hook.command) : isHttpHook(event, hook)
  },
}

const httpOnly: HookLayout = { entries: 'groups', ours: isHttpHook }

function isCurrent(event: string, entry: unknown, { scope }: Place): boolean {
  return JSON.stringify(entry ?? null).includes(` ${hookArguments('claude-code', event, scope)}"`)
}

/** The settings file of that scope. */
export function settingsPath({ scope, project, ...own }: Place): string {
  switch (scope) {
    case 'user':
      return join(ownFolder(own, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json')
    case 'project':
      return join(project, '.claude', 'settings.json')
    case 'local':
      return join(project, '.claude', 'settings.local.json')
  }
}
