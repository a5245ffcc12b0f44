/** An append-only file, for session files. Failures are FileError. */
export interface AppendFile {
  /** How many bytes it holds now. */
  size(): Promise<number>
  /** The bytes from `start` to `end`; fewer if the file is shorter. */
  read(start: number, end: number): Promise<Uint8Array>
  /** One write at the end. Never overwrites what another process appends at the same time. */
  append(text: string): Promise<void>
  /** Waits until the data is on the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface AppendFiles {
  /** An existing regular file. */
  open(path: string): Promise<AppendFile>
  /** Creates a file with mode 0600, in folders with mode 0700. */
  create(path: string): Promise<AppendFile>
  /** Replaces the whole content atomically. */
  replace(path: string, text: string): Promise<void>
  /** The regular files of a folder; empty if the folder does not exist. */
  list(folder: string): Promise<{ name: string; modifiedMs: number; size: number }[]>
}
