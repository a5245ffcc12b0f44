/**
 * A path below the worktree's root as git stores it: one character per byte, so that names in any encoding survive.
 * Must be decoded before it is shown to a person.
 */
export type BytePath = string & { readonly bytes: unique symbol }

/** One file of a snapshot. */
export interface SnapshotFile {
  /** Git's id of the content; for a link, of its target. */
  readonly content: string
  readonly kind: 'file' | 'link'
  /** Permission bits; 0 for a link. */
  readonly mode: number
}

export type SnapshotFiles = ReadonlyMap<BytePath, SnapshotFile>

/**
 * Why something in the worktree is not in a snapshot. `rebuildable`: git ignores it, and a build or an install creates
 * it again. `ignored`: git ignores it, and it is beyond the limit for such files.
 */
export type LeftOutReason = 'large' | 'nested' | 'unreadable' | 'rebuildable' | 'ignored'

/** Whether a path is in a folder that a build, an install or a test run creates again. It counts only where git ignores it. */
export const isRebuildable = (path: string): boolean => path.split('/').some(name => REBUILDABLE.test(name))

const REBUILDABLE =
  /^(node_modules|bower_components|jspm_packages|target|dist|dist-newstyle|build|_build|out|obj|\.?venv|__pycache__|\.(tox|nox|mypy_cache|pytest_cache|ruff_cache|hypothesis|eggs|next|nuxt|output|svelte-kit|astro|angular|turbo|parcel-cache|vite|cache|gradle|terraform|dart_tool|stack-work|nyc_output|pnpm-store|zig-cache|vercel|serverless)|.*\.egg-info|coverage|htmlcov|zig-cache|zig-out|elm-stuff|Pods|DerivedData|vendor)$/

export interface LeftOut {
  readonly path: BytePath
  readonly why: LeftOutReason
}

/** Where HEAD is. */
export interface Position {
  /** Full name of the branch, such as refs/heads/main; undefined when HEAD is detached. */
  readonly branch: string | undefined
  /** Undefined where the branch has no commit yet. */
  readonly head: string | undefined
}

/** The description of a step. */
export interface StepAbout {
  readonly step: number
  /** Taken before an agent's command, or before an undo. */
  readonly kind: 'command' | 'undo'
  readonly label: string
  readonly session: string | undefined
  readonly event: string | undefined
  readonly atMs: number
}

export interface StepRecord extends StepAbout {
  readonly commit: string
  readonly position: Position
  /** Git's ids of files, staged tree and permission bits. Two equal texts mean equal states. */
  readonly state: string
  /** How many paths it lacks that neither a build nor an install creates again. */
  readonly leftOut: number
}

/** The files of a step, and what it does not contain. */
export interface StepFiles {
  readonly files: SnapshotFiles
  readonly leftOut: readonly LeftOut[]
  /** It contains ignored files, too. Steps of Baton 0.1 do not. */
  readonly ignored: boolean
}

/** A ref that keeps a snapshot or a commit alive. */
export interface KeptRef {
  readonly name: string
  readonly kind: 'step' | 'tip'
  /** Belongs to another worktree of the same repository, perhaps a deleted one. */
  readonly foreign: boolean
  readonly step: number
  readonly atMs: number
}

export interface CaptureRequest {
  /** Undefined: only compare, and store no step. */
  readonly about: StepAbout | undefined
  /** Whether the newest step may be used instead of a new one if it holds exactly the same. */
  reuse?(step: number): boolean
  readonly atMs: number
  readonly limits: CaptureLimits
  /** Ignored paths to include anyway. */
  readonly also?: Iterable<BytePath>
}

export interface CaptureLimits {
  /** Larger files are left out. */
  readonly fileBytes: number
  /** Baton takes no snapshot of a worktree with more files. */
  readonly files: number
}

/** What of a worktree's files a snapshot contains. */
export interface Contained {
  readonly files: SnapshotFiles
  readonly leftOut: readonly LeftOut[]
}

