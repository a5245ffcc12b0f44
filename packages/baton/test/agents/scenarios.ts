import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '@batonpass/contract/event'
import { parseHandoff } from '../../src/handoff/document/parse.ts'
import { type AgentHome, agentHome, type RealAgent } from '../world/agents/real.ts'
import { type BatonHere, batonIn } from '../world/baton.ts'
import { type Model, type ModelRequest, startModel, textOf } from '../world/model.ts'
import { say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { type Check, judged, messageOf, type Outcome } from './check.ts'
import { chatWithHostedAgent } from './hosted-agents.ts'
import { limits } from './limits.ts'
import { checkModelAnswers } from './model-answers.ts'
import { checkReview } from './review.ts'
import { checkSandbox } from './sandbox.ts'
import { IN_A_TERMINAL, inTerminal } from './terminal.ts'
import { checkTerminalDialog } from './terminal-dialog.ts'
import { checkWholeAgent } from './whole-agent.ts'

/** What is tried in every test run, in the order of the table. */
export const EVERY_RUN = [
  'allow',
  'deny',
  'ask',
  'context size',
  'end reason',
  'continue five times',
  'resume',
  'handoff',
  'evidence',
  'inject',
  'judge',
  'supervisor',
  'sandbox',
] as const

/** What is tried besides: each takes a program or a terminal more. */
const BESIDES = ['review', 'whole', 'hosted', 'terminal', 'person', 'limit'] as const

/** What every agent is tried on, in the order of the table. */
export const BEHAVIOURS = [
  ...EVERY_RUN,
  'review',
  'whole agent in the sandbox',
  'hosted',
  ...IN_A_TERMINAL,
  'ask at its terminal',
  'usage limit',
] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** The same scenarios against one real agent with the real, built Baton; each behaviour is judged for itself. */
export async function tryAgent(
  agent: RealAgent,
  besides: readonly (typeof BESIDES)[number][] = BESIDES,
): Promise<Record<Behaviour, Outcome>> {
  const outcomes: Partial<Record<Behaviour, Outcome>> = {}
  await tryHooks(agent, outcomes)
  await checkModelAnswers(agent, async (behaviour, check) => {
    outcomes[behaviour] = await judged(check)
  }).catch(cause => {
    const failed = { failed: messageOf(cause) }
    outcomes.judge ??= failed
    outcomes.supervisor ??= failed
  })
  outcomes.sandbox = await judged(() => checkSandbox(agent))
  if (besides.includes('review')) outcomes.review = await judged(() => checkReview(agent))
  if (besides.includes('whole'))
    outcomes['whole agent in the sandbox'] = await judged(() => checkWholeAgent(agent))
  if (besides.includes('hosted')) outcomes.hosted = await judged(() => chatWithHostedAgent(agent))
  if (besides.includes('terminal'))
    await inTerminal(agent, async (behaviour, check) => {
      outcomes[behaviour] = await judged(check)
    }).catch(cause => {
      for (const behaviour of IN_A_TERMINAL) outcomes[behaviour] ??= { failed: messageOf(cause) }
    })
  if (besides.includes('person'))
    outcomes['ask at its terminal'] = await judged(() => checkTerminalDialog(agent))
  if (besides.includes('limit')) outcomes['usage limit'] = await judged(() => limits(agent))
  return Object.fromEntries(
    BEHAVIOURS.map(name => [name, outcomes[name] ?? { failed: 'was not tried' }]),
  ) as Record<Behaviour, Outcome>
}

/** What goes through its hooks. */
async function tryHooks(agent: RealAgent, outcomes: Partial<Record<Behaviour, Outcome>>): Promise<void> {
  await using model = await startModel([agent.dialect])
  await using home = await agentHome(agent, model)
  await using baton = batonIn(home.path, home.project)
  baton.configure(RULES)
  await baton.must('init', '--agent', agent.name)
  const world: World = { agent, model, home, baton }
  for (const scenario of [permission, continuation, handoff]) {
    try {
      for (const [behaviour, check] of Object.entries(await scenario(world)) as [Behaviour, Check][])
        outcomes[behaviour] = await judged(check)
    } catch (cause) {
      const failed = { failed: messageOf(cause) }
      for (const behaviour of SHOWN_BY.get(scenario) ?? []) outcomes[behaviour] ??= failed
    }
  }
}

interface World {
  agent: RealAgent
  model: Model
  home: AgentHome
  baton: BatonHere
}

const RULES = `permission:
  preset: trusting
permissions:
  allow:
    - pattern: '^touch allowed\\.txt$'
  deny:
    - pattern: '^touch denied\\.txt$'
      reason: the scenario says no
  ask:
    - pattern: '^touch asked\\.txt$'
      reason: the scenario wants a person
handsoff:
  enabled: true
  max_continuations: 5
`

/** One session in which a command is allowed, one refused, and one needs a person who is not there. */
async function permission(world: World): Promise<Partial<Record<Behaviour, Check>>> {
  const { agent, model, home, baton } = world
  const usage = { input: 61_000, output: 200 }
  play(world, 'FIRST', [
    () => ({ ...agent.shell('touch allowed.txt'), usage }),
    () => ({ ...agent.shell('touch denied.txt'), usage }),
    () => ({ ...agent.shell('touch asked.txt'), usage }),
    () => say('Tried all three.', { usage }),
  ])
  await home.run({ prompt: 'FIRST add refresh tokens' })
  const there = (name: string) => existsSync(join(home.project, name))
  const told = () => model.mainRequests(mentions('FIRST')).map(textOf).join('\n')
  return {
    allow: () => (there('allowed.txt') ? undefined : 'the allowed command did not run'),
    deny: () => {
      if (there('denied.txt')) return 'the refused command ran'
      return told().includes('the scenario says no') ? undefined : 'the model was not told why'
    },
    ask: () => {
      if (there('asked.txt')) return 'the command ran although nobody was asked'
      return told().includes('the scenario wants a person') ? undefined : 'the model was not told why'
    },
    'context size': async () => {
      const measured = await baton.waitFor('event', ({ event }) => event.type === 'ContextMeasured')
      const used = measured.event.type === 'ContextMeasured' ? measured.event.used : 0
      return used >= 61_000 && used < 70_000 ? undefined : `it says ${used}`
    },
    'end reason': async () => {
      await baton.waitFor('event', ({ event }) => event.type === 'SessionEnded' && event.reason !== '')
      return undefined
    },
  }
}

/** A job that stops before its end and is sent on, exactly as often as is allowed. */
async function continuation(world: World): Promise<Partial<Record<Behaviour, Check>>> {
  const { agent, model, home } = world
  let step = 0
  model.script(mentions('issue-to-impl'), () => {
    step++
    return step % 2 === 1 ? agent.shell(`echo ${step} > part-${step}.txt`) : say(`Part ${step} is there.`)
  })
  // The blank keeps agents from looking for a command of their own; for Baton it is the workflow's.
  const run = { prompt: ' /issue-to-impl 42' }
  if (agent.serve) await agent.serve(home, run, async () => void (await ended(world)))
  else await home.run(run)
  return {
    'continue five times': async () => {
      const end = await ended(world)
      if (end.kind !== 'workflow') return 'it did not end'
      const asked = model.mainRequests(mentions('issue-to-impl')).length
      if (end.end !== 'capped' || end.count !== 5) return `it ended ${end.end} after ${end.count}`
      return asked === 12 ? undefined : `the model was asked ${asked} times instead of 12`
    },
  }
}

const ended = ({ agent, baton }: World) =>
  until(
    async () =>
      (await baton.entries({ kind: 'workflow' }))
        .map(({ body }) => body)
        .find(body => body.kind === 'workflow' && body.what === 'ended'),
    { what: 'the end of the workflow', timeout: agent.patience ?? 30_000, every: 500 },
  )

/** The first session is resumed and handed off; the next one begins with the document. */
async function handoff(world: World): Promise<Partial<Record<Behaviour, Check>>> {
  const { agent, model, home, baton } = world
  const first = (await baton.events()).find(isFirst)?.nativeSession
  if (first === undefined) throw new Error('there is no first session')
  play(world, request => request.text.includes('FIRST') && request.text.includes('HANDOFF-FOCUS'), [
    request => agent.shell(writeDocument(request)),
    () => say('Written.'),
  ])
  await home.run({ prompt: ' /handoff HANDOFF-FOCUS', resume: first })
  const written = await baton.waitFor('handoff', ({ what }) => what === 'written').catch(messageOf)
  play(world, 'SECOND', [() => say('I go on.')])
  await home.run({ prompt: 'SECOND hello' })
  return {
    resume: async () => {
      const prompts = (await baton.events()).filter(event => event.type === 'PromptSubmitted')
      const same = prompts.find(
        event => event.type === 'PromptSubmitted' && event.prompt.includes('HANDOFF-FOCUS'),
      )
      return same?.nativeSession === first
        ? undefined
        : `the session was ${same?.nativeSession ?? 'not seen'}`
    },
    handoff: () => {
      if (typeof written === 'string') return written
      return written.writtenBy === 'agent' ? undefined : 'Baton had to write the document itself'
    },
    evidence: () => {
      const { instructions = [] } = factsIn(home)
      return instructions.some(text => text.includes('add refresh tokens'))
        ? undefined
        : `the document holds the instructions ${JSON.stringify(instructions)}`
    },
    inject: () => {
      const asked = model.mainRequests(mentions('SECOND')).map(textOf).join('\n')
      // Gemini CLI escapes angle brackets in what hooks say.
      if (!/(?:<|&lt;)handoff-context/.test(asked)) return 'the next session was not told'
      return asked.includes('Complete the refresh endpoint') ? undefined : 'it was told something else'
    },
  }
}

const SHOWN_BY = new Map<unknown, readonly Behaviour[]>([
  [permission, ['allow', 'deny', 'ask', 'context size', 'end reason']],
  [continuation, ['continue five times']],
  [handoff, ['resume', 'handoff', 'evidence', 'inject']],
])

const isFirst = (event: AgentEvent) => event.type === 'PromptSubmitted' && event.prompt.includes('FIRST')

const mentions = (word: string) => (request: ModelRequest) => request.text.includes(word)

/** Answers in turn; what a turn says may depend on the request. */
function play(
  { model }: World,
  match: string | ((request: ModelRequest) => boolean),
  turns: ((request: ModelRequest) => Turn)[],
): void {
  let n = 0
  model.script(typeof match === 'string' ? mentions(match) : match, request => turns[n++]?.(request))
}

/** Writes the document where Baton said, as the agent would with its shell. */
function writeDocument(request: ModelRequest): string {
  const name =
    [...textOf(request).matchAll(/\.bmad\/handoffs\/(handoff-[\d-]+\.md)/g)].at(-1)?.[1] ?? 'nowhere.md'
  return `mkdir -p .bmad/handoffs && cat > .bmad/handoffs/${name} <<'EOF'\n${DOCUMENT}EOF\n`
}

const DOCUMENT =
  '---\nbranch: main\n---\n\n# Handoff Document\n\n**Created**: 2026-01-22 14:30:00\n**Context Usage**: 12%\n**Project**: project\n\n## Current Work\n\n**Active Epic**: Authentication\n**Progress**: 65% complete\n**Current Task**: Implementing the refresh endpoint\n\n## Completed Since Last Handoff\n\n- [ ] Tests\n\n## Next Steps\n\n1. Complete the refresh endpoint\n\n## Critical State\n\n- Migration 005 is applied\n\n## Blockers / Issues\n\n- None\n\n## Notes\n\n- None\n'

function factsIn(home: AgentHome) {
  const folder = join(home.project, '.bmad/handoffs')
  const [name = ''] = readdirSync(folder).sort().reverse()
  return parseHandoff(readFileSync(join(folder, name), 'utf8')).document.facts
}
