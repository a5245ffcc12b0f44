/** A file that only ever grows, as far as session files need it. Failures are FileError. */
export interface AppendFile {
  /** How many bytes it holds now. */
  size(): Promise<number>
  /** The bytes from `start` to `end`, fewer where the file ends before. */
  read(start: number, end: number): Promise<Uint8Array>
  /** One write at the end; what another process appends meanwhile is never overwritten. */
  append(text: string): Promise<void>
  /** Waits until the disk has it. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface AppendFiles {
  /** An existing regular file. */
  open(path: string): Promise<AppendFile>
  /** A new one, 0600 in folders of 0700. */
  create(path: string): Promise<AppendFile>
  /** Puts a whole new content in its place, atomically. */
  replace(path: string, text: string): Promise<void>
  /** The regular files of a folder; empty when there is none. */
  list(folder: string): Promise<{ name: string; modifiedMs: number; size: number }[]>
}
