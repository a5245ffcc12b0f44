import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'

const run = promisify(execFile)

/** Starts the daemon by the person's own `baton`. */
export async function startDaemon(command: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run(command, ['up'], { env, timeout: 30_000 })
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new BatonError('daemon_absent', missing ? `${command} was not found` : 'The daemon did not start', {
      remedy: missing
        ? 'Install Baton (npm install -g batonpass), or name its program in the setting baton.command.'
        : 'See what it says in a terminal: baton up --foreground',
      cause,
    })
  }
}
