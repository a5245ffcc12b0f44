import { existsSync, readFileSync } from 'node:fs'
import { agents } from '../adapters/agents/agent-list.ts'
import type { Environment } from '../config/places.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { News } from '../ports/channel.ts'
import type { Reactor } from '../ports/reactor.ts'

interface Parts {
  home: string
  env: Environment
  tell(news: News): Promise<void>
}

/** Tells the person when Baton's hooks are removed from an agent's settings while a session of it runs. */
export function removedHooksReactor({ home, env, tell }: Parts): Reactor {
  return {
    name: 'session',
    async react(event, { project, source }) {
      if (event.type !== 'SettingsChanged') return undefined
      // A plugin's hooks are in no settings file.
      if (source === undefined || source === 'plugin' || source === 'manual') return undefined
      const adapter = agents.find(each => each.adapter.name === event.agent)?.adapter
      if (!adapter || adapter.scopes.some(scope => isThere(adapter, { home, env, project, scope })))
        return undefined
      const where = event.path ?? `the ${source} settings`
      const text = `Baton's hooks were removed from ${where}. From now on, Baton may not see what ${adapter.title} does in ${project}, and decides nothing there. To put them back: baton init --agent ${adapter.aliases[0] ?? adapter.name}${source === 'user' ? '' : ` --scope ${source}`}`
      void tell({ project, session: event.session, kind: 'trouble', text: `⚠️ ${text}` })
      return { now: { notice: text } }
    },
  }
}

/** If Baton cannot read the file, someone may be writing it: the next change comes with another event. */
function isThere(adapter: AgentAdapter, target: Parameters<AgentAdapter['installed']>[0]): boolean {
  try {
    return adapter.installed(target, textOf) !== 'no'
  } catch {
    return true
  }
}

const textOf = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined
