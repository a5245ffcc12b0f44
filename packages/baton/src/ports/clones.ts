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
  /** What would be lost with the clone, such as commits that were not pushed; undefined: nothing. */
  unsaved(folders: CloneFolders): Promise<string | undefined>
  /** Makes room for a new clone in the same place: deletes this one if nothing would be lost, otherwise renames it. */
  setAside(folders: CloneFolders): Promise<void>
  /** Deletes the clone if nothing in it would be lost; otherwise says what. */
  remove(folders: CloneFolders): Promise<'removed' | { kept: string }>
}
