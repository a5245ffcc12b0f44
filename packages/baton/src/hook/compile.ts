import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COMPILE_MS = 30_000

/**
 * Compiles a small C program with the machine's own compiler. Undefined where there is none, or where it cannot. If the
 * program in the file `made` comes from the same source, it is used again.
 */
export function compile(source: string, made: string): Buffer | undefined {
  const mark = `baton-source ${createHash('sha256').update(source).digest('hex')}`
  const kept = existsSync(made) ? readFileSync(made) : undefined
  if (kept?.includes(mark)) return kept
  const folder = mkdtempSync(join(tmpdir(), 'baton-cc-'))
  try {
    const marked = `${source}\n__attribute__((used)) static const char mark[] = "${mark}";\n`
    writeFileSync(join(folder, 'launcher.c'), marked)
    // A program without shared libraries starts in half the time, but not every system can make one.
    for (const flags of [['-static'], []]) {
      // Not optimised: that would double the time to compile, and a call takes as long.
      const words = ['-O0', '-w', ...flags, '-o', 'launcher', 'launcher.c']
      const { status } = spawnSync('cc', words, { cwd: folder, stdio: 'ignore', timeout: COMPILE_MS })
      if (status === 0) return readFileSync(join(folder, 'launcher'))
    }
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
