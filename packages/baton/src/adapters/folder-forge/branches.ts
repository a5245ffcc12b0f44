import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ForgeError } from '../../ports/forge.ts'
import type { FolderPull } from './state.ts'

const run = promisify(execFile)

/** The commit of a branch in `origin.git`. */
export async function headOf(folder: string, branch: string): Promise<string | undefined> {
  // A name from an agent must not be parsed as an option or a range.
  if (!/^[A-Za-z0-9][\w./-]{0,200}$/.test(branch) || branch.includes('..')) return undefined
  const args = ['--git-dir', `${folder}/origin.git`, 'rev-parse', '--verify', '--quiet']
  const found = await run('git', [...args, `refs/heads/${branch}`]).catch(() => undefined)
  return found?.stdout.trim() || undefined
}

/** Moves the base from the commit that was read, so that a push at the same moment is not lost. Returns the time. */
export async function mergeBranch(
  folder: string,
  { number, base, headSha, title }: FolderPull,
  method: 'merge' | 'squash',
): Promise<number> {
  const git = async (...args: string[]) =>
    (
      await run('git', ['--git-dir', `${folder}/origin.git`, '-c', 'user.name=you', ...args], {
        env: { ...process.env, EMAIL: 'you@localhost' },
      })
    ).stdout.trim()
  const onto = await headOf(folder, base)
  if (!onto) throw new ForgeError('not-found', `There is no branch ${base}`)
  // After a crash the base may have it already.
  const has = await git('merge-base', '--is-ancestor', headSha, onto).then(
    () => true,
    () => false,
  )
  const timeOf = async (commit: string) => Number(await git('show', '-s', '--format=%ct', commit)) * 1000
  if (has) return timeOf(onto)
  const tree = await git('merge-tree', '--write-tree', onto, headSha).catch(() => {
    throw new ForgeError('refused', `#${number} conflicts with ${base}`)
  })
  const parents = method === 'merge' ? ['-p', onto, '-p', headSha] : ['-p', onto]
  const commit = await git('commit-tree', tree, ...parents, '-m', `${title} (#${number})`)
  await git('update-ref', `refs/heads/${base}`, commit, onto)
  return timeOf(commit)
}
