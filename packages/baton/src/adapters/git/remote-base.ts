import type { GitLogin } from '../../ports/git-work.ts'
import { hardenedGit } from './hardened.ts'
import { networkGit } from './network.ts'
import { remoteOf } from './work.ts'

const TIMEOUT_MS = 20_000

/** Finds where a commit left the default branch of its remote, as the remote itself names it. Changes no branch. */
export const gitRemoteBase =
  (loginFor: (project: string) => Promise<GitLogin | undefined>) =>
  async (project: string, commit: string): Promise<string | undefined> => {
    const remote = await remoteOf(project)
    if (!remote) return undefined
    let login: GitLogin | undefined
    const ask = async (...args: string[]) => {
      const call = { cwd: project, lenient: true, timeoutMs: TIMEOUT_MS }
      const said = await networkGit(args, { ...call, login })
      if (said.code === 0 || login) return said
      login = await loginFor(project).catch(() => undefined)
      return login ? networkGit(args, { ...call, login }) : said
    }
    const { code, out } = await ask('ls-remote', remote, 'HEAD')
    const tip = /^([0-9a-f]{40,64})\tHEAD$/m.exec(out)?.[1]
    if (code !== 0 || !tip) return undefined
    // The default branch may have moved since it was fetched.
    const known = await hardenedGit(['cat-file', '-e', tip], { cwd: project, ok: [0, 1, 128] })
    if (known.code !== 0) await ask('fetch', '--quiet', '--no-tags', '--no-write-fetch-head', remote, tip)
    const common = await hardenedGit(['merge-base', tip, commit], { cwd: project, ok: [0, 1, 128] })
    return common.code === 0 ? common.stdout.toString('utf8').trim() : undefined
  }
