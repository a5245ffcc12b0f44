/** A file's metadata. */
export interface FileFacts {
  kind: 'file' | 'folder' | 'other'
  size: number
  /** Permission bits. */
  mode: number
  owner: number
  modifiedMs: number
  /** Changes when content, size, owner, permissions or identity change, as far as the file system reports it. */
  stamp: string
}

/** The file system operations that capabilities need. Failures are FileError; any other error is a bug. */
export interface Files {
  /** The user id of this process. */
  readonly user: number
  /** Follows links; undefined if nothing exists or a link is dangling. */
  facts(path: string): Promise<FileFacts | undefined>
  /** Whether the name exists, even as a dangling link. */
  taken(path: string): Promise<boolean>
  realPath(path: string): Promise<string>
  /** Metadata and bytes of the same open file. Never waits for a pipe or device and never reads more than `limit` bytes. */
  read(path: string, limit: number): Promise<{ bytes: Uint8Array; facts: FileFacts }>
  /** Atomic and durable; creates the folder (0700) if needed. */
  replace(path: string, content: string, mode: number): Promise<void>
  /** Runs `work` under a lock on the path that excludes other processes. */
  exclusively<T>(path: string, work: () => Promise<T>): Promise<T>
}

export type FileTrouble = 'absent' | 'denied' | 'not-a-file' | 'too-large' | 'link-loop' | 'busy' | 'failed'

export class FileError extends Error {
  readonly trouble: FileTrouble
  readonly path: string

  constructor(trouble: FileTrouble, path: string, cause?: unknown) {
    super(`${path}: ${trouble}`, { cause })
    this.name = 'FileError'
    this.trouble = trouble
    this.path = path
  }
}
