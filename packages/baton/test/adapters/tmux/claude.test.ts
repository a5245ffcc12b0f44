import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { driverContract } from '../../contracts/driver.contract.ts'
import { claudeHome } from '../../world/agents/claude.ts'
import { installAgent } from '../../world/agents/install.ts'
import { startModel } from '../../world/model.ts'
import { say } from '../../world/turn.ts'
import { until } from '../../world/wait.ts'
import { tmuxWorld } from './world.ts'

/** Hooks that write down what Claude Code was told, in the file that its environment names. */
const SETTINGS = {
  hooks: {
    SessionStart: [{ hooks: [{ type: 'command', command: 'echo began >> "$TOLD.began"' }] }],
    UserPromptSubmit: [{ hooks: [{ type: 'command', command: '(cat; echo) >> "$TOLD.prompts"' }] }],
  },
}

driverContract(
  'tmux with the real Claude Code',
  async () => {
    const world = tmuxWorld()
    const home = claudeHome()
    const model = await startModel()
    const program = await installAgent('claude-code')
    const never = new Promise<void>(() => {})
    model.script({ key: home.key }, request =>
      /\bwork\s*$/.test(request.lastText) ? { ...say('done'), gate: never } : say('Right.'),
    )
    world.tmux('new-session', '-d', '-s', 'mine', '-x', '100', '-y', '30', 'cat')
    const fileOf = (place: string) =>
      join(
        home.tmp,
        world.tmux('display-message', '-p', '-t', place.split(' ')[0] ?? '', '#{session_name}').trim(),
      )
    const linesOf = (file: string) =>
      existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    return {
      driver: world.driver,
      agent: 'claude-code',
      order: title => {
        const order = world.order(title)
        return {
          ...order,
          cwd: home.project,
          launch: { program, args: ['--permission-mode', 'default', '--settings', JSON.stringify(SETTINGS)] },
          env: { ...home.env(model), TOLD: join(home.tmp, order.title) },
        }
      },
      prompts: async place =>
        linesOf(`${fileOf(place)}.prompts`).map(line =>
          String((JSON.parse(line) as { prompt: string }).prompt),
        ),
      conversations: place =>
        until(() => linesOf(`${fileOf(place)}.began`).length, { what: 'a conversation' }),
      nowhere: `%999 ${world.socket}`,
      die: async place => {
        const { pid } = await world.driver.readScreen(place, 'claude-code')
        if (pid) process.kill(pid, 'SIGKILL')
      },
      person: async place => void world.tmux('send-keys', '-t', place.split(' ')[0] ?? '', '-l', 'half a'),
      async [Symbol.asyncDispose]() {
        await world[Symbol.asyncDispose]()
        await model.close()
        home.remove()
      },
    }
  },
  60_000,
)
