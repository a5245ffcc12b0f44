import { z } from 'zod'
import { ERROR_CODES } from './errors.ts'

/** What a caller across a process boundary is told, as it is checked there. */
export const ErrorBody = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  remedy: z.string().optional(),
})
