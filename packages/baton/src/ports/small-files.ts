/** What stands at a place; `refused` where a link, another user's file or something odd stands in the way. */
export type ReadResult =
  | { kind: 'text'; text: string; modifiedMs: number }
  | { kind: 'absent' }
  | { kind: 'refused'; why: string }

export interface WriteOptions {
  /** Skips the wait for the disk. */
  hasty?: boolean
  /** A project's own file, not Baton's: 0644, folders 0755. */
  shared?: boolean
  /** Never over another file: FileError `busy` where the name is taken. */
  fresh?: boolean
}

/**
 * Small text files below a root that is trusted as far as it goes. No name below the root may be a link:
 * a repository could lead a write anywhere.
 */
export interface SmallFiles {
  read(root: string, name: string, limit?: number): Promise<ReadResult>
  /** Atomic, 0600, folders 0700. Throws FileError where `read` would refuse. */
  write(root: string, name: string, text: string, how?: WriteOptions): Promise<void>
  append(root: string, name: string, text: string): Promise<void>
  /** False when there was nothing. */
  remove(root: string, name: string): Promise<boolean>
  /** The names of regular files in a folder, with their age; empty when there is none. */
  list(root: string, folder: string): Promise<{ name: string; modifiedMs: number }[]>
}
