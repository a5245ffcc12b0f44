import { resolve } from 'node:path'
import { git } from './git.ts'

/** Who commits in a project, by the user's own settings and the project's, which are read-only in the sandbox. */
export async function readCommitter(project: string): Promise<{ name?: string; email?: string }> {
  const [name, email] = await Promise.all(
    ['user.name', 'user.email'].map(async key => (await git(project, ['config', '--get', key]))?.trim()),
  )
  return { ...(name ? { name } : {}), ...(email ? { email } : {}) }
}

/** Whether the user's own git settings sign commits; a project's have no say. */
export const signsCommits = async (): Promise<boolean> =>
  (await git('/', ['config', '--type=bool', '--get', 'commit.gpgsign']))?.trim() === 'true'

/** The git folder that all worktrees of a project share. */
export async function readGitFolder(project: string): Promise<string | undefined> {
  const found = (await git(project, ['rev-parse', '--git-common-dir']))?.trim()
  return found ? resolve(project, found) : undefined
}