export interface Capture extends Contained {
  /** Undefined where no step was asked for. */
  readonly step: number | undefined
  readonly commit: string
  readonly state: string
  readonly position: Position
  /** Changes when a captured file changes, as far as the file system reports it. */
  stamp(path: BytePath): string | undefined
}

/** What is at a path. Follows links in its folders, but not a link at its end. */
export interface Located {
  readonly path: BytePath
  readonly kind: 'absent' | 'file' | 'folder' | 'link' | 'other'
  /** The target of a link. */
  readonly target: string | undefined
}

/** A change to a file of the worktree. If it would lose data, it is reported instead of applied. */
export interface FileChange {
  readonly path: BytePath
  /** Undefined: remove it. */
  readonly to: SnapshotFile | undefined
  /** Only the permission bits differ. */
  readonly modeOnly: boolean
}

export interface ChangeReport {
  readonly done: readonly BytePath[]
  readonly failed: readonly { readonly path: BytePath; readonly why: string }[]
}

/** A move of a branch or HEAD. Fails if the ref is no longer at `from`. */
export interface RefMove {
  readonly ref: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/** How to restore HEAD without losing a commit. */
export interface PositionPlan {
  /** Commits to keep before anything moves. */
  readonly tips: readonly string[]
  readonly moves: readonly RefMove[]
  readonly head: { readonly branch: string } | { readonly detached: string } | undefined
  readonly notes: readonly string[]
}

/** One worktree of a git repository, as undo sees it. */
export interface SnapshotWorktree {
  /** The root, links followed. */
  readonly root: string
  /** Packs stored snapshots when there are many. Slow: not before a command. Throws if it cannot. */
  tidy(): Promise<void>
  /** Runs `work` under a lock that excludes all other processes. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** The index lock, if another git command holds it. */
  indexLock(): Promise<string | undefined>
  capture(request: CaptureRequest): Promise<Capture>
  /** What a capture would contain. Writes nothing, takes no lock, and throws where a capture would fail. */
  foretell(limits: CaptureLimits): Promise<Contained>
  /** All kept steps; with `tips`, the commits that an undo set aside, too. */
  kept(options: { tips: boolean }): Promise<KeptRef[]>
  /** This worktree's steps, oldest first. */
  steps(): Promise<StepRecord[]>
  drop(refs: readonly KeptRef[]): Promise<void>
  files(step: StepRecord): Promise<StepFiles>
  /** The difference between two commits as a patch. */
  patch(from: string, to: string): Promise<string>

  locate(path: string): Promise<Located | undefined>
  /** The paths that git ignores; a folder ends in a slash. */
  ignored(paths: readonly BytePath[]): Promise<ReadonlySet<string>>

  /** Where a branch points now, and whether another worktree has it checked out. */
  branch(ref: string): Promise<{ readonly at: string | undefined; readonly elsewhere: boolean }>
  /** Only overwrites files that still match the captured state; files changed since then stay. */
  change(changes: readonly FileChange[], held: Capture): Promise<ChangeReport>
  /** The current files that a snapshot would contain; with `ignored`, those that git ignores, too. */
  present(options: { ignored: boolean }): Promise<BytePath[]>
  /** Returns commits and staged contents to the project if its repository lost them. False if they are gone. */
  giveBack(step: StepRecord): Promise<boolean>
  move(plan: PositionPlan, step: number, atMs: number): Promise<void>
  restoreIndex(step: StepRecord): Promise<void>
  /** Restores or removes git's own files about an unfinished merge, rebase, cherry-pick or revert. */
  restoreOperation(step: StepRecord): Promise<void>
  /** Restores stash entries that existed at this step and are missing now. Returns their number. */
  restoreStash(step: StepRecord): Promise<number>
}

export interface Snapshots {
  /** Undefined if the folder is not in a git worktree. */
  open(folder: string): Promise<SnapshotWorktree | undefined>
}
