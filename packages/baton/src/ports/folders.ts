/** Looks at which folders there are. */
export interface Folders {
  /** The names of folders in a folder below `root`, links left out; empty when there is none. */
  below(root: string, folder: string): Promise<string[]>
}
