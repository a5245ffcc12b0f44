/** Looks into what commands bring that write files which their words do not name. */
export interface UnnamedWrites {
  /** Whether one of them may change a file that `isGuarded` names, told by its whole path. Doubt is a yes. */
  mayChange(
    worktree: string,
    commands: readonly (readonly string[])[],
    isGuarded: (path: string) => boolean,
  ): Promise<boolean>
}
