import type { GitLogin } from './git-work.ts'

/** Where the clone of a job is, and the objects it borrows. */
export interface CloneFolders {
  clone: string
  objects: string
}

/** Separate clones for agents: each has its own refs and borrows the objects of one bare repository, which stays read-only. */
export interface Clones {
  folders(project: string, issue: number): Promise<CloneFolders>
  /** Makes the clone, or leaves the one that an earlier attempt made. */
  make(project: string, folders: CloneFolders, login: () => Promise<GitLogin | undefined>): Promise<void>
  /** Deletes the clone if nothing in it would be lost; otherwise says what. */
  remove(folders: CloneFolders): Promise<'removed' | { kept: string }>
}
