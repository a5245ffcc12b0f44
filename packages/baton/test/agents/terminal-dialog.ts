import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RealAgent } from '../world/agents/real.ts'
import { say } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { startedInTmux } from './in-tmux.ts'

const RULES = `permission:
  preset: trusting
  undo: false
permissions:
  ask:
    - pattern: '^touch asked\\.txt$'
      reason: the scenario wants a person
`

/** A call that needs a person, who sits at the agent's terminal: its own dialog shows why, and yes runs the call. */
export async function checkTerminalDialog(agent: RealAgent): Promise<string | undefined> {
  await using world = await startedInTmux(agent, {
    rules: RULES,
    prompt: 'HELLO there',
    answers: ({ toolResults }) => (toolResults.length > 0 ? say('Seen it.') : agent.shell('touch asked.txt')),
  })
  const { home, baton, screen, press, evidence } = world
  const there = () => existsSync(join(home.project, 'asked.txt'))
  const patience = { timeout: agent.patience ?? 60_000, every: 300, evidence }
  const asked = () =>
    screen()
      .replaceAll(/[│┃\s]+/g, ' ')
      .includes('the scenario wants a person')
  const refused = () => screen().includes('Seen it.')
  await until(() => asked() || refused(), { what: 'its dialog with the reason', ...patience })
  if (refused()) return 'the model went on without an answer'
  if (there()) return 'it ran before somebody answered'
  await until(async () => JSON.stringify(await baton.read('/api/ps')).includes('"dialog"'), {
    what: 'the dialog in `baton ps`',
    ...patience,
  })
  // What is highlighted first is yes; it takes no key before it is drawn.
  await until(
    async () => {
      press('Enter')
      return await until(there, { what: 'the call to run', timeout: 3_000 }).catch(() => undefined)
    },
    { what: 'the call to run after a yes', ...patience },
  )
  return undefined
}
