import { BatonError } from '@batonpass/contract/errors'
import type { InsideSteps } from '../../ports/broker.ts'
import type { GitPush } from '../../ports/git-push.ts'
import { failed, type GitSaid, isMoved, networkGit } from './network.ts'
import { checkBranchName, noRemote, remoteOf } from './work.ts'

/** Pushes with the user's own git. */
export const gitPush: GitPush = async (folder, branch, login) => {
  await checkBranchName(folder, branch)
  const remote = await remoteOf(folder)
  if (!remote) throw noRemote()
  const push = (...flags: string[]) =>
    networkGit(['push', '--porcelain', ...flags, '-u', remote, `refs/heads/${branch}:refs/heads/${branch}`], {
      cwd: folder,
      // Never pass the user's token to hooks that the repository wants to run.
      hooks: login === undefined,
      login,
      lenient: true,
      timeoutMs: 300_000,
    })
  await pushOrForce(branch, remote, isForced =>
    push(...(isForced ? ['--force-with-lease', '--force-if-includes'] : [])),
  )
}

/** Pushes through the broker, for a command in a sandbox: no hook, setting or link of the project counts outside. */
export const pushInside = (inside: InsideSteps, branch: string): Promise<void> =>
  pushOrForce(branch, 'origin', async isForced => {
    const { code, text } = await inside.push(branch, isForced)
    return { code, out: '', err: text }
  })

async function pushOrForce(
  branch: string,
  remote: string,
  push: (isForced: boolean) => Promise<GitSaid>,
): Promise<void> {
  const first = await push(false)
  if (first.code === 0) return
  if (!isMoved(first)) throw pushFailed(first)
  // After a rebase: overwrite only commits that were seen here.
  const second = await push(true)
  if (second.code === 0) return
  throw isMoved(second)
    ? new BatonError('git_failed', `${branch} on ${remote} has commits that this clone does not have`, {
        remedy: `Pull them first: git pull --rebase ${remote} ${branch}`,
      })
    : pushFailed(second)
}

const pushFailed = ({ out, err }: GitSaid): BatonError => failed(['push'], `${out}\n${err}`)
