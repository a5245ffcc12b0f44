import { execFile } from 'node:child_process'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'
import { systemIds } from '../adapters/system/ids.ts'
import type { Io } from './io.ts'

const exec = promisify(execFile)

/** A new git worktree beside the repository, on a branch of its own; gives its folder. One that is there is taken as it is. */
export async function makeWorktree(wanted: string, io: Io, dryRun = false): Promise<string> {
  const git = (...args: string[]) => exec('git', args, { cwd: io.cwd, env: { ...io.env } })
  const name = wanted || `baton-${systemIds.id(4)}`
  if (!/^[A-Za-z0-9][\w.-]{0,80}$/.test(name) || name.includes('..') || name.endsWith('.lock'))
    throw new BatonError('usage', `'${name}' cannot be the name of a worktree`, {
      remedy: 'Use letters, digits, . _ and -.',
    })
  // The main worktree's folder, also when this is another one.
  const common = await git('rev-parse', '--path-format=absolute', '--git-common-dir').catch(cause => {
    throw new BatonError('usage', 'A worktree needs a git repository, and this is none', {
      cause,
      remedy: 'Go into one, begin one with `git init`, or run it without a worktree.',
    })
  })
  const gitDir = common.stdout.trim()
  const root = basename(gitDir) === '.git' ? dirname(gitDir) : gitDir.replace(/\.git$/, '')
  const folder = join(dirname(root), `${basename(root)}-${name}`)
  const known = (await git('worktree', 'list', '--porcelain')).stdout.split('\n')
  if (dryRun || known.includes(`worktree ${folder}`)) return folder
  const exists = await git('show-ref', '--verify', '-q', `refs/heads/${name}`).then(
    () => true,
    () => false,
  )
  try {
    await git('worktree', 'add', '-q', ...(exists ? [folder, name] : ['-b', name, folder]))
  } catch (cause) {
    const said =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n').at(-1) : ''
    throw new BatonError('usage', `git made no worktree: ${said}`, {
      remedy: 'Name another: --worktree=NAME',
      cause,
    })
  }
  return folder
}
