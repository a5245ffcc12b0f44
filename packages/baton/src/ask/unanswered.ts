import type { Ask } from '@batonpass/contract/ask'
import type { Config } from '@batonpass/contract/config'
import type { Reply } from '@batonpass/contract/question'
import { recommendedReplies } from '@batonpass/contract/replies'
import type { News } from '../ports/channel.ts'

export type UnansweredPolicy = 'wait' | 'recommended' | 'park'

/** What a workflow says about questions that no one answers. */
export interface UnansweredInRun {
  unanswered?: UnansweredPolicy | undefined
  unansweredMinutes?: number | undefined
}

/** What to do if no one has answered for this time since the ask opened. */
export interface WhenUnanswered {
  afterMs: number
  policy(): Promise<UnansweredPolicy>
  /** Parks what waits for the answer. True: the person was notified about it. May be called again after a restart. */
  park?(ask: Ask): Promise<boolean>
}

export interface UnansweredPorts {
  /** The workflow that the session runs, if it runs one. */
  workflow(): Promise<UnansweredInRun | undefined>
  /** Whether the person said that they are away. */
  isAway(): Promise<boolean>
  /** Parks the workflow of the session. False: it runs none. */
  parkRun(reason: string): Promise<boolean>
}

/** What happens to an agent's question that no one answers. */
export async function whenUnanswered(
  settings: Config['asks'],
  { workflow, isAway, parkRun }: UnansweredPorts,
): Promise<WhenUnanswered> {
  const afterMs = ((await workflow())?.unansweredMinutes ?? settings.after_minutes) * 60_000
  return {
    afterMs,
    policy: async () => unansweredPolicy(settings, await workflow(), await isAway()),
    park: ask => parkRun(parkedReason(ask, afterMs)),
  }
}

/** Who answered in the record, if the policy did. */
export const BY_POLICY = { channel: 'policy', who: 'asks.unanswered: recommended' } as const

/** What happens to a question that no one answers. Pure. */
export function unansweredPolicy(
  { unanswered }: Config['asks'],
  run: { unanswered?: UnansweredPolicy | undefined } | undefined,
  isAway: boolean,
): UnansweredPolicy {
  if (run?.unanswered) return run.unanswered
  if (unanswered !== 'auto') return unanswered
  return run || isAway ? 'park' : 'wait'
}

/** What the agent recommends. A plan, a permission and a confirmation always need a person. */
export const policyReplies = ({ kind, questions = [] }: Ask): Reply[] | undefined =>
  kind === 'question' || kind === 'form' ? recommendedReplies(questions) : undefined

export function parkedNotice({ id, title, facts }: Ask, afterMs: number): News {
  const { agent = 'An agent', project = '/', session } = facts
  return {
    project,
    session,
    kind: 'needs-input',
    text: `⏸ ${agent} in ${project.split('/').at(-1)} is parked: ${parkedReason({ id, title }, afterMs)}`,
  }
}

/** Why a run is parked, and how to answer. */
const parkedReason = ({ id, title }: Pick<Ask, 'id' | 'title'>, afterMs: number): string =>
  `no one answered within ${Number((afterMs / 60_000).toFixed(1))} minutes. ${title} (baton asks ${id})`
