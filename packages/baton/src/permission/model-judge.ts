import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'
import type { ModelVerdict } from '@batonpass/contract/permission'
import type { Redactor } from '../journal/redact.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Model } from '../ports/model.ts'
import { encodeFacts } from '../ports/model-data.ts'
import type { Timers } from '../ports/timers.ts'
import { AnswerMemory } from './answer-memory.ts'
import {
  answerShape,
  cleanReason,
  factsOf,
  ModelAnswer,
  type ModelRequest,
  promptOf,
  SYSTEM,
} from './model-question.ts'

export interface ModelJudge {
  /** Turns an undecided request into allow or deny, or leaves it to a person with `ask`. Never rejects. */
  judge(request: ModelRequest, signal: AbortSignal): Promise<ModelVerdict>
}

export interface ModelJudgePorts {
  model: Model
  clock: Clock
  timers: Timers
  ids: Ids
  redactor: Redactor
  /** Alias or full name of the model. */
  name?: string
  withinMs?: number
}

const JUDGE_MODEL = 'haiku'
export const JUDGE_MS = 30_000
const REMEMBERED = { most: 1000, keepMs: 60 * 60_000 }
/** What is longer is for a person: a model would lose sight of it. */
const LONGEST_FACTS = 48 * 1024
const ANSWER_TOKENS = 1000

/** One call per question: a caller that asks exactly the same meanwhile waits for it, too. */
interface Pending {
  answer: Promise<ModelAnswer>
  waiting: number
  abandon(): void
}

export function makeModelJudge({
  model,
  clock,
  timers,
  ids,
  redactor,
  name = JUDGE_MODEL,
  withinMs = JUDGE_MS,
}: ModelJudgePorts): ModelJudge {
  const memory = new AnswerMemory<ModelAnswer>(clock, REMEMBERED)
  const pending = new Map<string, Pending>()
  const shape = answerShape()

  function begin(key: string, encoded: string): Pending {
    const abort = new AbortController()
    const question = {
      model: name,
      system: SYSTEM,
      prompt: promptOf(encoded, () => ids.id(26)),
      withinMs,
      maxTokens: ANSWER_TOKENS,
    }
    const late = new Promise<Outcome>(resolve => {
      const off = timers.after(withinMs, () =>
        resolve(toPerson(`the model did not answer within ${withinMs / 1000} seconds`)),
      )
      abort.signal.addEventListener('abort', off, { once: true })
    })
    const asked = model
      .ask(question, shape, abort.signal)
      .then(checked)
      .catch(cause => toPerson(whyFailed(cause)))
    const answer = Promise.race([asked, late]).then(({ isFailure, ...given }) => {
      abort.abort()
      if (pending.get(key) === entry) pending.delete(key)
      // A model that is unsure stays unsure; one that failed may answer next time.
      if (!isFailure) memory.put(key, given)
      return given
    })
    const entry: Pending = { answer, waiting: 0, abandon: () => abort.abort() }
    pending.set(key, entry)
    return entry
  }

  /** The answer, or `ask` at once when this caller leaves; the call ends when the last one has left. */
  async function waitFor(key: string, entry: Pending, signal: AbortSignal): Promise<ModelAnswer> {
    entry.waiting++
    const { promise: left, resolve } = Promise.withResolvers<ModelAnswer>()
    const leave = () => resolve(toPerson('no one waits for the answer any more'))
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([entry.answer, left])
    } finally {
      signal.removeEventListener('abort', leave)
      entry.waiting--
      if (entry.waiting === 0 && pending.get(key) === entry) {
        pending.delete(key)
        entry.abandon()
      }
    }
  }

  async function answer(
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<ModelAnswer & { cached: boolean }> {
    const why = whyNotAsked(request) ?? (signal.aborted ? 'no one waits for the answer any more' : undefined)
    if (why) return { ...toPerson(why), cached: false }
    const encoded = encodeSafely(request, redactor)
    if ('why' in encoded) return { ...toPerson(encoded.why), cached: false }
    const key = createHash('sha256').update(`${name}\0${encoded.facts}`).digest('base64')
    const known = memory.get(key)
    if (known) return { ...known, cached: true }
    const running = pending.get(key)
    const entry = running ?? begin(key, encoded.facts)
    return { ...(await waitFor(key, entry, signal)), cached: running !== undefined }
  }

  return {
    async judge(request, signal) {
      const began = clock.elapsed()
      const given = await answer(request, signal).catch(cause => ({
        ...toPerson(whyFailed(cause)),
        cached: false,
      }))
      const ms = Math.max(0, Math.round(clock.elapsed() - began))
      return { decision: given.decision, reason: given.reason, model: name, ms, cached: given.cached }
    },
  }
}

/** A model only ever decides what is undecided and fully understood. */
function whyNotAsked({ judgement }: ModelRequest): string | undefined {
  if (judgement.decision !== 'undecided' || judgement.final)
    return `the rules say ${judgement.decision}: no model is asked`
  if (judgement.effects.unknown.length > 0)
    return 'part of it is only known when it runs: no model is asked to allow that'
  return undefined
}

/** The request as text that may leave the machine, or why it may not. */
function encodeSafely(request: ModelRequest, redactor: Redactor): { facts: string } | { why: string } {
  const { goal, ...exact } = factsOf(request)
  // Measured before anything costly looks at it.
  if (encodeFacts(exact).length > LONGEST_FACTS) return { why: 'it is too long for a model to judge' }
  // A model that saw something else than what will run cannot judge it.
  if (!isDeepStrictEqual(redactor.redact(exact), exact))
    return { why: 'it holds a secret that is not shown to a model' }
  return { facts: encodeFacts({ ...(goal === undefined ? {} : { goal: redactor.text(goal) }), ...exact }) }
}

/** Adapters promise the shape; a judge does not depend on promises. */
function checked(answer: unknown): Outcome {
  const { decision, reason } = ModelAnswer.parse(answer)
  const clean = cleanReason(reason)
  return clean === '' ? toPerson('the model gave no reason') : { decision, reason: clean }
}

/** What a question came to: the model's own answer, or `ask` because there is none. */
type Outcome = ModelAnswer & { isFailure?: true }

function toPerson(reason: string): Outcome {
  return { decision: 'ask', reason, isFailure: true }
}

function whyFailed(cause: unknown): string {
  return cause instanceof BatonError ? cleanReason(cause.message) : 'the model gave no valid answer'
}
