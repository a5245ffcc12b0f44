import { posix } from 'node:path'
import type { SandboxFiles } from '../ports/sandbox.ts'
import { PROTECTED_IN_GIT } from './paths.ts'

/** The repository of a worktree, checked against forged pointers. */
export interface GitLayout {
  /** The worktree's own git folder. */
  gitDir: string
  /** The repository's git folder: another one for a linked worktree. */
  commonDir: string
  /** Those of the two that are outside the worktree. */
  outside: readonly string[]
  /** Parts of the repository that belong to other worktrees, and the pointers of this one. */
  foreign: readonly string[]
}

/** A folder with git's files in it, and which of its protected parts exist. */
export interface GitFolder {
  path: string
  protectedParts: readonly string[]
}

/**
 * Where the worktree's git data is. A linked worktree counts only if the repository points back to it, because a
 * forged `.git` file could otherwise make another project's repository writable.
 */
export async function readGitLayout(files: SandboxFiles, worktree: string): Promise<GitLayout | undefined> {
  const dotGit = `${worktree}/.git`
  const fact = (await files.look([dotGit])).get(dotGit)
  if (fact?.kind === 'folder')
    return fact.target === undefined
      ? { gitDir: dotGit, commonDir: dotGit, outside: [], foreign: [] }
      : undefined
  const pointer = /^gitdir: (.+)$/.exec((await files.readShort(dotGit))?.trim() ?? '')?.[1]
  const gitDir = pointer && (await realFolder(files, posix.resolve(worktree, pointer)))
  if (!gitDir) return undefined
  const common = (await files.readShort(`${gitDir}/commondir`))?.trim()
  if (common === undefined) return readSubmodule(files, worktree, gitDir)
  const commonDir = await realFolder(files, posix.resolve(gitDir, common))
  const back = (await files.readShort(`${gitDir}/gitdir`))?.trim()
  if (!commonDir || !back || posix.dirname(gitDir) !== `${commonDir}/worktrees`) return undefined
  if ((await realFolder(files, posix.dirname(back))) !== worktree) return undefined
  const others = (await files.names(`${commonDir}/worktrees`))
    .map(({ name }) => `${commonDir}/worktrees/${name}`)
    .filter(path => path !== gitDir)
  const own = [`${commonDir}/HEAD`, `${commonDir}/index`, `${gitDir}/commondir`, `${gitDir}/gitdir`]
  return { gitDir, commonDir, outside: [commonDir], foreign: await existing(files, [...others, ...own]) }
}

/** A submodule's git folder names its worktree in its configuration. */
async function readSubmodule(
  files: SandboxFiles,
  worktree: string,
  gitDir: string,
): Promise<GitLayout | undefined> {
  const named = /^\s*worktree\s*=\s*(.+)$/m.exec((await files.readShort(`${gitDir}/config`)) ?? '')?.[1]
  if (!named || (await realFolder(files, posix.resolve(gitDir, named.trim()))) !== worktree) return undefined
  return { gitDir, commonDir: gitDir, outside: [gitDir], foreign: [] }
}

/** The protected parts of a git folder and of the submodules in it. */
export async function readGitFolders(files: SandboxFiles, roots: readonly string[]): Promise<GitFolder[]> {
  const folders: GitFolder[] = []
  for (const root of new Set(roots)) {
    const paths = [root, ...(await submodulesOf(files, `${root}/modules`))]
    for (const path of paths) {
      const present = await files.look(PROTECTED_IN_GIT.map(part => `${path}/${part}`))
      // A link is not a mount point; it is compared after the call instead.
      const protectedParts = PROTECTED_IN_GIT.filter(part => {
        const fact = present.get(`${path}/${part}`)
        return fact && fact.kind !== 'other' && fact.target === undefined
      })
      folders.push({ path, protectedParts })
    }
  }
  return folders
}

/** Names of submodules may have slashes in them. */
const MAX_MODULE_DEPTH = 6

async function submodulesOf(files: SandboxFiles, folder: string, depth = 0): Promise<string[]> {
  if (depth > MAX_MODULE_DEPTH) return []
  const found: string[] = []
  for (const { name, kind } of await files.names(folder)) {
    if (kind !== 'folder') continue
    const path = `${folder}/${name}`
    const isGit = (await files.readShort(`${path}/HEAD`)) !== undefined
    if (isGit) found.push(path, ...(await submodulesOf(files, `${path}/modules`, depth + 1)))
    else found.push(...(await submodulesOf(files, path, depth + 1)))
  }
  return found
}

async function realFolder(files: SandboxFiles, path: string): Promise<string | undefined> {
  const fact = (await files.look([path])).get(path)
  return fact?.kind === 'folder' ? fact.real : undefined
}

const existing = async (files: SandboxFiles, paths: readonly string[]): Promise<string[]> => [
  ...(await files.look(paths)).keys(),
]
