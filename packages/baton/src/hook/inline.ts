import { Envelope } from '@batonpass/contract/hook'
import { PROTOCOL } from '@batonpass/contract/protocol'
import { compose } from '../compose.ts'
import type { Environment } from '../config/places.ts'
import { openStateFolder, stateFolder } from '../config/state-folder.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import { takeLock } from '../store/lock.ts'

const LOCK_MS = 5000

/** Runs the whole engine in this process for one event, under a lock; without a writable home it keeps nothing. */
export async function takeInline(call: {
  adapter: AgentAdapter
  event: string
  body: Buffer
  source: string
  cwd: string
  env: Environment
  home: string
  stateDir: string
  signal: AbortSignal
}): Promise<string> {
  const { env, home } = call
  const place = writableFolder(call.stateDir)
  const lock = place && takeLock(`${place.dir}/inline.lock`, LOCK_MS)
  try {
    const baton = await compose({ folder: place ?? stateFolder(call.stateDir), env, home, inMemory: !place })
    try {
      const envelope = Envelope.parse({
        protocol: PROTOCOL,
        agent: call.adapter.name,
        source: call.source,
        cwd: call.cwd,
        ...(call.event ? { event: call.event } : {}),
      })
      return await baton.intake.take({ envelope, body: call.body, retry: false, signal: call.signal })
    } finally {
      await baton.close()
    }
  } finally {
    lock?.release()
  }
}

function writableFolder(dir: string) {
  try {
    return openStateFolder(dir)
  } catch {
    return undefined
  }
}
