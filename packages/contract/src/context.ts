import { z } from 'zod'
import { EventId } from './ids.ts'

/** How full a session's context is. The `context` section of the configuration sets the thresholds. */
export const ContextZone = z.enum(['unknown', 'fine', 'note', 'warn', 'trigger'])
export type ContextZone = z.infer<typeof ContextZone>

/** Where the figure comes from. */
export const ContextSource = z.enum(['status-line', 'plugin', 'transcript', 'acp'])
export type ContextSource = z.infer<typeof ContextSource>

const tokens = z.number().int().nonnegative()

/** How much of its context window a session uses, and how long that will last. */
export const ContextFigure = z.object({
  used: tokens,
  size: z.number().int().positive().optional(),
  /** `table`: the agent did not report the window's size, so Baton uses the usual size for the model. */
  sizeFrom: z.enum(['agent', 'table']).optional(),
  percent: z.number().min(0).max(1000).optional(),
  zone: ContextZone,
  /** How many tokens a turn of this session usually adds. */
  perTurn: tokens.optional(),
  /** How many such turns still fit. */
  turnsLeft: tokens.optional(),
  /** The next turn may not fit. */
  overflows: z.boolean().default(false),
  source: ContextSource.optional(),
  at: z.iso.datetime(),
  model: z.string().max(200).optional(),
  /** Input for the forecast: tokens added by each of the last turns, oldest first, and tokens used at the end of the last one. */
  growth: z.array(tokens).max(12).default([]),
  endedWith: tokens.optional(),
  /** The figure of the last turn may still arrive: Baton reads it from the transcript after the turn ends. */
  late: z.boolean().default(false),
  /** The event that delivered this zone's advice to the agent. Baton advises once each time a session enters a zone. */
  advised: z.object({ zone: ContextZone, event: EventId }).optional(),
})
export type ContextFigure = z.infer<typeof ContextFigure>
