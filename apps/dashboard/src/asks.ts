import type { Ask, AskOption } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { useState } from 'preact/hooks'
import { ApiError, post } from './api.ts'
import { type Resource, useResource } from './resource.ts'

interface AskPage {
  open: AskView[]
  settled: Ask[]
}

export interface OpenAsks extends Pick<Resource<AskPage>, 'data' | 'error'> {
  /** The longest open one first. */
  open: AskView[]
  /** Why the last answer did not count. */
  trouble: ApiError | undefined
  answer(view: AskView, option: AskOption, reason?: string): Promise<void>
}

/** Questions that wait for a person, and how they are answered from here. */
export function useAsks(): OpenAsks {
  const { data, error, reload } = useResource<AskPage>('/api/page/asks', ({ body }) => body.kind === 'ask')
  const [trouble, setTrouble] = useState<ApiError>()
  const open = data?.open.toSorted((a, b) => (a.ask.createdAt < b.ask.createdAt ? -1 : 1)) ?? []
  const answer = async ({ ask }: AskView, option: AskOption, reason?: string) => {
    setTrouble(undefined)
    try {
      // Bound to what is on this page: had it changed meanwhile, the answer would not count.
      await post(`/api/asks/${ask.id}/answer`, {
        option,
        fingerprint: ask.fingerprint,
        ...(reason ? { reason } : {}),
      })
    } catch (cause) {
      if (cause instanceof ApiError) setTrouble(cause)
    }
    reload()
  }
  return { data, error, open, trouble, answer }
}
