import { BatonError } from '@batonpass/contract/errors'
import { isOurDaemon, lastEndpoint } from '../../daemon/endpoint.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callDaemon, findDaemon, folderOf } from '../daemon.ts'

const STOP_MS = 10_000

/** Stops the daemon by asking it; only one that hangs, and is surely ours, is ended by a signal. */
export const down: Handler = async (given, io) => {
  const folder = folderOf(io)
  let pid: number | undefined
  try {
    const health = await findDaemon(folder)
    if (health && health !== 'silent') {
      pid = health.pid
      await callDaemon(folder, 'POST', '/api/stop')
    }
  } catch (cause) {
    if (!(cause instanceof BatonError) || cause.code !== 'daemon_refused') throw cause
  }
  if (pid === undefined) {
    pid = lastEndpoint(folder).pid
    if (pid === undefined || !isOurDaemon(pid, folder.dir)) {
      io.stdout.write('No daemon is running.\n')
      return EXIT.ok
    }
    if (!flag(given, 'force')) {
      throw new BatonError('daemon_busy', `The daemon (pid ${pid}) does not answer`, {
        remedy: 'End it anyway: baton down --force',
      })
    }
    process.kill(pid, 'SIGKILL')
  }
  const deadline = AbortSignal.timeout(STOP_MS)
  while (isOurDaemon(pid, folder.dir)) {
    if (deadline.aborted) {
      if (!flag(given, 'force'))
        throw new BatonError('timed_out', `The daemon (pid ${pid}) is still finishing its work`, {
          remedy: 'Wait, or: baton down --force',
        })
      process.kill(pid, 'SIGKILL')
    }
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  io.stdout.write(`The daemon (pid ${pid}) has stopped.\n`)
  return EXIT.ok
}
