import { BatonError } from '@batonpass/contract/errors'
import type { Model, ModelQuestion, OnModelUsage } from '../../ports/model.ts'

export interface ApiAccess {
  key: string
  /** The service's address without `/v1`, as Claude Code expects it, too. */
  baseUrl?: string | undefined
}

/** The Anthropic API with a key, through the AI SDK, which is loaded at the first call. */
export function apiModel(access: ApiAccess, onUsage: OnModelUsage = () => {}): Model {
  const generate = (question: ModelQuestion) => countUsage(question, onUsage)
  return {
    ask: (question, shape, signal) =>
      bounded(question, signal, async abortSignal => {
        const { generateText, jsonSchema, Output } = await import('ai')
        const settings = await settingsFor(access, question)
        const output = Output.object({ schema: jsonSchema(shape.schema) })
        const answer = await generate(question)(generateText({ ...settings, abortSignal, output }))
        // A refusal or a truncated answer does not count, even if it happens to parse.
        if (answer.finishReason !== 'stop') throw failed(`ended early (${answer.finishReason})`)
        try {
          return shape.parse(answer.output)
        } catch {
          throw failed('gave no usable answer')
        }
      }),
    write: (question, signal) =>
      bounded(question, signal, async abortSignal => {
        const { generateText } = await import('ai')
        const settings = await settingsFor(access, question)
        const { text } = await generate(question)(generateText({ ...settings, abortSignal }))
        if (text.trim() === '') throw failed('brought nothing')
        return text
      }),
  }
}

/** Reports what a call used when it ends; an answer of the wrong shape costs as much as a right one. */
function countUsage({ model }: ModelQuestion, onUsage: OnModelUsage) {
  const report = (from: unknown) => {
    const usage = isRecord(from) && isRecord(from.usage) ? from.usage : {}
    const { inputTokens, outputTokens } = usage
    onUsage({
      by: 'api',
      model: ALIASES.get(model) ?? model,
      ...(isCount(inputTokens) ? { inputTokens } : {}),
      ...(isCount(outputTokens) ? { outputTokens } : {}),
    })
  }
  return async <T>(call: Promise<T>): Promise<T> => {
    try {
      const answer = await call
      report(answer)
      return answer
    } catch (cause) {
      report(cause)
      throw cause
    }
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** What the aliases mean to the API; Claude Code 2.1.325 understands `haiku` the same way. */
const ALIASES: ReadonlyMap<string, string> = new Map([['haiku', 'claude-haiku-5-5']])

async function settingsFor(access: ApiAccess, { model, system, prompt, maxTokens }: ModelQuestion) {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  const anthropic = createAnthropic({
    apiKey: access.key,
    ...(access.baseUrl ? { baseURL: `${access.baseUrl.replace(/(\/v1)?\/*$/, '')}/v1` } : {}),
    // A redirect would send the key to another host.
    fetch: (url, init) => fetch(url, { ...init, redirect: 'error' }),
  })
  return {
    model: anthropic(ALIASES.get(model) ?? model),
    system,
    prompt,
    maxOutputTokens: maxTokens,
    maxRetries: 1,
  }
}

async function bounded<T>(
  { withinMs }: ModelQuestion,
  signal: AbortSignal,
  run: (both: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(withinMs)
  try {
    return await run(AbortSignal.any([signal, late]))
  } catch (cause) {
    if (cause instanceof BatonError) throw cause
    if (signal.aborted) throw failed('was cancelled')
    if (late.aborted)
      throw new BatonError('timed_out', `The model did not answer within ${withinMs / 1000} seconds`)
    throw failed(whatWentWrong(cause))
  }
}

/** The SDK's errors contain the whole request, so report only the status and the kind. */
function whatWentWrong(cause: unknown): string {
  const last = isRecord(cause) && isRecord(cause.lastError) ? cause.lastError : cause
  if (!isRecord(last)) return 'failed'
  if (typeof last.statusCode === 'number') return `was refused by the service (HTTP ${last.statusCode})`
  if (typeof last.name === 'string' && /^AI_No\w*Generated/.test(last.name)) return 'gave no usable answer'
  return 'could not be reached'
}

function failed(what: string): BatonError {
  return new BatonError('model_failed', `The model call ${what}`, {
    remedy: 'Check ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL. Until then, Baton asks a person.',
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
