import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import type { ModelPurpose, NewEntry } from '@batonpass/contract/journal'
import { answerLaunches, launchesOf } from '../adapters/agents/launches.ts'
import { findProfile } from '../adapters/agents/profiles.ts'
import { chooseModel } from '../adapters/llm/choose.ts'
import type { InsideCall, PrivateCalls } from '../adapters/llm/private-call.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { systemPrograms } from '../adapters/system/programs.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import type { Environment } from '../config/places.ts'
import type { Redactor } from '../journal/redact.ts'
import type { ModelJudge } from '../permission/links.ts'
import { JUDGE_MS, makeModelJudge } from '../permission/model-judge.ts'
import type { OnModelUsage } from '../ports/model.ts'
import type { ReactionContext } from '../ports/reactor.ts'
import type { Reviewers } from '../proof/review-session.ts'
import type { OwnModelCalls } from '../session/own-model-calls.ts'
import { newEntry } from './new-entry.ts'

interface CallParts {
  env: Environment
  stateDir: string
  ownCalls: OwnModelCalls
}

/** Writes what a model call used into the journal. */
interface UsageParts {
  write(entries: readonly NewEntry[]): Promise<unknown>
  fault(during: string, cause: unknown): void
}

export const noteUsage =
  (purpose: ModelPurpose, { write, fault }: UsageParts): OnModelUsage =>
  usage =>
    void write([newEntry({ kind: 'model', purpose, ...usage })]).catch(cause =>
      fault('recording a model call', cause),
    )

/** What is needed to run an agent's own program for one model answer. */
export const privateCalls = ({ env, stateDir, ownCalls }: CallParts): PrivateCalls => ({
  env,
  programs: systemPrograms,
  ownCall: () => ownCalls.issue(),
  // A private folder: in a shared one, another user could plant instruction files that the agent reads.
  folder: join(stateDir, 'calls'),
})

/** How an agent's program runs in the sandbox, where it can read this checkout; or why it cannot. */
export type InsideCalls = (agent: AgentName, checkout: string) => Promise<InsideCall | { reason: string }>

/**
 * Agents for the reviews of a proof. The work that they read is hostile: an agent has tools that read only in the sandbox, with
 * its login outside; otherwise it answers without any tool.
 */
export const composeReviewers = (
  parts: CallParts & UsageParts & { inside?: InsideCalls | undefined },
): Reviewers => ({
  find(wanted, model) {
    const { env } = parts
    const choice = {
      ...privateCalls(parts),
      find: (program: string) => onPath(program, env),
      onUsage: noteUsage('review', parts),
    }
    const name = wanted === undefined ? undefined : launchesOf(wanted).agent
    // A model without an agent is one of Claude's, which Claude Code gets with each question; others do not know its name.
    const launches = (reads?: string) =>
      answerLaunches({ model: name && model, reads }).filter(
        ({ agent }) => agent !== 'cursor' && (!name || agent === name),
      )
    const agents = launches()
    for (const { agent } of agents) {
      const found = chooseModel({ ...choice, agents }, agent)
      if (!found) continue
      const inCheckout = async (checkout: string) => {
        const inside = await parts.inside?.(agent, checkout)
        if (!inside || 'reason' in inside) return undefined
        const reading = launches(realpath(checkout))
        const chosen = chooseModel({ ...choice, agents: reading, inside }, agent)
        // Claude Code's program is started in its own way, with tools that read.
        const reads =
          agent === 'claude-code' || reading.some(each => each.agent === agent && each.reads === true)
        return chosen && { model: chosen.model, reads: reads ? realpath(checkout) : undefined }
      }
      const whyOutside = async () => {
        const inside = await parts.inside?.(agent, '/')
        return inside && 'reason' in inside ? inside.reason : undefined
      }
      return { ...found, inCheckout, whyOutside }
    }
    const why = name === 'cursor' ? 'its tools cannot be turned off' : 'it is not installed'
    throw name
      ? new BatonError('missing_tool', `${wanted} cannot review: ${why}`)
      : new BatonError('missing_tool', 'no agent that can review is installed')
  },
})

/** Builds the permission model; undefined without an API key and without an agent's program. */
export function composeJudge(
  parts: CallParts &
    UsageParts & {
      redactor: Redactor
      goalOf(context: ReactionContext): Promise<string | undefined>
    },
): ModelJudge | undefined {
  const { env, redactor } = parts
  const choice = {
    ...privateCalls(parts),
    find: (program: string) => onPath(program, env),
    agents: answerLaunches(),
    onUsage: noteUsage('permission', parts),
  }
  const judges = new Map<string, ReturnType<typeof makeModelJudge> | undefined>()
  const judgeBy = (wanted: string) => {
    if (!judges.has(wanted)) {
      const name = wanted === 'auto' || wanted === 'api' ? wanted : findProfile(wanted)?.name
      const model = name && chooseModel(choice, name)?.model
      const rest = { redactor, clock: systemClock, timers: systemTimers, ids: systemIds }
      judges.set(wanted, model ? makeModelJudge({ model, ...rest }) : undefined)
    }
    return judges.get(wanted)
  }
  if (!judgeBy('auto')) return undefined
  return {
    withinMs: JUDGE_MS,
    async judge(event, context, judgement, signal) {
      const wanted = context.config.permission.judge
      const judge = judgeBy(wanted)
      if (!judge) return { decision: 'ask', reason: `the permission model ${wanted} is not available` }
      const { tool, input, action } = event
      const cwd = (action.kind === 'shell' ? action.cwd : undefined) ?? event.cwd ?? context.project
      const goal = await parts.goalOf(context)
      const request = { tool, input, cwd, worktree: context.project, judgement, ...(goal ? { goal } : {}) }
      return await judge.judge(request, signal)
    },
  }
}
