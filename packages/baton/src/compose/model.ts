import { join } from 'node:path'
import { answerLaunches } from '../adapters/agents/launches.ts'
import { chooseModel } from '../adapters/llm/choose.ts'
import { systemChance } from '../adapters/system/chance.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemPrograms } from '../adapters/system/programs.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { Environment } from '../config/places.ts'
import type { Redactor } from '../journal/redact.ts'
import type { ModelJudge } from '../permission/links.ts'
import { JUDGE_MS, makeModelJudge } from '../permission/model-judge.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import type { OwnCalls } from '../session/own-calls.ts'

/** The model that judges what no rule decides; none where there is neither a key nor an agent's program. */
export function composeJudge(parts: {
  env: Environment
  stateDir: string
  ownCalls: OwnCalls
  redactor: Redactor
  goalOf(context: ReactionContext): Promise<string | undefined>
}): ModelJudge | undefined {
  const { env, ownCalls, redactor } = parts
  const chosen = chooseModel({
    env,
    programs: systemPrograms,
    ownCall: () => ownCalls.issue(),
    // Private: in a shared folder somebody could plant instructions above the call.
    folder: join(parts.stateDir, 'calls'),
    find: program => onPath(program, env),
    others: answerLaunches(),
  })
  if (!chosen) return undefined
  const { model } = chosen
  const judge = makeModelJudge({
    model,
    redactor,
    clock: systemClock,
    timers: systemTimers,
    chance: systemChance,
  })
  return {
    withinMs: JUDGE_MS,
    async judge(event, context, judgement, signal) {
      const { tool, input, action } = event
      const cwd = (action.kind === 'shell' ? action.cwd : undefined) ?? event.cwd ?? context.project
      const goal = await parts.goalOf(context)
      const request = { tool, input, cwd, worktree: context.project, judgement, ...(goal ? { goal } : {}) }
      return await judge.judge(request, signal)
    },
  }
}
