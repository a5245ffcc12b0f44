import { BatonError } from '@batonpass/contract/errors'
import { callDaemon, folderOf, type Message, startDaemon } from './daemon.ts'
import type { Io } from './io.ts'

/** A call to the daemon, which is started if none runs. */
export async function callStartedDaemon(
  io: Io,
  method: string,
  path: string,
  timeoutMs: number,
  message: Message = {},
): Promise<unknown> {
  const folder = folderOf(io)
  try {
    return await callDaemon(folder, method, path, timeoutMs, message)
  } catch (cause) {
    if (!(cause instanceof BatonError) || cause.code !== 'daemon_absent') throw cause
  }
  await startDaemon(folder, io)
  return callDaemon(folder, method, path, timeoutMs, message)
}
