import type { ConversationView } from '@batonpass/contract/conversation'
import { Conversation } from '../../adapters/acp/conversation.ts'
import { type Backend, wrapBackend } from '../../ports/backend.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Timers } from '../../ports/timers.ts'

export interface MirrorParts {
  clock: Pick<Clock, 'now'>
  timers: Timers
  /** Tells what was said since the last time; one that fails is tried with the next. */
  tell(nativeSession: string, news: ConversationView): Promise<unknown>
  /** Takes what a person says to this session from elsewhere, until `over`. */
  attend?(nativeSession: string, over: AbortSignal): unknown
}

/** An agent speaks in syllables: they are told in bunches. */
const BUNCH_MS = 150

/** A hosted agent whose conversation others can follow, such as the dashboard. Nothing here delays it. */
export function mirrored(backend: Backend, { clock, timers, tell, attend }: MirrorParts): Backend {
  const said = new Conversation(clock)
  let state: ConversationView['state'] = 'waiting'
  let told = 0
  let waiting = false
  const send = async () => {
    waiting = false
    const { nativeSession } = backend
    if (nativeSession === undefined) return
    const news = { state, ...said.since(told) }
    await tell(nativeSession, news).then(
      () => {
        told = Math.max(told, news.rev)
      },
      () => {},
    )
  }
  said.listen(() => {
    if (waiting) return
    waiting = true
    timers.after(BUNCH_MS, () => void send())
  })
  backend.listen(heard => said.hear(heard))
  const becomes = (next: ConversationView['state']) => {
    state = next
    said.changed()
  }
  let attention = new AbortController()
  const startAgain = async <T>(start: () => Promise<T>): Promise<T> => {
    said.clear()
    told = 0
    attention.abort()
    attention = new AbortController()
    const { signal } = attention
    const begun = await start()
    const { nativeSession } = backend
    if (nativeSession !== undefined && !signal.aborted) attend?.(nativeSession, signal)
    return begun
  }
  return wrapBackend(backend, {
    begin: () => startAgain(() => backend.begin()),
    resume: nativeSession => startAgain(() => backend.resume(nativeSession)),
    async prompt(text, how) {
      said.prompt(text, how?.own === true)
      becomes('working')
      try {
        return await backend.prompt(text, how)
      } catch (cause) {
        said.note(cause instanceof Error ? cause.message : String(cause), true)
        throw cause
      } finally {
        becomes('waiting')
      }
    },
    cancel: () => backend.cancel(),
    listen: listener => backend.listen(listener),
    async close() {
      attention.abort()
      becomes('dead')
      await send()
      await backend.close()
    },
  })
}
