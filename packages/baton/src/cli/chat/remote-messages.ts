import { setTimeout as pause } from 'node:timers/promises'
import { HostedWord } from '@batonpass/contract/hosted'
import type { StateFolder } from '../../config/state-folder.ts'
import { followDaemon } from '../daemon.ts'

const AGAIN_MS = 3000

/** Follows what a person says to a session from elsewhere, also over restarts of the daemon, until `over`. */
export async function followRemoteMessages(
  folder: StateFolder,
  session: { agent: string; nativeSession: string },
  over: AbortSignal,
  take: (word: HostedWord) => void,
): Promise<void> {
  const path = `/api/hosted/words?${new URLSearchParams(session)}`
  while (!over.aborted) {
    await followDaemon(folder, path, over, data => {
      const word = wordIn(data)
      if (word && !over.aborted) take(word)
    }).catch(() => {})
    await pause(AGAIN_MS, undefined, { signal: over, ref: false }).catch(() => {})
  }
}

function wordIn(data: string): HostedWord | undefined {
  try {
    return HostedWord.safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
