import { z } from 'zod'

/**
 * What a running job may do outside without an ask, in terms of its own objects:
 * - `read`: fetch its remote; read its repository's issues, pull requests and checks;
 * - `push`: push its own branch to its remote, also with --force-with-lease;
 * - `rebase`: rebase its branch onto its base;
 * - `pull-request`: create, edit and comment on the pull request of its branch;
 * - `issue`: comment on, label and edit its issue;
 * - `issue-comment`: only comment on its issue;
 * - `new-issue`: create one issue;
 * - `labels`: create the labels it names;
 * - `board`: set up the board of its repository with the operations that setup-viewboard prescribes.
 */
export const GrantKind = z.enum([
  'read',
  'push',
  'rebase',
  'pull-request',
  'issue',
  'issue-comment',
  'new-issue',
  'labels',
  'board',
])
export type GrantKind = z.infer<typeof GrantKind>

const Name = z.string().min(1).max(250)

const ForgeId = z.string().min(1).max(200)

/** A board of GitHub Projects, as GitHub described it. */
const BoardFacts = z.object({
  id: ForgeId,
  number: z.number().int(),
  title: z.string().max(200),
  fields: z
    .array(z.object({ id: ForgeId, name: z.string().max(200), options: z.array(ForgeId).optional() }))
    .max(100),
  /** The board that the user named. */
  isWanted: z.boolean().optional(),
})
export type BoardFacts = z.infer<typeof BoardFacts>

/** What Baton knows about the board of a run: what the user named, and what gh answered to the run's own queries. */
const GrantBoard = z.object({
  wanted: z.object({ owner: Name, number: z.number().int().positive() }).optional(),
  /** The ids of the repository and its owner. */
  repository: ForgeId.optional(),
  owner: ForgeId.optional(),
  boards: z.array(BoardFacts).max(50).optional(),
})

/** A grant: what Baton recorded when the job began. Files that an agent can edit never add to it. */
export const Grant = z.object({
  /** The job in a few words, such as `issue-to-impl #42`. */
  job: z.string().min(1).max(200),
  may: z.array(GrantKind).max(20),
  /** The root of the worktree, without links. */
  worktree: z.string(),
  /** The remote to which the branch is pushed. */
  remote: Name.optional(),
  /** The repository in which gh works: `host/owner/name`, lower case. */
  repository: Name.optional(),
  /** Where its work starts from, such as `origin/main`. */
  bases: z.array(Name).max(20).default([]),
  branch: Name.optional(),
  issue: z.number().int().positive().optional(),
  pullRequest: z.number().int().positive().optional(),
  /** Files that it is told to write, relative to the folder of its state files. */
  files: z.array(z.string().min(1).max(500)).max(50).default([]),
  /** The folder of those files, without links. */
  filesIn: z.string().default(''),
  labels: z.array(z.string().min(1).max(100)).max(20).default([]),
  /** The work item to whose stages it may hand over, with Baton's own tools. */
  work: Name.optional(),
  board: GrantBoard.optional(),
  /** Digest of the git settings that decide where a push goes and what it runs. */
  settings: z.string().default(''),
  /** The call that creates the one new issue, and the issue once it exists. */
  created: z
    .object({ call: z.string().optional(), issue: z.number().int().positive().optional() })
    .optional(),
})
export type Grant = z.infer<typeof Grant>
