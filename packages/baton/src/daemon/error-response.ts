import { BatonError, type ErrorCode } from '@batonpass/contract/errors'
import type { Context } from 'hono'
import { z } from 'zod'

/** The response to a failed request, on every route. Details of unexpected errors are not shown. */
export function errorResponse(cause: unknown, c: Context): Response {
  const error = toError(cause)
  return c.json({ error: error.toBody() }, STATUS[error.code] ?? 500)
}

function toError(cause: unknown): BatonError {
  if (cause instanceof BatonError) return cause
  if (cause instanceof z.ZodError)
    return new BatonError('usage', `${cause.issues[0]?.path.join('.')}: ${cause.issues[0]?.message}`)
  return new BatonError('internal', 'Baton failed on this request', { cause })
}

const STATUS: Partial<Record<ErrorCode, 400 | 403 | 404 | 409 | 413>> = {
  usage: 400,
  agent_unknown: 400,
  nothing_to_hand_off: 400,
  config_invalid: 400,
  config_untrusted: 409,
  not_allowed: 403,
  not_found: 404,
  ask_closed: 409,
  claim_held: 409,
  claim_refused: 409,
  undo_unavailable: 409,
  payload_too_large: 413,
}
