import { z } from 'zod'
import { EventId } from './ids.ts'

/** How full a session's context is, in the words that decide: see the configuration's section `context`. */
export const ContextZone = z.enum(['unknown', 'fine', 'note', 'warn', 'trigger'])
export type ContextZone = z.infer<typeof ContextZone>

/** Whose figure it is. */
export const ContextSource = z.enum(['status-line', 'plugin', 'transcript', 'acp'])
export type ContextSource = z.infer<typeof ContextSource>

const tokens = z.number().int().nonnegative()

/** How much of its context window a session uses, and how long that will last. */
export const ContextFigure = z.object({
  used: tokens,
  size: z.number().int().positive().optional(),
  /** `table`: the agent did not tell the window's size; it is the usual one of its model. */
  sizeFrom: z.enum(['agent', 'table']).optional(),
  percent: z.number().min(0).max(1000).optional(),
  zone: ContextZone,
  /** Tokens that a turn of this session usually adds. */
  perTurn: tokens.optional(),
  /** How many such turns still fit. */
  turnsLeft: tokens.optional(),
  /** The next turn may well not fit any more. */
  overflows: z.boolean().default(false),
  source: ContextSource.optional(),
  at: z.iso.datetime(),
  model: z.string().max(200).optional(),
  /** What the last turns added, oldest first, and what was used when the last one ended: the forecast stands on them. */
  growth: z.array(tokens).max(12).default([]),
  endedWith: tokens.optional(),
  /** The last turn's own figure may still come, because it is read from the transcript after its end. */
  late: z.boolean().default(false),
  /** Which event carried the advice of this zone to the agent: once for each time the zone is entered. */
  advised: z.object({ zone: ContextZone, event: EventId }).optional(),
})
export type ContextFigure = z.infer<typeof ContextFigure>
