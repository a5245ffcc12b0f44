import type { AgentName } from '../world/agents/pinned.ts'
import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { type Model, type ModelRequest, startModel, textOf } from '../world/model.ts'
import { say } from '../world/turn.ts'
import { messageOf } from './check.ts'

/** What was seen of a handoff from one agent to another. */
export interface AgentHandoff {
  from: AgentName
  to: AgentName
  seen: string
}

/** Every agent works once and hands its work to each of the others, all in one home and one project. */
export async function cross(agents: readonly RealAgent[]): Promise<AgentHandoff[]> {
  await using model = await startModel([...new Set(agents.map(({ dialect }) => dialect))])
  // Declared before Baton, so that they go after it.
  await using stack = new AsyncDisposableStack()
  const homes: AgentHome[] = []
  for (const agent of agents) homes.push(stack.use(await agentHome(agent, model, homes[0])))
  const [first] = homes
  if (!first) return []
  await using baton = batonIn(first.path, first.project)
  baton.configure('permission:\n  preset: trusting\n')
  await baton.must('init', ...agents.flatMap(({ name }) => ['--agent', name]))

  const crossings: AgentHandoff[] = []
  for (const home of homes) {
    const from = home.agent.name
    const others = homes.filter(other => other !== home)
    try {
      const { task, session } = await work(home, model, baton)
      for (const other of others) {
        const to = other.agent.name
        const seen = await passOn(other, { from, task, session }, model, baton).catch(messageOf)
        crossings.push({ from, to, seen })
      }
    } catch (cause) {
      for (const { agent } of others) crossings.push({ from, to: agent.name, seen: messageOf(cause) })
    }
  }
  return crossings
}

/** A session of an agent that does something. */
async function work(
  home: AgentHome,
  model: Model,
  baton: BatonHere,
): Promise<{ task: string; session: string }> {
  const { agent } = home
  const task = `TASK-OF-${agent.name} add refresh tokens`
  let turn = 0
  model.script(asks(task), () =>
    turn++ === 0 ? agent.shell(`echo done > part-of-${agent.name}.txt`) : say('A part is there.'),
  )
  const ran = await home.run({ prompt: task })
  const events = await baton.events()
  const told = events.findLast(event => event.type === 'PromptSubmitted' && event.prompt.includes(task))
  if (!told) throw new Error(`${agent.name} did not tell of its prompt\n${ran.stdout}${ran.stderr}`)
  return { task, session: told.nativeSession }
}

/** Writes the document of a session, and begins a session of another agent with it. */
async function passOn(
  home: AgentHome,
  { from, task, session }: { from: AgentName; task: string; session: string },
  model: Model,
  baton: BatonHere,
): Promise<string> {
  await baton.must('handoff', '--json', '--session', session)
  const prompt = `FROM-${from}-TO-${home.agent.name} go on`
  model.script(asks(prompt), () => say('I go on.'))
  await home.run({ prompt })
  const told = model.mainRequests(asks(prompt)).map(textOf).join('\n')
  // Gemini CLI escapes angle brackets in what hooks say.
  if (!/(?:<|&lt;)handoff-context/.test(told)) return 'not told'
  return told.includes(task) ? 'works' : 'told something else'
}

const asks = (words: string) => (request: ModelRequest) => request.text.includes(words)
