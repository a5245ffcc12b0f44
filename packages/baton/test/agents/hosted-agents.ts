import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { launchesOf } from '../../src/adapters/agents/launches.ts'
import { hostable } from '../world/agents/hostable.ts'
import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { startTerminal, type Terminal } from '../world/agents/tmux.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { type ModelRequest, startModel } from '../world/model.ts'
import { hold, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

const RULES = `permission:
  undo: false
permissions:
  allow:
    - pattern: '^touch allowed\\.txt$'
  deny:
    - pattern: '^touch denied\\.txt$'
      reason: the scenario says no
  ask:
    - pattern: '^touch asked\\.txt$'
`

/**
 * `baton chat` with the agent behind the Agent Client Protocol and without its hooks: the rules decide about its calls, a
 * question is answered from elsewhere with `baton allow`, and Escape stops a reply.
 */
export async function chatWithHostedAgent(agent: RealAgent): Promise<string | undefined> {
  if (!launchesOf(agent.name).acp) return 'it does not speak the protocol'
  await using model = await startModel([agent.dialect])
  await using home = await agentHome(agent, model)
  await using baton = batonIn(home.path, home.project)
  baton.configure(RULES)
  const there = (name: string) => existsSync(join(home.project, name))
  const held = hold()
  const shell = (command: string) => agent.hostedShell?.(command) ?? agent.shell(command)
  const said = (words: string) => (request: ModelRequest) => request.lastText.includes(words)
  model.script(said('make ALLOWED'), () => shell('touch allowed.txt'))
  model.script(said('make DENIED'), () => shell('touch denied.txt'))
  model.script(said('make ASKED'), () => shell('touch asked.txt'))
  model.script(said('and on'), () => say('Seen it.'))
  model.script(said('never end'), () => say('too late', { gate: held.gate }))
  model.script(
    () => true,
    () => say('Seen it.'),
  )
  await using terminal = await startTerminal({
    command: [process.execPath, CLI, 'chat', '--agent', agent.name],
    cwd: home.project,
    env: { ...home.env(), ...(await hostable(agent.name)) },
    evidence: model.summary,
    tellsExit: true,
  })
  await terminal.waitForScreen(/\/help shows the commands/, { timeout: agent.patience ?? 90_000 })
  let replies = 0
  const tell = async (words: string) => {
    await terminal.type(words)
    await terminal.press('Enter')
  }
  const replied = async () => {
    replies++
    await terminal.waitForScreen(
      screen => screen.split('Seen it.').length > replies && /\n> *$/.test(screen.trimEnd()),
      { timeout: 120_000, what: `reply ${replies}` },
    )
  }
  await tell('make ALLOWED')
  await replied()
  if (!there('allowed.txt')) return 'what the rules allow did not run'
  await tell('make DENIED')
  await replied()
  if (there('denied.txt')) return 'what the rules refuse ran'
  await tell('make ASKED')
  const ask = await openAsk(baton, terminal)
  if (there('asked.txt')) return 'it ran before somebody answered'
  await allow(ask, home)
  await replied()
  if (!there('asked.txt')) return 'what a person allowed did not run'
  await tell('never end')
  await model.waitForRequest(said('never end'), { timeout: 120_000 })
  await terminal.press('Escape')
  await terminal.waitForScreen(/Stopped/, { timeout: 120_000 })
  held.release()
  await tell('and on')
  await replied()
  await terminal.press('C-d')
  const code = await terminal.waitForExit({ timeout: 120_000 })
  if (code !== 0) return `it ended with ${code}`
  const decided = (await baton.entries({ kind: 'decision' })).flatMap(({ body }) =>
    body.kind === 'decision' ? `${body.decision} by ${body.by}` : [],
  )
  const wanted = ['allow by rules', 'deny by rules', 'allow by person']
  return decided.join() === wanted.join() ? undefined : `the decisions were: ${decided.join(', ')}`
}

/** As a person does, in a terminal of their own. */
async function allow(ask: string, home: AgentHome): Promise<void> {
  const command = [process.execPath, CLI, 'allow', ask]
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, TERM: 'xterm-256color' }
  await using terminal = await startTerminal({ command, cwd: home.project, env, tellsExit: true })
  const code = await terminal.waitForExit({ timeout: 120_000 })
  if (code !== 0) throw new Error(`baton allow ended with ${code}\n${await terminal.history()}`)
}

const openAsk = (baton: BatonHere, terminal: Terminal): Promise<string> =>
  until(
    async () => {
      const asks = await baton.asks()
      return asks.find(({ state }) => state === 'open')?.id
    },
    { what: 'a question to a person', timeout: 120_000, every: 300, evidence: terminal.history },
  )
