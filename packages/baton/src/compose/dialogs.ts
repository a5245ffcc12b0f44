import { agents } from '../adapters/agents/agent-list.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { addRule } from '../config/add-rule.ts'
import { tilde } from '../config/user-file.ts'
import type { DialogPorts } from '../permission/reactor.ts'
import { ruleText } from '../permission/rules/rule-text.ts'
import { processReader, rulePlace } from './agent-place.ts'
import type { Ground } from './ground.ts'

/** What "don't ask again" in an agent's own dialog needs: the agent's settings, and the user's own file of Baton. */
export function composeDialogs(ground: Ground): DialogPorts {
  const processOf = processReader()
  return {
    async listedAllows(event, context) {
      const agent = agents.find(({ adapter }) => adapter.name === event.agent)
      return agent?.listedAllows?.(await rulePlace(event, context, ground, processOf)) ?? new Set()
    },
    async addRule(rule, project) {
      const day = new Date(systemClock.now()).toISOString().slice(0, 10)
      const comment = `${day}: always allowed in the agent's own dialog`
      const file = await addRule(ground.home, { rule, scope: 'project', project, comment }, systemFiles)
      await ground.config.refresh()
      return { file: tilde(file, ground.home), rule: ruleText(rule, 'project') }
    },
  }
}
