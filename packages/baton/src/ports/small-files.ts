/** The result of reading a file; `refused` for a link, another user's file or anything else that is not a regular file. */
export type ReadResult =
  | { kind: 'text'; text: string; modifiedMs: number }
  | { kind: 'absent' }
  | { kind: 'refused'; why: string }

export interface WriteOptions {
  /** Do not wait for the disk. */
  hasty?: boolean
  /** A file of the project, not of Baton: mode 0644, folders 0755. */
  shared?: boolean
  /** Never overwrite a file: FileError `busy` if the name exists. */
  fresh?: boolean
}

/**
 * Small text files below a root folder. No path component below the root may be a link, because a repository could
 * redirect a write anywhere.
 */
export interface SmallFiles {
  read(root: string, name: string, limit?: number): Promise<ReadResult>
  /** Atomic, mode 0600, folders 0700. Throws FileError if `read` would refuse. */
  write(root: string, name: string, text: string, how?: WriteOptions): Promise<void>
  append(root: string, name: string, text: string): Promise<void>
  /** False if there was no file. */
  remove(root: string, name: string): Promise<boolean>
  /** The regular files of a folder with their modification times; empty if the folder does not exist. */
  list(root: string, folder: string): Promise<{ name: string; modifiedMs: number }[]>
}
