import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Programs } from '../../ports/programs.ts'

export interface BellParts {
  programs: Programs
  /** The process of a session's agent. */
  pidOf(session: string): Promise<number | undefined>
}

const BELL = '\x07'
const WITHIN_MS = 3000

/** Rings the bell of the terminal in which the session runs; tmux and most terminals make a mark of it. */
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
        withinMs: WITHIN_MS,
      }
      const { stdout } = await programs.run(call, new AbortController().signal)
      const name = /^(pts\/\d{1,6}|tty[\w/]{1,20})\s*$/.exec(stdout)?.[1]
      return name === undefined ? false : ring(`/dev/${name}`)
    },
  }
}

/** A terminal that nobody reads must not hold up the daemon, and opening one must not make it ours. */
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
