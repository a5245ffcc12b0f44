/** Lists folders. */
export interface Folders {
  /** The names of the folders in a folder below `root`, without links; empty if it does not exist. */
  below(root: string, folder: string): Promise<string[]>
}
