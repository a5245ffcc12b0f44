import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { driverContract } from '../../contracts/driver.contract.ts'
import { codex } from '../../world/agents/codex.ts'
import { copilot } from '../../world/agents/copilot.ts'
import { gemini } from '../../world/agents/gemini.ts'
import { installAgent } from '../../world/agents/install.ts'
import { opencode } from '../../world/agents/opencode.ts'
import { pi } from '../../world/agents/pi.ts'
import { type AgentHome, agentHome, type RealAgent } from '../../world/agents/real.ts'
import { startModel } from '../../world/model.ts'
import { say } from '../../world/turn.ts'
import { until } from '../../world/wait.ts'
import { tmuxWorld } from './world.ts'

/** A real agent whose hooks or plugin write down what it was told, in the files that its environment names. */
interface Told {
  agent: RealAgent
  /** Where its hooks or its plugin stand. */
  file: string
  /** What is to stand there, beside what stands there already. */
  write(before: string): string
  startsWithPrompt?: true
  /** Its plugin tells of the end of a turn, too. */
  tellsEnds?: true
}

const CODEX: Told = {
  agent: codex,
  file: '.codex/hooks.json',
  write: hooks('SessionStart', 'UserPromptSubmit', command => ({ hooks: [{ type: 'command', command }] })),
  startsWithPrompt: true,
}
const GEMINI: Told = {
  agent: gemini,
  file: '.gemini/settings.json',
  write: hooks('SessionStart', 'BeforeAgent', command => ({
    matcher: '*',
    hooks: [{ type: 'command', command }],
  })),
}
const COPILOT: Told = {
  agent: copilot,
  file: '.copilot/hooks/told.json',
  write: hooks('sessionStart', 'userPromptSubmitted', bash => ({ type: 'command', bash, timeoutSec: 10 })),
  startsWithPrompt: true,
}
const TELL = `import { appendFileSync } from 'node:fs'
const tell = (what, words) => appendFileSync(process.env.TOLD + '.' + what, words + '\\n')
`
const OPENCODE: Told = {
  agent: opencode,
  file: '.config/opencode/plugin/told.js',
  write: () => `${TELL}
const known = new Set()
export const Told = async () => ({
  async 'chat.message'({ sessionID }, { parts }) {
    if (!known.has(sessionID)) tell('began', 'began')
    known.add(sessionID)
    tell('prompts', JSON.stringify({ prompt: parts.map(part => part.text).join('').trimEnd() }))
  },
  async event({ event }) {
    if (event.type === 'session.idle') tell('ended', 'ended')
  },
})
`,
  startsWithPrompt: true,
  tellsEnds: true,
}
const PI: Told = {
  agent: pi,
  file: '.pi/agent/extensions/told.ts',
  write: () => `${TELL}
export default pi => {
  pi.on('session_start', () => tell('began', 'began'))
  pi.on('input', event => tell('prompts', JSON.stringify({ prompt: event.text })))
}
`,
}

// Every run has those that CI installs; with BATON_LONG=1 the others, too.
for (const told of [CODEX, PI, ...(process.env.BATON_LONG ? [GEMINI, COPILOT, OPENCODE] : [])])
  driverContract(
    `tmux with the real ${told.agent.name}`,
    () => open(told),
    Math.max(60_000, told.agent.patience ?? 0),
  )

async function open(told: Told) {
  const { agent, startsWithPrompt, tellsEnds } = told
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
            until(() => linesOf(`${fileOf(place)}.began`).length > 0, {
              what: 'its start',
              timeout: 120_000,
            }),
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
    ...(tellsEnds
      ? {
          ended: (place: string, count: number) =>
            until(() => linesOf(`${fileOf(place)}.ended`).length >= count, {
              what: `the end of turn ${count}`,
              timeout: 120_000,
            }),
        }
      : {}),
    nowhere: `%999 ${world.socket}`,
    die: async (place: string) => {
      const { pid } = await world.driver.readScreen(place, agent.name)
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

function hookUp({ file, write }: Told, home: AgentHome): void {
  const path = join(home.path, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, write(existsSync(path) ? readFileSync(path, 'utf8') : '{}'))
}

/** Settings with a hook for each of the two events. */
function hooks(began: string, prompted: string, hook: (command: string) => object) {
  return (before: string): string =>
    JSON.stringify({
      ...JSON.parse(before),
      hooks: {
        [began]: [hook('echo began >> "$TOLD.began"')],
        [prompted]: [hook('(cat; echo) >> "$TOLD.prompts"')],
      },
    })
}
