import { homedir } from 'node:os'
import { BatonError } from '@batonpass/contract/errors'
import { compose } from '../compose.ts'
import { stateDir } from '../config/places.ts'
import { openStateFolder } from '../config/state-folder.ts'
import { takeLock } from '../store/lock.ts'
import { VERSION } from '../version.ts'
import { runDaemon } from './daemon.ts'
import { socketAnswers } from './probe.ts'

/** How long a successor waits for its predecessor to finish. */
const HANDOVER_MS = 20_000
const RETRY_MS = 100

const dir = process.argv.find(word => word.startsWith('--state-dir='))?.slice('--state-dir='.length)
const home = process.env.HOME || homedir()
process.exitCode = await serve(dir || stateDir(process.env, home), home)

async function serve(dir: string, home: string): Promise<number> {
  // The terminal that started it may go; the daemon stays.
  process.on('SIGHUP', () => {})
  try {
    const folder = openStateFolder(dir)
    const lock = await lockOrYield(folder.lock, folder.socket)
    if (!lock) return 0
    const baton = await compose({ folder, env: process.env, home })
    const daemon = await runDaemon(baton, folder, lock, VERSION)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => daemon.stop('stopped'))
    const died = (during: string) => (cause: unknown) => baton.fault(during, cause)
    process.on('unhandledRejection', died('a task nobody waited for'))
    process.on('uncaughtException', died('the event loop'))
    process.stdout.write(`baton daemon ${VERSION} at ${daemon.url}\n`)
    await daemon.ended
    return 0
  } catch (cause) {
    const error = cause instanceof BatonError ? cause : new BatonError('internal', String(cause), { cause })
    process.stderr.write(`baton: ${error.message}\n${error.remedy ? `${error.remedy}\n` : ''}`)
    return 1
  }
}

/** Two starts at once leave one: the second sees that the first answers and goes. */
async function lockOrYield(path: string, socket: string) {
  const deadline = AbortSignal.timeout(HANDOVER_MS)
  for (;;) {
    const lock = takeLock(path, 0)
    if (lock) return lock
    if (deadline.aborted || (await socketAnswers(socket))) return undefined
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
}
