/**
 * How a push may name its branch: in `any` way, only as `source:target` because the settings send it elsewhere otherwise, or
 * in no way (`none`), because the settings add tags, submodules or whole mirrors.
 */
export type PushNaming = 'any' | 'target' | 'none'

/** What decides, in a repository at this moment, where a push goes and what it runs. */
export interface GitFacts {
  /** The root of the worktree, without links. */
  root: string
  /** Undefined on a detached HEAD. */
  branch: string | undefined
  /** Digest of all settings but those of single branches. */
  settings: string
  push: PushNaming
  /** The remote to which a push without a remote goes. */
  pushesTo: string | undefined
  /** The remote from which a fetch without a remote fetches. */
  fetchesFrom: string | undefined
  remotes: readonly { name: string; url: string; resolved?: string }[]
  /** Hooks that git would run. */
  hooks: readonly string[]
}

export interface GrantFacts {
  /** Undefined if there is no repository, or git did not answer in time. */
  read(folder: string): Promise<GitFacts | undefined>
  /** The branches from which work may start, of those that exist: `upstream/main`, `origin/main` and so on. */
  bases(folder: string, remotes: readonly string[]): Promise<string[]>
}
