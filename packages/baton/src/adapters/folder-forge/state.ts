import { z } from 'zod'

const FolderIssue = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().default(''),
  state: z.enum(['open', 'closed']).default('open'),
  labels: z.array(z.string()).default([]),
  assignees: z.array(z.string()).default([]),
  author: z.string().default('you'),
  createdAt: z.number().default(0),
  blockedBy: z.array(z.number().int().positive()).default([]),
  comments: z.array(z.object({ marker: z.string(), text: z.string() })).default([]),
  status: z.string().optional(),
  agent: z.string().optional(),
})
export type FolderIssue = z.infer<typeof FolderIssue>

const FolderPull = z.object({
  number: z.number().int().positive(),
  branch: z.string(),
  base: z.string(),
  headSha: z.string(),
  title: z.string(),
  body: z.string(),
  draft: z.boolean(),
  /** When Baton merged it. */
  mergedAt: z.number().optional(),
})
export type FolderPull = z.infer<typeof FolderPull>

/** `forge.json`: what Baton reads and writes. */
export const FolderState = z.object({
  owner: z.string().default('you'),
  name: z.string().default('project'),
  statuses: z.array(z.string()).default(['Todo', 'In Progress', 'In Review', 'Done']),
  issues: z.array(FolderIssue).default([]),
  pulls: z.array(FolderPull).default([]),
})
export type FolderState = z.infer<typeof FolderState>

/** `people.json`: what people and CI do, by pull request number. Baton only reads it. */
export const FolderPeople = z.object({
  merged: z.record(z.string(), z.number()).default({}),
  closed: z.array(z.number()).default([]),
  /** The commits that people approved. */
  approved: z.record(z.string(), z.array(z.string())).default({}),
  checks: z
    .record(
      z.string(),
      z.array(z.object({ name: z.string(), state: z.enum(['passed', 'failed', 'pending', 'unknown']) })),
    )
    .default({}),
})
export type FolderPeople = z.infer<typeof FolderPeople>
