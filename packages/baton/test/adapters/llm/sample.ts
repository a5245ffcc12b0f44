import { z } from 'zod'
import type { ModelQuestion } from '../../../src/ports/model.ts'

export const Choice = z.strictObject({ decision: z.enum(['allow', 'deny', 'ask']), reason: z.string() })

export const question: ModelQuestion = {
  model: 'haiku',
  system: 'Our own words.',
  prompt: 'Judge this.',
  withinMs: 20_000,
  maxTokens: 500,
}

export const never = (): AbortSignal => new AbortController().signal
