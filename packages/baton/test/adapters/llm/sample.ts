import { answerShape } from '../../../src/permission/model-question.ts'
import type { ModelQuestion } from '../../../src/ports/model.ts'

export const Choice = answerShape()

export const question: ModelQuestion = {
  model: 'haiku',
  system: 'Our own words.',
  prompt: 'Judge this.',
  withinMs: 20_000,
  maxTokens: 500,
}

export const never = (): AbortSignal => new AbortController().signal
