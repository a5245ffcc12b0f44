import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { batonIn } from '../world/baton.ts'
import { type ModelRequest, startModel, textOf } from '../world/model.ts'
import { say } from '../world/turn.ts'

/** One piece of work that goes from agent to agent and back to the first: what was seen of each step. */
export async function cross(
  agents: readonly RealAgent[],
): Promise<{ from: string; to: string; seen: string }[]> {
  const dialects = [...new Set(agents.map(({ dialect }) => dialect))]
  await using model = await startModel(dialects)
  // Declared before Baton, so that they go after it.
  await using stack = new AsyncDisposableStack()
  const homes: AgentHome[] = []
  for (const agent of agents) homes.push(stack.use(await agentHome(agent, model, homes[0])))
  const [first] = homes
  if (!first) return []
  await using baton = batonIn(first.path, first.project)
  baton.configure('permission:\n  preset: trusting\n')
  await baton.must('init', ...agents.flatMap(({ name }) => ['--agent', name]))

  const steps: { from: string; to: string; seen: string }[] = []
  let before: { name: string; task: string } | undefined
  for (const [n, home] of [...homes, first].entries()) {
    const { agent } = home
    const task = `TASK-${n}-OF-${agent.name} add refresh tokens`
    const asks = (request: ModelRequest) => request.text.includes(`TASK-${n}-OF-`)
    let turn = 0
    model.script(asks, () =>
      turn++ === 0 ? agent.shell(`echo ${n} > part-${n}.txt`) : say(`Part ${n} is there.`),
    )
    const ran = await home.run({ prompt: task })
    const told = model.mainRequests(asks).map(textOf).join('\n')
    if (before) {
      const injected = /(?:<|&lt;)handoff-context/.test(told)
      const seen = !injected ? 'not told' : told.includes(before.task) ? 'works' : 'told something else'
      steps.push({ from: before.name, to: agent.name, seen })
    }
    const prompts = (await baton.events()).filter(event => event.type === 'PromptSubmitted')
    const session = prompts.findLast(event => event.type === 'PromptSubmitted' && event.prompt.includes(task))
    if (!session) throw new Error(`${agent.name} did not tell of its prompt\n${ran.stdout}${ran.stderr}`)
    await baton.must('handoff', '--json', '--session', session.nativeSession)
    before = { name: agent.name, task }
  }
  return steps
}
