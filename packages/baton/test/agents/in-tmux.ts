import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installAgent } from '../world/agents/install.ts'
import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { type Model, type ModelRequest, startModel } from '../world/model.ts'
import type { Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'

/** One session of a real agent that `baton run` started in a tmux of its own. */
export interface InTmux extends AsyncDisposable {
  agent: RealAgent
  model: Model
  home: AgentHome
  baton: BatonHere
  screen(): string
  /** Keys as a person presses them, by tmux's names. */
  press(...keys: string[]): void
  /** Pastes a prompt, and presses Enter once the prompt line shows all of it. */
  submit(prompt: string): Promise<void>
  evidence(): Promise<string>
}

export interface TmuxOrder {
  rules: string
  prompt: string
  answers(request: ModelRequest): Turn
  /** What the home and the project need before the start. */
  prepare?(home: AgentHome): void
  env?: Record<string, string>
  /** The whole agent in the sandbox. */
  sandbox?: boolean
  /** Instead of the agent's usual ones. */
  args?: readonly string[]
}

export async function startedInTmux(agent: RealAgent, order: TmuxOrder): Promise<InTmux> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModel([agent.dialect]))
  const home = stack.use(await agentHome(agent, model))
  const baton = stack.use(batonIn(home.path, home.project))
  baton.configure(order.rules)
  await baton.must('init', '--agent', agent.name)
  model.script(() => true, order.answers)
  order.prepare?.(home)
  const bin = join(home.path, 'bin')
  mkdirSync(bin)
  symlinkSync(await installAgent(agent.name), join(bin, agent.name === 'claude-code' ? 'claude' : agent.name))
  const env = {
    ...home.env(),
    ...order.env,
    PATH: [bin, dirname(process.execPath), home.env().PATH].join(':'),
    TMUX_TMPDIR: home.path,
  }
  const socket = join(home.path, `tmux-${process.getuid?.()}`, 'default')
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  stack.defer(async () => {
    // Some outlive their terminal.
    await baton.run(['kill', 'tried'])
    try {
      tmux('kill-server')
    } catch {
      // Gone already.
    }
  })
  const extra = (order.args ?? agent.interactive ?? []).flatMap(argument => [`--arg=${argument}`])
  const inside = order.sandbox ? ['--sandbox'] : []
  const words = ['run', '--agent', agent.name, ...inside, '--title', 'tried', ...extra, '--', order.prompt]
  const ran = await baton.run(words, { env })
  if (ran.code !== 0) throw new Error(`baton ${words.join(' ')}\n${ran.stdout}${ran.stderr}`)
  const screen = () => tmux('capture-pane', '-p', '-t', '=tried:').replaceAll(/\n\s*\n+/g, '\n')
  const press = (...keys: string[]) => void tmux('send-keys', '-t', '=tried:', ...keys)
  const evidence = async () => `${screen()}\n${await baton.must('logs', '--lines', '20')}\n${model.summary()}`
  const held = stack.move()
  return {
    agent,
    model,
    home,
    baton,
    screen,
    press,
    // Not as keys: Codex takes the first of them at once and holds back the rest, and an Enter that comes in between chooses
    // from the list that it opens for `/p`.
    async submit(prompt) {
      const isShown = () => screen().includes(`› ${prompt}`)
      const patience = { timeout: 120_000, evidence }
      tmux('set-buffer', '-b', 'prompt', '--', prompt)
      tmux('paste-buffer', '-p', '-d', '-b', 'prompt', '-t', '=tried:')
      await until(isShown, { what: `the prompt line to show ${prompt}`, ...patience })
      const isTaken = () => !isShown()
      const enter = () => {
        press('Enter')
        return until(isTaken, { what: 'the Enter', timeout: 10_000 }).catch(() => undefined)
      }
      await until(enter, { what: `${prompt} to leave the prompt line`, ...patience })
    },
    evidence,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}
