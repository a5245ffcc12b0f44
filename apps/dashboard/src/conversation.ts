import type { ConversationItem, ConversationView } from '@batonpass/contract/conversation'
import { useEffect, useState } from 'preact/hooks'
import { access, markLoggedOut } from './api.ts'
import { pageFetch } from './page-key.ts'
import { readEvents, waitBeforeRetry } from './sse.ts'

export interface Conversation {
  state: ConversationView['state'] | 'looking'
  items: readonly ConversationItem[]
  plan: ConversationView['plan']
  /** The terminal that runs this conversation accepts prompts from here. */
  hears: boolean
}

const NOTHING: Conversation = { state: 'looking', items: [], plan: [], hears: false }

/** Follows the conversation of a session that Baton hosts, live. */
export function useConversation(session: string): Conversation {
  const [known, setKnown] = useState<Conversation>(NOTHING)
  useEffect(() => {
    const stop = new AbortController()
    setKnown(NOTHING)
    void followConversation(session, stop.signal, change => setKnown(change))
    return () => stop.abort()
  }, [session])
  return known
}

type Change = (old: Conversation) => Conversation

async function followConversation(session: string, over: AbortSignal, update: (change: Change) => void) {
  for (let tries = 0; !over.aborted && access.value !== 'out'; tries++) {
    const stop = new AbortController()
    const end = () => stop.abort()
    over.addEventListener('abort', end, { once: true })
    try {
      const response = await pageFetch(`/api/page/sessions/${session}/conversation`, {
        signal: stop.signal,
      })
      if (response.status === 401) markLoggedOut()
      if (!response.ok || !response.body) throw new Error(String(response.status))
      tries = 0
      let first = true
      await readEvents(response.body, stop, data => {
        const view = data as ConversationView
        const fresh = first
        first = false
        update(old => mergeItems(fresh ? [] : old.items, view))
      })
    } catch {
      // The loop tries again below.
    }
    over.removeEventListener('abort', end)
    if (!over.aborted) await waitBeforeRetry(tries + 1)
  }
}

function mergeItems(
  old: readonly ConversationItem[],
  { state, items, plan, hears = false }: ConversationView,
): Conversation {
  const all = new Map(old.map(item => [item.nth, item]))
  for (const item of items) all.set(item.nth, item)
  return { state, items: [...all.values()].sort((a, b) => a.nth - b.nth), plan, hears }
}
