/** What is known of a file without reading it. */
export interface FileFacts {
  kind: 'file' | 'folder' | 'other'
  size: number
  /** Permission bits. */
  mode: number
  owner: number
  modifiedMs: number
  /** Changes with content, size, owner, permissions and identity, as far as the file system tells. */
  stamp: string
}

/** The file system, as far as capabilities need it. Failures are FileError; anything else is a bug. */
export interface Files {
  /** Whose files are ours. */
  readonly user: number
  /** Follows links; undefined where nothing is or a link leads nowhere. */
  facts(path: string): Promise<FileFacts | undefined>
  /** Whether the name is taken, be it by a link that leads nowhere. */
  taken(path: string): Promise<boolean>
  realPath(path: string): Promise<string>
  /** Facts and bytes of one and the same open file. Never waits on a pipe or device, never reads more than `limit` bytes. */
  read(path: string, limit: number): Promise<{ bytes: Uint8Array; facts: FileFacts }>
  /** Atomic and durable; makes the folder (0700) if needed. */
  replace(path: string, content: string, mode: number): Promise<void>
  /** Runs `work` while no other process does so for the same path. */
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
