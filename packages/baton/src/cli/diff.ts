import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A unified diff of one file before and after, made by git. */
export async function diffOf(path: string, before: string, after: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-diff-'))
  try {
    writeFileSync(join(folder, 'before'), before)
    writeFileSync(join(folder, 'after'), after)
    const text = await new Promise<string>((resolve, reject) => {
      // git says "different" with exit code 1, which is no error here.
      execFile(
        'git',
        ['diff', '--no-index', '--no-color', '--', 'before', 'after'],
        { cwd: folder },
        (error, stdout) => (error && error.code !== 1 ? reject(error) : resolve(stdout)),
      )
    })
    const hunks = text.slice(Math.max(0, text.indexOf('@@')))
    return `--- ${path}\n+++ ${path}\n${hunks}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
