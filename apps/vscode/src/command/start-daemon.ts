import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'

const run = promisify(execFile)

/** Starts the daemon with the user's own `baton` program. */
export async function startDaemon(command: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run(command, ['up'], { env, timeout: 30_000 })
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new BatonError(
      'daemon_absent',
      missing ? `Program not found: ${command}` : 'The daemon did not start',
      {
        remedy: missing
          ? 'Install Baton (npm install -g batonpass), or set baton.command to its path.'
          : 'To see why, run `baton up --foreground` in a terminal.',
        cause,
      },
    )
  }
}
