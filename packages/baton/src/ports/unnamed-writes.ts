/** Checks commands that write files their arguments do not name, such as applying a patch. */
export interface UnnamedWrites {
  /** Whether a command may change a file that `isGuarded` accepts, by its absolute path. True if in doubt. */
  mayChange(
    worktree: string,
    commands: readonly (readonly string[])[],
    isGuarded: (path: string) => boolean,
    /** False for a command that is contained: hooks may run, and guarded files are read-only for it. */
    checkHooks?: boolean,
  ): Promise<boolean>
}
