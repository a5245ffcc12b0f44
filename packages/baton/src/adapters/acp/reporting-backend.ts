import { BatonError } from '@batonpass/contract/errors'
import type { DecodedEvent } from '../../ports/agent.ts'
import {
  type Backend,
  type BackendEvent,
  type PromptOptions,
  type TurnEnd,
  wrapBackend,
} from '../../ports/backend.ts'
import type { ReactTo } from '../../ports/reactor.ts'

const NO_END = new AbortController().signal
/** Stops an endless chain of continuations; every workflow limit is far below this. */
const MAX_CONTINUATIONS = 1000

/** A hosted agent that reports to Baton: its updates count like calls from that agent's hooks. */
export function reportingBackend(backend: Backend, ear: ReactTo, cwd: string, ownTurn?: OwnTurn): Backend {
  const listeners = new Set<(heard: BackendEvent) => void>()
  let text = ''
  let stopped = false
  let closing = false
  let context: string[] = []
  backend.listen(heard => {
    if (heard.kind === 'text') text = (text + heard.text).slice(-MAX_TEXT_LENGTH)
    if (heard.kind === 'call') text = ''
    if (heard.kind === 'usage') {
      const { used, size } = heard
      const measured =
        size === undefined ? {} : { size, percent: Math.min(1000, Math.round((used / size) * 1000) / 10) }
      void tell({ type: 'ContextMeasured', used, ...measured, source: 'acp' })
    }
    pass(heard)
  })

  const pass = (heard: BackendEvent) => {
    for (const listener of listeners) listener(heard)
  }

  /** Reporting must never block the work: if the report fails, the agent continues. */
  async function tell(event: WithoutPlace<DecodedEvent>, signal = NO_END) {
    const { nativeSession } = backend
    if (nativeSession === undefined) return {}
    return await ear({ ...event, nativeSession, cwd } as DecodedEvent, signal).catch(() => ({}))
  }

  async function turn(words: string, how: PromptOptions): Promise<TurnEnd> {
    text = ''
    try {
      return await backend.prompt(words, how)
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause)
      // A turn that ends because the agent is closed has not failed.
      if (!closing) await tell({ type: 'TurnFailed', error: 'agent', message })
      throw cause
    }
  }

  /** Sends a prompt without reports. The agent's own hooks would still report it, so Baton is asked to ignore them. */
  async function own(words: string, how: PromptOptions): Promise<TurnEnd> {
    const { nativeSession } = backend
    if (!ownTurn || nativeSession === undefined) return await backend.prompt(words, how)
    await ownTurn(nativeSession, true).catch(() => {})
    try {
      return await backend.prompt(words, how)
    } finally {
      await ownTurn(nativeSession, false).catch(() => {})
    }
  }

  return wrapBackend(backend, {
    async begin() {
      if (backend.nativeSession !== undefined) await tell({ type: 'SessionEnded', reason: 'clear' })
      const source = backend.nativeSession === undefined ? 'startup' : 'clear'
      const native = await backend.begin()
      const reaction = await tell({ type: 'SessionStarted', source })
      context = 'context' in reaction && reaction.context ? [reaction.context] : []
      return native
    },
    async resume(native) {
      const resumed = await backend.resume(native)
      if (resumed) await tell({ type: 'SessionStarted', source: 'resume' })
      return resumed
    },
    async prompt(words, how = {}) {
      if (how.own) return await own(words, how)
      stopped = false
      const { refuse, context: more } = {
        refuse: undefined,
        context: undefined,
        ...(await tell({ type: 'PromptSubmitted', prompt: words })),
      }
      if (refuse) throw new BatonError('not_allowed', refuse.reason)
      const before = [...context, ...(how.before ?? []), ...(more ? [more] : [])]
      let end = await turn(words, { before })
      context = []
      for (let n = 0; n < MAX_CONTINUATIONS; n++) {
        const outcome = end === 'cancelled' || stopped ? 'aborted' : 'completed'
        const lastMessage = text
        const { goOn } = {
          goOn: undefined,
          ...(await tell({ type: 'TurnEnded', continued: n > 0, lastMessage, outcome })),
        }
        if (!goOn || outcome === 'aborted' || stopped) return end
        pass({ kind: 'continued', prompt: goOn.prompt })
        end = await turn(goOn.prompt, {})
      }
      return end
    },
    async cancel() {
      stopped = true
      await backend.cancel()
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      closing = true
      await tell({ type: 'SessionEnded', reason: 'closed' })
      await backend.close()
    },
  })
}

/** Marks the start and the end of a session's answer to one of Baton's own questions. */
export type OwnTurn = (nativeSession: string, on: boolean) => Promise<void>

const MAX_TEXT_LENGTH = 200_000

type WithoutPlace<E> = E extends unknown ? Omit<E, 'nativeSession' | 'cwd'> : never
