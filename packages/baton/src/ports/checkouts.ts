/** The files of one commit. */
export interface CommitTree {
  /** Every path, with `/`. */
  paths(): Promise<readonly string[]>
  /** A text file; undefined if it is missing, too long or not a regular file. */
  read(path: string): Promise<string | undefined>
}

/** A file that differs between two commits. */
export interface ChangedFile {
  path: string
  status: 'added' | 'removed' | 'changed'
  /** Undefined for binary files. */
  addedLines: number | undefined
  removedLines: number | undefined
}

/** Reads commits of a repository, and checks them out elsewhere. The repository may be hostile: none of its programs runs. */
export interface Checkouts {
  /** The full id of a commit; undefined if there is none of that name. */
  resolve(project: string, name: string): Promise<string | undefined>
  /** Where the work that led to a commit left the default branch; the commit itself if Baton cannot tell. */
  findBase(project: string, commit: string): Promise<string>
  tree(project: string, commit: string): CommitTree
  changes(project: string, base: string, commit: string): Promise<readonly ChangedFile[]>
  /** The whole change as a unified diff. */
  patch(project: string, base: string, commit: string): Promise<string>
  /** The values of a trailer, such as `Reviewed-by`, in the messages of all commits of the work. */
  trailers(project: string, base: string, commit: string, name: string): Promise<readonly string[]>
  /** Writes exactly this commit into a new folder, with a repository of its own that shares no file with the first. */
  make(project: string, commit: string, folder: string): Promise<void>
  remove(folder: string): Promise<void>
}
