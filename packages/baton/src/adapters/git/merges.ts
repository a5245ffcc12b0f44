import { execFile } from 'node:child_process'
import { appendFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'
import type { Merges } from '../../ports/merges.ts'
import { gitCheckouts } from './checkouts.ts'
import { gitClones } from './clones.ts'
import { systemGit } from './git.ts'
import { failed, isStranger, networkGit } from './network.ts'
import { readRegularText } from './snapshot/regular-file.ts'
import { checkBranchName, noRemote, remoteOf } from './work.ts'

const run = promisify(execFile)
const MERGE_MS = 10 * 60_000
/** More merges of a branch than this teach nothing new. */
const MAX_LEARNED = 20
const MOST_LEARNED_BYTES = 10_000_000

/**
 * Merges with the user's own git. A conflict that was solved before is solved the same way (`git rerere`; all clones of a
 * repository share what was learned, next to the shared objects). What is left goes to mergiraf, if that is installed.
 */
export const gitMerges = (parts: { mergiraf(): string | undefined }): Merges => ({
  async attempt({ project, issue, branch, base }, login) {
    const { folder, shared } = await foldersOf(project, issue)
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    await gitClones.make(project, { clone: folder, objects: join(shared, 'objects') }, login)
    const remote = await remoteOf(folder)
    if (!remote) throw noRemote()
    for (const name of [branch, base]) await checkBranchName(folder, name)
    const [head, onto] = await Promise.all([branch, base].map(name => tipOf(folder, `${remote}/${name}`)))
    const missing = !head ? branch : !onto ? base : undefined
    if (!head || !onto) throw new BatonError('git_failed', `${remote} has no branch ${missing}`)
    await must(folder, ['checkout', '--quiet', '-B', branch, head])
    await shareSolutions(folder, shared)
    if (await learnSolutions(folder, shared, onto, head)) await must(folder, ['checkout', '--quiet', branch])
    const place = { folder, head, base: onto }
    const has = await git(folder, ['merge-base', '--is-ancestor', onto, head])
    if (has.code === 0) return { kind: 'merged', by: 'git', ...place, commit: head }
    const said = `Merge ${base} into ${branch}`
    const first = await tryMerge(folder, onto, said)
    if (typeof first === 'string')
      return { kind: 'merged', by: first, ...place, commit: await headOf(folder) }
    const driver = await useMergiraf(folder, parts.mergiraf())
    const second = driver ? await tryMerge(folder, onto, said, driver) : first
    if (typeof second === 'string')
      return { kind: 'merged', by: 'mergiraf', ...place, commit: await headOf(folder) }
    return { kind: 'conflict', head, base: onto, files: second }
  },

  async tips({ project, branch, base }, login) {
    const remote = await remoteOf(project)
    if (!remote) throw noRemote()
    const args = ['ls-remote', '--', remote, `refs/heads/${branch}`, `refs/heads/${base}`]
    const said = await networkGit(args, { cwd: project }).catch(async error => {
      const own = isStranger(error) ? await login() : undefined
      if (!own) throw error
      return networkGit(args, { cwd: project, login: own })
    })
    const refs = new Map(
      said.out.split('\n').map(line => line.split('\t').reverse() as [string, string | undefined]),
    )
    return { head: refs.get(`refs/heads/${branch}`), base: refs.get(`refs/heads/${base}`) }
  },

  async remove({ project, issue }) {
    const { folder } = await foldersOf(project, issue)
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  },

  async changedFiles(clone) {
    const head = await gitCheckouts.resolve(clone, 'HEAD')
    if (!head) return []
    const base = await gitCheckouts.findBase(clone, head)
    const [committed, position] = await Promise.all([
      gitCheckouts.changes(clone, base, head),
      systemGit.readPosition(clone),
    ])
    return [...new Set([...committed.map(({ path }) => path), ...(position?.dirty ?? [])])].sort()
  },
})

async function foldersOf(project: string, issue: number): Promise<{ folder: string; shared: string }> {
  const { clone, objects } = await gitClones.folders(project, issue)
  return { folder: join(dirname(clone), `merge-${issue}`), shared: dirname(objects) }
}

/** Returns what solved it, or the files that still conflict; then nothing is changed. */
async function tryMerge(
  folder: string,
  onto: string,
  said: string,
  settings: readonly string[] = [],
): Promise<'git' | 'rerere' | string[]> {
  const how = [...(await committer(folder)), ...RERERE, ...settings]
  const merged = await git(folder, [...how, 'merge', '--quiet', '--no-ff', '-m', said, onto])
  if (merged.code === 0) return 'git'
  if ((await git(folder, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'])).code !== 0)
    throw failed(['merge'], `${merged.out}\n${merged.err}`)
  const files = (await must(folder, ['diff', '--name-only', '--diff-filter=U', '-z'])).out
    .split('\0')
    .filter(Boolean)
  if (files.length === 0) {
    await must(folder, [...how, 'commit', '--quiet', '--no-edit'])
    return 'rerere'
  }
  await must(folder, ['merge', '--abort'])
  return files
}

const RERERE = ['-c', 'rerere.enabled=true', '-c', 'rerere.autoUpdate=true']

/** Solutions belong to the repository, not to one clone. */
async function shareSolutions(folder: string, shared: string): Promise<void> {
  const cache = join(shared, 'rr-cache')
  await mkdir(cache, { recursive: true, mode: 0o700 })
  await symlink(cache, join(folder, '.git/rr-cache'))
}

/** Learns how the author solved conflicts in merges on the branch, by repeating them. Each is looked at once. */
async function learnSolutions(folder: string, shared: string, onto: string, head: string): Promise<boolean> {
  const list = join(shared, 'learned-merges')
  const known = new Set((readRegularText(list, MOST_LEARNED_BYTES) ?? '').split('\n'))
  const how = ['rev-list', '--merges', `--max-count=${MAX_LEARNED}`, head, `^${onto}`]
  const merges = (await must(folder, how)).out.split('\n').filter(id => id && !known.has(id))
  for (const merge of merges) {
    await must(folder, ['checkout', '--quiet', '--detach', `${merge}^1`])
    const settings = ['-c', 'rerere.enabled=true', ...(await committer(folder))]
    const again = await git(folder, [...settings, 'merge', '--quiet', '--no-commit', '--no-ff', `${merge}^2`])
    if (again.code !== 0) {
      await git(folder, ['checkout', '--quiet', merge, '--', '.'])
      await git(folder, [...settings, 'rerere'])
    }
    await must(folder, ['reset', '--quiet', '--hard'])
    await appendFile(list, `${merge}\n`)
  }
  return merges.length > 0
}

/** Settings that make git use mergiraf for the languages it knows; undefined without it. */
async function useMergiraf(folder: string, program: string | undefined): Promise<string[] | undefined> {
  // Git runs the driver with a shell.
  if (!program || !/^[\w./-]+$/.test(program)) return undefined
  const listed = await run(program, ['languages', '--gitattributes'], { timeout: 20_000 }).catch(
    () => undefined,
  )
  if (!listed) return undefined
  const attributes = listed.stdout.split('\n').filter(line => /^\S+ merge=mergiraf$/.test(line))
  await writeFile(join(folder, '.git/info/attributes'), `${attributes.join('\n')}\n`)
  const driver = `${program} merge --git %O %A %B -p %P -l %L`
  return ['-c', 'merge.mergiraf.name=mergiraf', '-c', `merge.mergiraf.driver=${driver}`]
}

/** A name for the commit, if the user has none. */
async function committer(folder: string): Promise<string[]> {
  const { code } = await git(folder, ['config', '--get', 'user.email'])
  return code === 0 ? [] : ['-c', 'user.name=Baton', '-c', 'user.email=baton@localhost']
}

const tipOf = async (folder: string, name: string): Promise<string | undefined> =>
  (await git(folder, ['rev-parse', '--verify', '--quiet', `refs/remotes/${name}^{commit}`])).out.trim() ||
  undefined
const headOf = async (folder: string): Promise<string> =>
  (await must(folder, ['rev-parse', 'HEAD'])).out.trim()
const git = (cwd: string, args: readonly string[]) =>
  networkGit(args, { cwd, lenient: true, timeoutMs: MERGE_MS })
const must = (cwd: string, args: readonly string[]) => networkGit(args, { cwd, timeoutMs: MERGE_MS })
