import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { layProject } from '../sandbox/everyday/fixtures.ts'
import { codex } from '../world/agents/codex.ts'
import { opencode } from '../world/agents/opencode.ts'
import { agentHome, type RealAgent } from '../world/agents/real.ts'
import { batonIn } from '../world/baton.ts'
import { startModel } from '../world/model.ts'
import { say } from '../world/turn.ts'

const SET = fileURLToPath(new URL('../sandbox/everyday/commands.jsonl', import.meta.url))
/** What asks a registry would leave this machine. */
const NEEDS_NETWORK = /^npm (?:ci|install|outdated)$/
const isLong = process.env['BATON_LONG'] === '1'

/** A Node project's part of the everyday set; without BATON_LONG one command in three. */
const COMMANDS = readFileSync(SET, 'utf8')
  .trim()
  .split('\n')
  .map(line => z.object({ group: z.string(), command: z.string() }).parse(JSON.parse(line)))
  .flatMap(({ group, command }) => (group === 'node' && !NEEDS_NETWORK.test(command) ? command : []))
  .filter((_, at) => isLong || at % 3 === 0)

test.each<[string, RealAgent]>([
  ['Codex', codex],
  ['opencode', opencode],
])(
  'a day’s commands run in the real %s with default settings and without a question',
  {
    timeout: isLong ? 1_200_000 : 420_000,
  },
  async (_, agent) => {
    await using model = await startModel([agent.dialect])
    await using home = await agentHome(agent, model)
    await using baton = batonIn(home.path, home.project)
    await layProject('node', home.repository)
    await baton.must('init', '--agent', agent.name)
    const turns = COMMANDS.map(agent.shell)
    model.script({ key: home.key }, () => turns.shift() ?? say('All done.'))
    await home.run({ prompt: 'work', timeout: isLong ? 1_000_000 : 360_000 })
    const bodies = (await baton.entries({})).map(({ body }) => body)
    expect(bodies.filter(({ kind }) => kind === 'ask' || kind === 'fault')).toEqual([])
    const decided = bodies.flatMap(body =>
      body.kind === 'decision' ? `${body.decision} by ${body.by}: ${body.subject}` : [],
    )
    expect(decided).toEqual(COMMANDS.map(command => `allow by sandbox: ${command}`))
  },
)
