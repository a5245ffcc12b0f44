import type { FoundPath, Mount } from '../ports/sandbox.ts'
import type { GitFolder, GitLayout } from './git-layout.ts'
import { isEnvFile, WORKTREES_OF_AGENTS, whyProtected } from './paths.ts'

/** What the plan adds for the files that no command may change. */
export interface Protections {
  /** Git folders outside the worktree that commands need to change. */
  writable: readonly string[]
  mounts: readonly Mount[]
}

export interface ProtectionInput {
  /** Without links. */
  worktree: string
  /** The repository that the worktree belongs to. */
  layout: GitLayout | undefined
  /** Every git folder in reach: the worktree's own, nested ones, submodules. */
  gitFolders: readonly GitFolder[]
  found: readonly FoundPath[]
  envFiles: 'hidden' | 'visible'
  /** Paths that commands of this session made: checked by content instead, so that they stay usable. */
  madeInside: ReadonlySet<string>
}

/** Read-only mounts over everything protected; git folders are also bound on themselves, so that none can be renamed. */
export function protect(input: ProtectionInput): Protections {
  const { worktree, layout, found, envFiles, madeInside } = input
  const mounts: Mount[] = []
  const readOnly = (path: string) => mounts.push({ kind: 'read-only', path, source: path })
  const pin = (path: string) => mounts.push({ kind: 'writable', path, source: path })

  for (const { path, kind, role } of found) {
    const full = `${worktree}/${path}`
    if (madeInside.has(path) || kind === 'link' || kind === 'other') continue
    if (role === 'repository') pin(full)
    else if (role === 'git-file') readOnly(full)
    else if (whyProtected(path)) readOnly(full)
    else if (isEnvFile(path) && envFiles === 'hidden')
      mounts.push({ kind: kind === 'folder' ? 'hidden-folder' : 'hidden-file', path: full })
  }
  for (const { path, role } of found)
    if (role === 'named' && WORKTREES_OF_AGENTS.includes(path)) pin(`${worktree}/${path}`)
  for (const folder of input.gitFolders)
    for (const part of folder.protectedParts) readOnly(`${folder.path}/${part}`)
  for (const path of layout?.foreign ?? []) readOnly(path)
  return { writable: layout?.outside ?? [], mounts }
}
