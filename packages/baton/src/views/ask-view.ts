import type { Ask } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { hookFiles } from '../adapters/agents/hook-files.ts'
import { findBareRepository } from '../adapters/system/bare-repository.ts'
import { hasDashNames } from '../adapters/system/dash-names.ts'
import { realpath } from '../adapters/system/realpath.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import type { Environment } from '../config/places.ts'
import { eventOf, subjectOf, type ToolEvent } from '../permission/ask-for.ts'
import { judgeCall } from '../permission/requests.ts'
import { rulesInForce } from '../permission/rules-in-force.ts'
import type { Store } from '../ports/store.ts'

interface AskViewParts {
  store: Store
  config: ConfigKeeper
  env: Environment
  home: string
  stateDir: string
}

/** An ask with the whole of what would run, and what the rules say about each part of it. */
export function askViews({
  store,
  config,
  env,
  home,
  stateDir,
}: AskViewParts): (ask: Ask) => Promise<AskView> {
  const hooks = hookFiles(home, env)
  return async ask => {
    const { session, project } = ask.facts
    const event =
      session && ask.kind === 'permission' ? await toolEventOf(eventOf(ask), session, store) : undefined
    if (!event || project === undefined) return { ask, subject: ask.detail }
    const { config: settings } = await config.get(project)
    const place = { worktree: project, home }
    const judgement = judgeCall(
      event,
      rulesInForce(settings, place),
      { ...place, guarded: { folders: [stateDir], ports: [], pids: [], hooks } },
      { realpath, hasDashNames, findBareRepository },
    )
    return { ask, subject: subjectOf(event), judgement }
  }
}

async function toolEventOf(id: string, session: string, store: Store): Promise<ToolEvent | undefined> {
  for (const type of ['ToolRequested', 'PermissionAsked']) {
    const entries = await store.entries({ session, type, order: 'desc', limit: 200 })
    for (const { body } of entries) {
      if (body.kind !== 'event' || body.event.id !== id) continue
      if (body.event.type === 'ToolRequested' || body.event.type === 'PermissionAsked') return body.event
    }
  }
  return undefined
}
