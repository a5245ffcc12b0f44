import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { driverContract } from '../../contracts/driver.contract.ts'
import { codex } from '../../world/agents/codex.ts'
import { gemini } from '../../world/agents/gemini.ts'
import { installAgent } from '../../world/agents/install.ts'
import { type AgentHome, agentHome, type RealAgent } from '../../world/agents/real.ts'
import { startModel } from '../../world/model.ts'
import { say } from '../../world/turn.ts'
import { until } from '../../world/wait.ts'
import { tmuxWorld } from './world.ts'

/** A real agent whose hooks write down what it was told, in the file that its environment names. */
interface Told {
  agent: RealAgent
  began: string
  prompted: string
  /** Where its hooks stand, and how a command stands there. */
  file: string
  hook(command: string): object
  startsWithPrompt?: true
}

const CODEX: Told = {
  agent: codex,
  began: 'SessionStart',
  prompted: 'UserPromptSubmit',
  file: '.codex/hooks.json',
  hook: command => ({ hooks: [{ type: 'command', command }] }),
  startsWithPrompt: true,
}
const GEMINI: Told = {
  agent: gemini,
  began: 'SessionStart',
  prompted: 'BeforeAgent',
  file: '.gemini/settings.json',
  hook: command => ({ matcher: '*', hooks: [{ type: 'command', command }] }),
}

// Every run has Codex; with BATON_LONG=1 Gemini CLI, too, which CI does not install.
for (const told of process.env.BATON_LONG ? [CODEX, GEMINI] : [CODEX])
  driverContract(`tmux with the real ${told.agent.name}`, () => open(told), 60_000)

async function open(told: Told) {
  const { agent, startsWithPrompt } = told
  const world = tmuxWorld()
  const model = await startModel([agent.dialect])
  const home = await agentHome(agent, model)
  const program = await installAgent(agent.name)
  hookUp(told, home)
  const never = new Promise<void>(() => {})
  model.script(
    () => true,
    request => (/\bwork\s*$/.test(request.lastText) ? { ...say('done'), gate: never } : say('Right.')),
  )
  world.tmux('new-session', '-d', '-s', 'mine', '-x', '100', '-y', '30', 'cat')
  const idOf = (place: string) => place.split(' ')[0] ?? ''
  const fileOf = (place: string) =>
    join(home.path, world.tmux('display-message', '-p', '-t', idOf(place), '#{session_name}').trim())
  const linesOf = (file: string) =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  return {
    driver: world.driver,
    agent: agent.name,
    ...(startsWithPrompt
      ? { startsWithPrompt }
      : {
          ready: (place: string) =>
            until(() => linesOf(`${fileOf(place)}.began`).length > 0, { what: 'its start', timeout: 30_000 }),
        }),
    order: (title: string) => {
      const order = world.order(title)
      return {
        ...order,
        agent: agent.name,
        cwd: home.project,
        launch: { program, args: agent.interactive ?? [] },
        env: { ...home.env(), TOLD: join(home.path, order.title) },
      }
    },
    prompts: async (place: string) =>
      linesOf(`${fileOf(place)}.prompts`).map(line =>
        String((JSON.parse(line) as { prompt: string }).prompt),
      ),
    conversations: (place: string) => Promise.resolve(linesOf(`${fileOf(place)}.began`).length),
    nowhere: `%999 ${world.socket}`,
    die: async (place: string) => {
      const { pid } = await world.driver.look(place, agent.name)
      if (pid) process.kill(pid, 'SIGKILL')
    },
    person: async (place: string) => void world.tmux('send-keys', '-t', idOf(place), '-l', 'half a'),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await model.close()
      home.remove()
    },
  }
}

function hookUp({ began, prompted, file, hook }: Told, home: AgentHome): void {
  const path = join(home.path, file)
  const before: object = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const hooks = {
    [began]: [hook('echo began >> "$TOLD.began"')],
    [prompted]: [hook('(cat; echo) >> "$TOLD.prompts"')],
  }
  writeFileSync(path, JSON.stringify({ ...before, hooks }))
}
