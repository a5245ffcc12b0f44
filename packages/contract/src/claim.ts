import { z } from 'zod'
import { AgentName } from './event.ts'
import { ClaimId, NativeId, SessionId } from './ids.ts'

/** Where a claimed issue stands. That its pull request is merged is never stored: the forge says so. */
export const ClaimPhase = z.enum(['coding', 'ready_for_pr', 'pr_created', 'checks_running', 'done'])
export type ClaimPhase = z.infer<typeof ClaimPhase>

/** The only version of the signal file that this Baton understands. */
export const CLAIM_VERSION = 1

/** The signal file's name, in the root of the worktree. */
export const CLAIM_FILE = '.agent-claim.json'

const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[^\p{Cc}]*$/u)

/** `.agent-claim.json`: agents and people may edit it, or delete it. Keys we do not know are kept. */
export const ClaimFile = z.looseObject({
  schema_version: z.literal(CLAIM_VERSION),
  /** The item on the board; empty where there is no board. */
  item_id: line(200),
  issue_number: z.number().int().positive().max(999_999_999),
  branch: line(250),
  /** What stands in the board's Agent field. */
  agent_id: line(200),
  phase: ClaimPhase,
  /** The pull request's title. */
  summary: line(2000),
  /** The board's Status that is wanted. */
  status: line(200),
  pr_number: z.number().int().positive().max(999_999_999).nullable(),
  /** When the checks were last asked for; a time that cannot be read counts as long ago. */
  last_check_poll: z.string().max(100).nullable(),
  /** The Status that was last put on the board: the same again costs no call. */
  last_synced_status: line(200).nullable(),
})
export type ClaimFile = z.infer<typeof ClaimFile>

/** Who holds an issue, as everybody can see it. */
export const ClaimHolder = z.object({
  claim: z.string(),
  /** As on the board, e.g. `edouard-1738000000`. */
  agent: z.string(),
  host: z.string(),
  takenAt: z.iso.datetime(),
  /** When it counts as dead unless it is renewed. */
  until: z.iso.datetime(),
  dead: z.boolean(),
})
export type ClaimHolder = z.infer<typeof ClaimHolder>

/** What keeps a claim from going on, and when it is tried again. */
export const ClaimTrouble = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string().optional(),
  since: z.iso.datetime(),
  /** Absent: somebody has to do something first. */
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
  /** `unreadable` when the signal file cannot be used, `gone` when somebody deleted it. */
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
  /** The person's word on closing the issue. */
  closing: z.enum(['not-asked', 'asked', 'yes', 'no']),
  trouble: ClaimTrouble.optional(),
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
  /** In a new worktree beside the project, instead of on a branch in it. */
  worktree: z.boolean().default(false),
  /** Although the board says that it is not to do. */
  anyway: z.boolean().default(false),
  /** Take it from a holder that counts as dead; `force` takes it from a living one, too. */
  takeover: z.enum(['dead', 'force']).optional(),
})
export type ClaimRequest = z.input<typeof ClaimRequest>

export const Claimed = z.object({
  claim: ClaimView,
  /** False: this worktree held it already. */
  fresh: z.boolean(),
  /** What is worth knowing but did not stand in the way. */
  warnings: z.array(z.string()),
})
export type Claimed = z.infer<typeof Claimed>

/** An issue that could be claimed, or why not. */
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

/** What the journal says about a claim. */
export const ClaimEntry = z.object({
  kind: z.literal('claim'),
  what: z.enum([
    'claimed',
    'phase',
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
})
export type ClaimEntry = z.infer<typeof ClaimEntry>

/** GET /api/board: the project's board, column by column. Without one: no board. */
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
