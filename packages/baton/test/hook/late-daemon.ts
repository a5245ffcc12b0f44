import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../world/wait.ts'
import type { HookWorld } from './world.ts'

const PROGRAM = join(import.meta.dirname, 'late-daemon-program.ts')

/** The real daemon, of version 0.0.9, with a reactor that answers tool calls late; in a process of its own, as it should be. */
export interface LateDaemon extends AsyncDisposable {
  /** How many calls it has held. */
  held(): number
  /** How many of them nobody waited for any more. */
  letGo(): number
  kill(signal: NodeJS.Signals): void
  ended: Promise<unknown>
}

/** Its start alone is waited for longer than a test usually lasts. */
export const WITH_LATE_DAEMON = { timeout: 240_000 }

export async function lateDaemon(
  { folder, home, env }: Pick<HookWorld, 'folder' | 'home' | 'env'>,
  { answerAfterMs = 600_000 } = {},
): Promise<LateDaemon> {
  const child = spawn(process.execPath, [PROGRAM, folder.dir, home, String(answerAfterMs)], { env })
  const ended = once(child, 'close')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk
    })
  const count = (word: string) => said.split('\n').filter(line => line === word).length
  await until(() => count('listening') === 1, {
    what: 'the daemon to listen',
    timeout: 120_000,
    evidence: () => said,
  })
  return {
    held: () => count('held'),
    letGo: () => count('let go'),
    kill: signal => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
