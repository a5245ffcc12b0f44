import { readFileSync } from 'node:fs'
import { agents } from '../adapters/agents/agent-list.ts'
import type { Environment } from '../config/places.ts'
import type { Reactor } from '../ports/reactor.ts'

/** Says at the first session of an agent in a project that another system's hooks run as well. */
export function foreignHooksReactor({ home, env }: { home: string; env: Environment }): Reactor {
  const told = new Set<string>()
  return {
    name: 'session',
    async react(event, { project }) {
      if (event.type !== 'SessionStarted' || event.subagent) return undefined
      const key = `${event.agent} ${project}`
      if (told.has(key)) return undefined
      told.add(key)
      const agent = agents.find(({ adapter }) => adapter.name === event.agent)
      const found = agent?.foreignHooks?.({ home, env, project }, readText) ?? []
      if (found.length === 0) return undefined
      const lines = found.map(
        ({ system, path, effect }) => `${path} has hooks of ${system}. As long as both run, ${effect}.`,
      )
      return { now: { notice: `${lines.join(' ')} To remove them: baton import --hooks` } }
    },
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
