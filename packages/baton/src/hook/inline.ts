import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import { Envelope } from '@batonpass/contract/hook'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { compose } from '../compose.ts'
import type { Environment } from '../config/places.ts'
import { openStateFolder, type StateFolder } from '../config/state-folder.ts'
import { takeLock } from '../store/lock.ts'

const LOCK_MS = 5000

/** Runs the whole engine in this process for one event, under a lock; without a writable home it keeps nothing. */
export async function takeInline(call: {
  agent: AgentName
  event: string
  body: Buffer
  source: string
  cwd: string
  env: Environment
  home: string
  folder: StateFolder
  signal: AbortSignal
}): Promise<string> {
  const { env, home } = call
  const place = writableFolder(call.folder.dir)
  const lock = place && takeLock(join(place.dir, 'inline.lock'), LOCK_MS)
  if (place && !lock) throw new BatonError('daemon_busy', 'other hooks run in this folder and do not end')
  try {
    const baton = await compose({ folder: place ?? call.folder, env, home, inMemory: !place })
    try {
      const envelope = Envelope.parse({
        protocol: PROTOCOL,
        agent: call.agent,
        source: call.source,
        cwd: call.cwd,
        ...(call.event ? { event: call.event } : {}),
      })
      return await baton.intake.handleHookCall({
        envelope,
        body: call.body,
        retry: false,
        signal: call.signal,
      })
    } finally {
      await baton.close()
    }
  } finally {
    lock?.release()
  }
}

function writableFolder(dir: string): StateFolder | undefined {
  try {
    const folder = openStateFolder(dir)
    accessSync(dir, constants.W_OK)
    return folder
  } catch {
    return undefined
  }
}
