import { z } from 'zod'
import { ErrorBody } from './error-body.ts'
import { Entry } from './journal.ts'
import { Pause } from './pause.ts'
import { Session } from './session.ts'

/** GET /api/health. Clients also use it to recognise a Baton daemon and its version. */
export const Health = z.object({
  name: z.literal('baton'),
  version: z.string(),
  protocol: z.number().int(),
  pid: z.number().int(),
  startedAt: z.iso.datetime(),
  stateDir: z.string(),
  url: z.string(),
  draining: z.boolean(),
  sessions: z.object({ live: z.number().int() }),
  memoryMb: z.number(),
  store: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    entries: z.number().int(),
    copy: z.enum(['off', 'current', 'behind', 'failing']),
    /** Why the copy is failing and what to do, in one line. */
    copyProblem: z.string().optional(),
    /** Why the journal cannot be written and what to do, in one line. */
    writeProblem: z.string().optional(),
  }),
  /** Absent while Baton is still finding out. */
  sandbox: z
    .object({
      mode: z.enum(['on', 'off', 'strict']),
      program: z.string().optional(),
      problem: z.string().optional(),
      remedy: z.string().optional(),
      /** Agents whose commands are judged by their text although there is a sandbox, each with the reason. */
      off: z.array(z.string()).optional(),
    })
    .optional(),
  config: z.object({ ok: z.boolean(), problems: z.array(z.string()) }),
  /** Where Baton stands aside because a person paused it. */
  pauses: z.array(Pause).optional(),
})
export type Health = z.infer<typeof Health>

export const SessionList = z.object({ sessions: z.array(Session) })
export type SessionList = z.infer<typeof SessionList>
export const EntryList = z.object({ entries: z.array(Entry) })
export const Stopped = z.object({ stopping: z.literal(true), pid: z.number().int() })
export const Failure = z.object({ error: ErrorBody })
