import { BatonError } from '@batonpass/contract/errors'
import type { AgentAdapter, HookPoint, InstallTarget } from '../../ports/agent.ts'
import { hookArguments } from './hook-command.ts'
import { type HookLayout, ourEntries, withHooks, withoutHooks } from './settings-file.ts'

export type Place = Omit<InstallTarget, 'launcher' | 'waitSeconds'>

/** How one agent keeps hooks in a settings file. */
export interface SettingsPlan {
  agent: string
  title: string
  hooks: readonly HookPoint[]
  layout: HookLayout
  path(place: Place): string
  entry(point: HookPoint, target: InstallTarget): Record<string, unknown>
}

/** Install, uninstall and installed for an agent whose hooks are entries of a JSON file. */
export function settingsInstall(
  plan: SettingsPlan,
): Pick<AgentAdapter, 'install' | 'uninstall' | 'installed'> {
  const { agent, hooks, layout } = plan
  return {
    install(target, read) {
      refuseLocal(plan.title, target)
      const path = plan.path(target)
      const before = read(path)
      const wanted = new Map(hooks.map(point => [point.event, plan.entry(point, target)]))
      const after = withHooks({ path, text: before }, layout, wanted)
      return after === before ? [] : [{ path, before, after }]
    },
    uninstall(target, read) {
      const path = plan.path(target)
      const before = read(path)
      const after = withoutHooks({ path, text: before }, layout)
      return after === before ? [] : [{ path, before, after }]
    },
    installed(target, read) {
      const path = plan.path(target)
      const found = ourEntries({ path, text: read(path) }, layout)
      if (found.size === 0) return 'no'
      const current = hooks.every(({ event }) =>
        JSON.stringify(found.get(event) ?? null).includes(` ${hookArguments(agent, event, target.scope)}"`),
      )
      return current && found.size === hooks.length ? 'yes' : 'stale'
    },
  }
}

/** Only Claude Code has settings that are private to a person in one project. */
export function refuseLocal(title: string, { scope }: Pick<Place, 'scope'>): void {
  if (scope !== 'local') return
  throw new BatonError('usage', `${title} has no private settings for one project.`, {
    remedy: 'Install for the user or for the project.',
  })
}

/** In seconds. A hook that may wait for a person gets a margin to answer by itself before the agent gives up on it. */
export function timeoutSeconds({ waits, seconds }: HookPoint, { waitSeconds }: InstallTarget): number {
  return waits ? Math.ceil(waitSeconds) + 15 : (seconds ?? 10)
}
