import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RealAgent } from '../world/agents/real.ts'
import { textOf } from '../world/model.ts'
import { say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { startedInTmux } from './in-tmux.ts'

const RULES = `permission:
  preset: trusting
handsoff:
  enabled: true
  max_continuations: 1
`

/** A workflow in a terminal meets a usage limit: it is parked, and goes on by itself after the reset, once. */
export async function limits(agent: RealAgent): Promise<string | undefined> {
  let state: 'begins' | 'limited' | 'resumed' = 'begins'
  await using world = await startedInTmux(agent, {
    rules: RULES,
    prompt: ' /issue-to-impl 42',
    ...(agent.oneTry ? { env: agent.oneTry } : {}),
    answers: request => {
      if (textOf(request).includes('has been reset')) state = 'resumed'
      if (state === 'resumed') return say('Going on.')
      if (state === 'limited') return limited(agent)
      state = 'limited'
      return agent.shell('echo 1 > one.txt')
    },
  })
  const { home, baton, evidence } = world
  const story = async () =>
    (await baton.entries({ kind: 'workflow' })).flatMap(({ body }) => (body.kind === 'workflow' ? body : []))
  const patience = { timeout: Math.max(agent.patience ?? 0, 120_000), every: 500, evidence }
  await until(() => existsSync(join(home.project, 'one.txt')), { what: 'the first step', ...patience })
  const parked = await until(async () => (await story()).find(({ end }) => end === 'limit-parked'), {
    what: 'the session to be parked',
    ...patience,
  })
  if (!parked.reason?.includes('resumes at')) return `it was parked: ${parked.reason}`
  await until(() => state === 'resumed', { what: 'the session to go on by itself', ...patience })
  // The model hears of it before it is written down.
  const resumed = await until(
    async () => {
      const found = (await story()).filter(
        ({ what, reason }) => what === 'resumed' && reason?.includes('typed the continuation'),
      )
      return found.length > 0 && found
    },
    { what: 'a note of it', ...patience },
  )
  return resumed.length === 1 ? undefined : `it went on ${resumed.length} times`
}

/** As services word a usage limit, with the time of its reset. */
function limited(agent: RealAgent): Turn {
  const reset = performance.timeOrigin + performance.now() + 4_000
  const message = `Usage limit reached, resets at ${new Date(reset).toISOString()}`
  return { error: agent.limit?.(reset) ?? { status: 429, type: 'rate_limit_error', message } }
}
