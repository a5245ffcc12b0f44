import { SessionId } from '@batonpass/contract/ids'
import { IssueChecks } from '@batonpass/contract/proof'
import { StageName, WorkEnd, WorkId } from '@batonpass/contract/work'
import { z } from 'zod'

/** Baton's own record of what a work item has to show, and of its result. */
export const WorkProof = z.object({
  project: z.string(),
  workId: WorkId,
  /** The commit from which the work starts, recorded when a person began it. */
  base: z.string().optional(),
  /** The checks of its issue, recorded when a person began it. */
  issueChecks: IssueChecks.optional(),
  /** The proof that runs, and the session of the last stage. */
  running: z
    .object({
      id: z.string(),
      commit: z.string(),
      session: SessionId,
      stage: StageName,
      /** The agent's last message. */
      said: z.string().optional(),
    })
    .optional(),
  failures: z.object({ count: z.number().int(), same: z.number().int(), failure: z.string() }).optional(),
  /** What failed, until the agent has it. */
  sendBack: z.object({ prompt: z.string(), tries: z.number().int() }).optional(),
  /** The agent was told once that its report contradicts the evidence. */
  reportReturned: z.boolean().default(false),
  result: WorkEnd.optional(),
})
export type WorkProof = z.infer<typeof WorkProof>
