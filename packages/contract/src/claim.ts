import { z } from 'zod'
import { AgentName } from './event.ts'
import { ClaimId, NativeId, SessionId } from './ids.ts'
import { EndKind } from './workflow.ts'

/** The claim phase. Whether the pull request is merged is never stored: Baton asks the forge. */
export const ClaimPhase = z.enum(['coding', 'ready_for_pr', 'pr_created', 'checks_running', 'done'])
export type ClaimPhase = z.infer<typeof ClaimPhase>

/** The only version of the signal file that this version of Baton understands. */
export const CLAIM_VERSION = 1

/** The signal file's name, in the root of the worktree. */
export const CLAIM_FILE = '.agent-claim.json'

const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}]*$/u)

/** `.agent-claim.json`. Agents and people may edit or delete it. Baton keeps unknown keys. */
export const ClaimFile = z.looseObject({
  schema_version: z.literal(CLAIM_VERSION),
  /** The id of the board item; empty without a board. */
  item_id: line(200),
  issue_number: z.number().int().positive().max(999_999_999),
  branch: line(250),
  /** The value of the board's Agent field. */
  agent_id: line(200),
  phase: ClaimPhase,
  /** The pull request's title. */
  summary: line(2000),
  /** The Status that the board should show. */
  status: line(200),
  pr_number: z.number().int().positive().max(999_999_999).nullable(),
  /** When Baton last polled the checks. An unparsable time counts as long ago. */
  last_check_poll: z.string().max(100).nullable(),
  /** The Status that Baton last wrote to the board, so that it does not write the same value again. */
  last_synced_status: line(200).nullable(),
})
export type ClaimFile = z.infer<typeof ClaimFile>

/** Who holds an issue, as every user of the repository can see it. */
export const ClaimHolder = z.object({
  claim: z.string(),
  /** As on the board, e.g. `edouard-1738000000`. */
  agent: z.string(),
  host: z.string(),
  takenAt: z.iso.datetime(),
  /** When the claim expires unless it is renewed. */
  until: z.iso.datetime(),
  dead: z.boolean(),
})
export type ClaimHolder = z.infer<typeof ClaimHolder>

/** What blocks a claim, and when Baton tries again. */
export const ClaimTrouble = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string().optional(),
  since: z.iso.datetime(),
  /** Absent: a person has to act first. */
  retryAt: z.iso.datetime().optional(),
})
export type ClaimTrouble = z.infer<typeof ClaimTrouble>

/** One claim as commands, dashboard and status show it. */
export const ClaimView = z.object({
  id: ClaimId,
  issue: z.number().int().positive(),
  title: z.string().optional(),
  repository: z.string(),
  project: z.string(),
  branch: z.string(),
  agentId: z.string(),
  /** `unreadable` when the signal file cannot be parsed, `gone` when it was deleted. */
  phase: z.union([ClaimPhase, z.enum(['unreadable', 'gone'])]),
  status: z.string().optional(),
  summary: z.string().optional(),
  session: SessionId.optional(),
  nativeSession: NativeId.optional(),
  agent: AgentName.optional(),
  pullRequest: z
    .object({
      number: z.number().int(),
      url: z.string(),
      state: z.enum(['open', 'closed', 'merged']),
      /** e.g. `2/3 passed, 1 running`. */
      checks: z.string(),
      review: z.string(),
      conflict: z.boolean(),
    })
    .optional(),
  lease: z.object({ kind: z.enum(['postgres', 'git']), lost: z.boolean(), renewedAt: z.iso.datetime() }),
  /** Whether the person was asked to close the issue, and the answer. */
  closing: z.enum(['not-asked', 'asked', 'yes', 'no']),
  trouble: ClaimTrouble.optional(),
  /** What the session that holds it may do by itself, in words. */
  grants: z.array(z.string()).optional(),
  claimedAt: z.iso.datetime(),
})
export type ClaimView = z.infer<typeof ClaimView>
export const ClaimList = z.object({ claims: z.array(ClaimView) })

/** POST /api/claims */
export const ClaimRequest = z.strictObject({
  project: z.string().min(1).max(4096),
  issue: z.union([z.number().int().positive().max(999_999_999), z.literal('next')]),
  /** The agent's own id of the session that claims. */
  session: NativeId.optional(),
  /** Use a new worktree next to the project instead of a branch in the project's own worktree. */
  worktree: z.boolean().default(false),
  /** Claim the issue even if it is blocked or its status on the board is not a to-do status. */
  anyway: z.boolean().default(false),
  /** `dead` takes the issue from a holder whose lease expired; `force` also takes it from a live one. */
  takeover: z.enum(['dead', 'force']).optional(),
})
export type ClaimRequest = z.input<typeof ClaimRequest>

export const Claimed = z.object({
  claim: ClaimView,
  /** False if this worktree already held the issue. */
  fresh: z.boolean(),
  /** Problems that did not prevent the claim. */
  warnings: z.array(z.string()),
})
export type Claimed = z.infer<typeof Claimed>

/** An issue with whether it can be claimed, and its current holder if not. */
export const Claimable = z.object({
  issue: z.number().int().positive(),
  title: z.string(),
  url: z.string(),
  status: z.string().optional(),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  free: z.boolean(),
  holder: ClaimHolder.optional(),
})
export type Claimable = z.infer<typeof Claimable>
export const ClaimableList = z.object({ issues: z.array(Claimable) })

/** A journal entry about a claim. */
export const ClaimEntry = z.object({
  kind: z.literal('claim'),
  what: z.enum([
    'claimed',
    'phase',
    'proving',
    'proven',
    'unproven',
    'opened',
    'checks',
    'review',
    'asked-again',
    'conflict',
    'merged',
    'closed-unmerged',
    'asked',
    'answered',
    'told',
    'closed',
    'released',
    'taken-over',
    'lost',
    'carried-over',
    'trouble',
  ]),
  claim: ClaimId,
  issue: z.number().int().positive(),
  phase: ClaimPhase.optional(),
  pullRequest: z.string().optional(),
  reason: z.string().optional(),
  /** What is proven of the pull request from now on. */
  end: EndKind.optional(),
})
export type ClaimEntry = z.infer<typeof ClaimEntry>

/** GET /api/board: the project's board, column by column; `board` is absent if the project has none. */
export const BoardView = z.object({
  board: z.object({ title: z.string(), url: z.string(), statuses: z.array(z.string()) }).optional(),
  items: z.array(
    z.object({
      id: z.string(),
      issue: z.number().int().optional(),
      kind: z.enum(['issue', 'pull-request', 'draft', 'hidden']),
      title: z.string(),
      url: z.string().optional(),
      state: z.enum(['open', 'closed']).optional(),
      status: z.string().optional(),
      agent: z.string().optional(),
      labels: z.array(z.string()),
      assignees: z.array(z.string()),
    }),
  ),
})
export type BoardView = z.infer<typeof BoardView>
