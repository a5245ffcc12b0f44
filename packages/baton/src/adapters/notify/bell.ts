import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Programs } from '../../ports/programs.ts'

export interface BellParts {
  programs: Programs
  /** The process id of a session's agent. */
  pidOf(session: string): Promise<number | undefined>
}

const BELL = '\x07'
const TIMEOUT_MS = 3000

/** Rings the bell of the session's terminal; tmux and most terminals then mark the window. */
export function bellNotifier({ programs, pidOf }: BellParts) {
  return {
    name: 'bell' as const,
    reaches: false,
    async send({ session }: { session?: string | undefined }): Promise<boolean> {
      const pid = session && (await pidOf(session))
      if (!pid) return false
      const args = ['-o', 'tty=', '-p', String(pid)]
      const call = {
        program: 'ps',
        args,
        cwd: '/',
        env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
        input: '',
        withinMs: TIMEOUT_MS,
      }
      const { stdout } = await programs.run(call, new AbortController().signal)
      const name = /^(pts\/\d{1,6}|tty[\w/]{1,20})\s*$/.exec(stdout)?.[1]
      return name === undefined ? false : ring(`/dev/${name}`)
    },
  }
}

/** Opens the terminal without blocking (no one may be reading it) and without making it the daemon's controlling terminal. */
async function ring(path: string): Promise<boolean> {
  const { O_WRONLY, O_NOCTTY, O_NONBLOCK } = constants
  const file = await open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK).catch(() => undefined)
  if (!file) return false
  try {
    if (!(await file.stat()).isCharacterDevice()) return false
    await file.write(BELL)
    return true
  } catch {
    return false
  } finally {
    await file.close()
  }
}
