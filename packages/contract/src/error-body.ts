import { z } from 'zod'
import { ERROR_CODES } from './errors.ts'

/** The schema of `ErrorBody` in errors.ts, for callers that parse an answer. */
export const ErrorBody = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  remedy: z.string().optional(),
})
