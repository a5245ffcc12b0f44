import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '@batonpass/contract/event'
import { PsList } from '@batonpass/contract/watch'
import type { RealAgent } from '../world/agents/real.ts'
import { type ModelRequest, textOf } from '../world/model.ts'
import { personLogin } from '../world/person.ts'
import { say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import type { Check } from './check.ts'
import { type InTmux, startedInTmux } from './in-tmux.ts'

export const IN_A_TERMINAL = ['run in tmux and typed into', 'cycle at a full context'] as const

/** One session that `baton run` starts in a tmux of its own: words are typed into it, then its context is full. */
export async function inTerminal(
  agent: RealAgent,
  seen: (behaviour: (typeof IN_A_TERMINAL)[number], check: Check) => Promise<void>,
): Promise<void> {
  await using world = await startedInTmux(agent, {
    rules: RULES,
    prompt: 'HELLO there',
    answers: answers({ agent }),
  })
  await seen('run in tmux and typed into', () => typedInto(world))
  await seen('cycle at a full context', () => cycled(world))
}

// A little is much here: agents make their own context smaller when it is really full.
const RULES = `permission:
  preset: trusting
context:
  warn: 4
  trigger: 5
`
const FULL = { usage: { input: 110_000, output: 200 } }

const isPrompt = (event: AgentEvent, words: string) =>
  event.type === 'PromptSubmitted' && event.prompt.includes(words)

/** The daemon types into the session that it started; the session tells of it. */
async function typedInto({ agent, baton, evidence }: InTmux): Promise<string | undefined> {
  const patience = { timeout: agent.patience ?? 60_000, every: 200, evidence }
  const first = await until(async () => (await baton.events()).find(each => isPrompt(each, 'HELLO there')), {
    what: 'the prompt it was started with',
    ...patience,
  })
  // Before its context is full: then another session takes its place.
  const listed = async () => PsList.parse(await baton.read('/api/ps')).sessions
  const row = await until(async () => (await listed()).find(({ session }) => session === first.session), {
    what: 'the session in `baton ps`',
    ...patience,
  })
  if (row.by !== 'run') return `baton ps says ${JSON.stringify(row)}`
  const { url, headers } = await personLogin(baton)
  const type = async (text: string) => {
    const said = await fetch(`${url}/api/page/sessions/${first.session}/say`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    })
    return (await said.json()) as { typed: string }
  }
  const words = 'please begin: add\n"refresh" tokens; $HOME'
  // A turn that has ended may still have hooks to run.
  const typed = await until(async () => (await type(words)).typed.replace('busy', '') || undefined, {
    what: 'the terminal to be free',
    ...patience,
  })
  if (typed !== 'taken') return `what was typed is ${typed}\n${await evidence()}`
  const second = await until(
    async () =>
      (await baton.events()).find(
        each =>
          isPrompt(each, 'please begin') && each.type === 'PromptSubmitted' && each.prompt.trim() === words,
      ),
    { what: 'the prompt that was typed, as it was', ...patience },
  )
  return second.session === first.session ? undefined : 'it was taken by another session'
}

/** The context is full after the next turn: document, clearing, essentials, next step, without a hand on it. */
async function cycled({ agent, home, baton, model, evidence }: InTmux): Promise<string | undefined> {
  const story = async () =>
    (await baton.entries({ kind: 'cycle' })).flatMap(({ body }) => (body.kind === 'cycle' ? body : []))
  await until(async () => (await story()).some(({ what }) => what === 'completed'), {
    what: 'the end of the cycle',
    timeout: Math.max(agent.patience ?? 0, 90_000),
    every: 300,
    evidence,
  })
  const told = (await story()).map(({ what }) => what)
  const wanted = ['due', 'asked', 'written', 'cleared', 'resumed', 'verified', 'completed']
  if (!wanted.every(what => told.some(each => each === what))) return `it went ${told.join(', ')}`
  const done = (await story()).at(-1)
  if (done?.writtenBy !== 'agent') return 'Baton had to write the document itself'
  if (done.to === done.from) return 'the session is the same'
  await until(() => existsSync(join(home.project, 'renewed.txt')), {
    what: 'the next step',
    timeout: 120_000,
    evidence,
  })
  if (readdirSync(join(home.project, '.bmad/handoffs')).length !== 1) return 'there are several documents'
  const resumed = model.mainRequests(() => true).find(each => each.lastText.includes('and resume work'))
  const known = resumed ? textOf(resumed) : ''
  if (!/(?:<|&lt;)handoff-context/.test(known)) return 'the new session was not told'
  return known.includes('Done with that.') ? 'the new session is the old one' : undefined
}

/** What the model would do, by what it is asked. */
function answers({ agent }: Pick<InTmux, 'agent'>): (request: ModelRequest) => Turn {
  return request => {
    const last = request.lastText
    const isOld = request.text.includes('please begin') && !request.text.includes('and resume work')
    if (/and resume work|That is not what the handoff document says/.test(last)) return say(block(request))
    if (/Now continue the work/.test(last)) return agent.shell('echo renewed > renewed.txt')
    if (/Create handoff document now|There is no handoff document yet/.test(last))
      return { ...agent.shell(writeDocument(request)), ...FULL }
    if (/please begin/.test(last)) return { ...agent.shell('echo begun > begun.txt'), ...FULL }
    return say(request.toolResults.length > 0 ? 'Done with that.' : 'I see.', isOld ? FULL : {})
  }
}

function writeDocument(request: ModelRequest): string {
  const named = textOf(request).matchAll(/\.bmad\/handoffs\/(handoff-[\d-]+\.md)/g)
  const name = [...named].at(-1)?.[1] ?? 'nowhere.md'
  return `mkdir -p .bmad/handoffs && cat > .bmad/handoffs/${name} <<'EOF'\n${DOCUMENT}EOF\n`
}

const GOAL = 'Add refresh tokens to the login service'
const NEXT = 'Write the endpoint that renews a token'
/** The essentials: what the user asked for besides the goal is named by its ids. */
function block(request: ModelRequest): string {
  const ids = new Set(textOf(request).match(/\[[0-9a-f]{8}\]/g))
  return `<handoff-check>\ngoal: ${GOAL}\nbranch: main\nnext: ${NEXT}\ninstructions: ${[...ids].join(' ')}\n</handoff-check>`
}
const DOCUMENT = `---\nbranch: main\n---\n\n# Handoff Document\n\n**Created**: 2026-01-22 14:30:00\n**Context Usage**: 42%\n**Project**: project\n\n## Current Work\n\n**Active Epic**: Login\n**Progress**: 65% complete\n**Current Task**: Renewing tokens\n\n## Completed Since Last Handoff\n\n- [ ] Everything\n\n## Next Steps\n\n1. ${NEXT}\n\n## Critical State\n\n- Nothing is committed\n\n## Blockers / Issues\n\n- None\n\n## Notes\n\n- None\n\n## Goal\n\n${GOAL}\n`
