import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { installAgent } from '../world/agents/install.ts'
import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { type Model, type ModelRequest, startModel, textOf } from '../world/model.ts'
import { call, say, type Turn } from '../world/turn.ts'
import type { Check } from './check.ts'

interface World {
  agent: RealAgent
  model: Model
  home: AgentHome
  baton: BatonHere
}

/** What the agent's own program answers when Baton asks it: as the judge of a command, and as the supervisor of a workflow. */
export async function checkModelAnswers(
  agent: RealAgent,
  seen: (behaviour: 'judge' | 'supervisor', check: Check) => Promise<void>,
): Promise<void> {
  await using model = await startModel([agent.dialect])
  await using home = await agentHome(agent, model)
  await using baton = batonIn(home.path, home.project)
  baton.configure(rulesFor(agent.name === 'claude-code' ? 'claude' : agent.name))
  await baton.must('init', '--agent', agent.name)
  // The daemon runs the agent's program itself, so it has to find it and how it logs in.
  const path = [dirname(await installAgent(agent.name)), home.env().PATH].join(delimiter)
  await baton.must('down')
  const up = await baton.run(['up'], { env: { ...home.env(), PATH: path } })
  if (up.code !== 0) throw new Error(`baton up ended with ${up.code}\n${up.stderr}`)
  const world: World = { agent, model, home, baton }
  await seen('judge', () => judge(world))
  await seen('supervisor', () => supervise(world))
}

/**
 * `undecided: ask`, because `codex exec` runs in a mode that never asks, and there the default leaves the call to the agent.
 * Without the sandbox, where no command is left to a judge.
 */
const rulesFor = (name: string) => `sandbox:
  mode: off
permission:
  judge: ${name}
  undecided: ask
handsoff:
  max_continuations: 1
  supervisor:
    provider: ${name}
permissions:
  allow:
    - pattern: '^echo \\d+ > part-\\d+\\.txt$'
`

/** Two commands that no rule decides: the judge allows one and refuses the other. */
async function judge(world: World): Promise<string | undefined> {
  const { agent, model, home, baton } = world
  writeFileSync(join(home.project, 'Makefile'), 'good:\n\ttouch good.txt\nbad:\n\ttouch bad.txt\n')
  answerOwn(world, JUDGE, request => verdict(agent, textOf(request)))
  play(world, 'FIRST', [
    () => agent.shell('make good'),
    () => agent.shell('make bad'),
    () => say('Tried both.'),
  ])
  await home.run({ prompt: 'FIRST build it' })
  const decisions = (await baton.entries({ kind: 'decision' })).flatMap(({ body }) =>
    body.kind === 'decision' ? `${body.decision} by ${body.by}: ${body.reason}` : [],
  )
  const told = model.mainRequests(mentions('FIRST')).map(textOf).join('\n')
  if (!existsSync(join(home.project, 'good.txt'))) return `what the judge allows did not run\n${decisions}`
  if (existsSync(join(home.project, 'bad.txt'))) return 'what the judge refuses ran'
  if (!told.includes('the judge sees harm')) return `the model was not told why\n${decisions}`
  if (decisions.filter(each => each.includes('by model')).length < 2) return decisions.join('\n')
  return besides(world, JUDGE, 'FIRST')
}

/** A workflow that stops: what it is told next is the supervisor's word. */
async function supervise(world: World): Promise<string | undefined> {
  const { agent, model, home, baton } = world
  answerOwn(world, SUPERVISOR, () => say('Look at the PARSER-OF-THE-SUPERVISOR first.'))
  let step = 0
  model.script(mentions('issue-to-impl'), () => {
    step++
    return step % 2 === 1 ? agent.shell(`echo ${step} > part-${step}.txt`) : say(`Part ${step} is there.`)
  })
  const run = { prompt: ' /issue-to-impl 42' }
  const ended = async () => void (await baton.waitFor('workflow', ({ what }) => what === 'ended'))
  if (agent.serve) await agent.serve(home, run, ended)
  else await home.run(run)
  const { prompt, reason } = await baton.waitFor('workflow', ({ what }) => what === 'supervised')
  if (!prompt?.includes('PARSER-OF-THE-SUPERVISOR')) return `it wrote nothing: ${reason}`
  const told = model.mainRequests(request => mentions('issue-to-impl')(request) && !asks(SUPERVISOR)(request))
  if (!told.some(request => textOf(request).includes('PARSER-OF-THE-SUPERVISOR')))
    return 'the agent was not told what it wrote'
  return besides(world, SUPERVISOR, 'issue-to-impl')
}

const JUDGE = 'You decide whether a coding agent may do one thing'
const SUPERVISOR = 'You supervise a coding agent'
/** Ways to answer, and a question that nobody is there for. */
const HARMLESS = /^(?:StructuredOutput|DeferredToolPlaceholder|request_user_input)$/

/** What a call of Baton's own must not do: act, be taken for a session of the person's, or leave something behind. */
async function besides({ model, baton }: World, own: string, session: string): Promise<string | undefined> {
  const tools = model.requests.filter(asks(own)).flatMap(({ toolNames }) => toolNames)
  const acting = tools.filter(name => !HARMLESS.test(name))
  if (acting.length > 0) return `it was given tools: ${[...new Set(acting)].join(', ')}`
  const prompts = (await baton.events()).flatMap(event =>
    event.type === 'PromptSubmitted' ? event.prompt : [],
  )
  if (prompts.some(prompt => prompt.includes(own))) return 'its hooks told of it as of a session'
  if (prompts.filter(prompt => prompt.includes(session)).length !== 1) return `prompts: ${prompts}`
  const calls = join(baton.stateDir, 'calls')
  const left = existsSync(calls) ? readdirSync(calls) : []
  if (left.length > 0) return `it left ${left.join(', ')}`
  const faults = (await baton.entries({ kind: 'fault' })).map(({ body }) => JSON.stringify(body))
  return faults.length > 0 ? faults.join('\n') : undefined
}

function verdict(agent: RealAgent, text: string): Turn {
  const answer = text.includes('make bad')
    ? { decision: 'deny', reason: 'the judge sees harm' }
    : { decision: 'allow', reason: 'the judge sees none' }
  return agent.name === 'claude-code' ? call('StructuredOutput', answer) : say(JSON.stringify(answer))
}

/** Without tools the fake model takes a request for one beside the conversation. */
function answerOwn({ model }: World, own: string, answer: (request: ModelRequest) => Turn): void {
  const answerer = (request: ModelRequest) => (asks(own)(request) ? answer(request) : undefined)
  model.script(asks(own), answerer)
  model.answerSide('side', answerer)
}

const asks = (own: string) => (request: ModelRequest) => request.text.includes(own)

const mentions = (word: string) => (request: ModelRequest) =>
  request.text.includes(word) && !asks(JUDGE)(request) && !asks(SUPERVISOR)(request)

function play({ model }: World, word: string, turns: (() => Turn)[]): void {
  let n = 0
  model.script(mentions(word), () => turns[n++]?.())
}
