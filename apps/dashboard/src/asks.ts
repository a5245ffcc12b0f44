import type { AnswerRequest, Ask } from '@batonpass/contract/ask'
import type { AskView } from '@batonpass/contract/dashboard'
import { useState } from 'preact/hooks'
import { ApiError, post } from './api.ts'
import { type Resource, useResource } from './resource.ts'

interface AskPage {
  open: AskView[]
  settled: Ask[]
}

export type GivenAnswer = Omit<AnswerRequest, 'fingerprint'>

export interface OpenAsks extends Pick<Resource<AskPage>, 'data' | 'error'> {
  /** Oldest first. */
  open: AskView[]
  /** Why the daemon rejected the last answer. */
  trouble: ApiError | undefined
  answer(view: AskView, given: GivenAnswer): Promise<void>
}

/** How often the page looks for questions of other machines of the fleet. */
const FLEET_MS = 5000

/** The open questions of other machines of the fleet. */
export const useFleetAsks = (everyMs = FLEET_MS): Resource<Pick<AskPage, 'open'>> =>
  useResource('/api/page/fleet-asks', ({ body }) => body.kind === 'fleet', everyMs)

/** The open questions, also of other machines of the fleet, and a function that answers them. */
export function useAsks(): OpenAsks {
  const { data, error, reload } = useResource<AskPage>('/api/page/asks', ({ body }) => body.kind === 'ask')
  const fleet = useFleetAsks()
  const [trouble, setTrouble] = useState<ApiError>()
  const open = [...(data?.open ?? []), ...(fleet.data?.open ?? [])].toSorted((a, b) =>
    a.ask.createdAt < b.ask.createdAt ? -1 : 1,
  )
  const answer = async ({ ask }: AskView, given: GivenAnswer) => {
    setTrouble(undefined)
    try {
      // The fingerprint binds the answer to what this page shows: if the question changed, the daemon rejects the answer.
      await post(`/api/asks/${ask.id}/answer`, { ...given, fingerprint: ask.fingerprint })
    } catch (cause) {
      if (cause instanceof ApiError) setTrouble(cause)
    }
    reload()
    fleet.reload()
  }
  return { data, error, open, trouble, answer }
}
