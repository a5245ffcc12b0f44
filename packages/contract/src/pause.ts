import { z } from 'zod'
import { NativeId, SessionId } from './ids.ts'

/** Where Baton stands aside: on the whole machine, in one project, or in one session. */
export const Pause = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('machine'), since: z.iso.datetime() }),
  z.object({ scope: z.literal('project'), project: z.string(), since: z.iso.datetime() }),
  z.object({
    scope: z.literal('session'),
    session: SessionId,
    nativeSession: NativeId,
    since: z.iso.datetime(),
  }),
])
export type Pause = z.infer<typeof Pause>

/** GET /api/pauses */
export const PauseList = z.object({ pauses: z.array(Pause) })

/** POST /api/pauses and /api/pauses/end, which without a scope ends all of them. */
export const PauseRequest = z.strictObject({
  scope: z.enum(['machine', 'project', 'session']).optional(),
  project: z.string().max(4096).optional(),
  /** Its id, the agent's own id, or the start of either. */
  session: z.string().max(200).optional(),
})
export type PauseRequest = z.infer<typeof PauseRequest>
