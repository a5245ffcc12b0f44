/**
 * A path below the worktree's root as git stores it: one character for each byte, so that names in any encoding
 * survive. Never shown to a person as it is.
 */
export type BytePath = string & { readonly bytes: unique symbol }

/** One file of a snapshot. */
export interface SnapshotFile {
  /** Git's id of the content; of a link, its target. */
  readonly content: string
  readonly kind: 'file' | 'link'
  /** Permission bits; 0 for a link. */
  readonly mode: number
}

export type SnapshotFiles = ReadonlyMap<BytePath, SnapshotFile>

/** Why something in the worktree is not in a snapshot. */
export type LeftOutReason = 'large' | 'nested' | 'unreadable'

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

/** What a step says about itself. */
export interface StepAbout {
  readonly step: number
  /** Taken before a command of an agent, or before an undo. */
  readonly kind: 'command' | 'undo'
  readonly label: string
  readonly session: string | undefined
  readonly event: string | undefined
  readonly atMs: number
}

export interface StepRecord extends StepAbout {
  readonly commit: string
  readonly position: Position
  /** Git's ids of what is compared: files, staged tree and permission bits. Equal text, equal state. */
  readonly state: string
  readonly leftOut: number
}

/** A name under which something is kept, with its age. */
export interface KeptRef {
  readonly name: string
  readonly kind: 'step' | 'tip'
  /** Of another worktree of the same repository, perhaps one that is gone. */
  readonly foreign: boolean
  readonly step: number
  readonly atMs: number
}

export interface CaptureRequest {
  /** Undefined: only look, and keep nothing that `steps` would show. Not waited for before it is needed. */
  readonly about: Promise<StepAbout> | undefined
  readonly atMs: number
  readonly limits: CaptureLimits
  /** Paths to hold although they are ignored now. */
  readonly also?: Iterable<BytePath>
}

export interface CaptureLimits {
  /** Larger files are left out. */
  readonly fileBytes: number
  /** With more files than this there is no snapshot. */
  readonly files: number
}

export interface Capture {
  readonly commit: string
  readonly state: string
  readonly position: Position
  readonly files: SnapshotFiles
  readonly leftOut: readonly LeftOut[]
  /** Changes with the file, as far as the file system tells; for every captured file. */
  stamp(path: BytePath): string | undefined
}

/** What stands at a path, links in its folders followed, a link at its end not. */
export interface Located {
  readonly path: BytePath
  readonly kind: 'absent' | 'file' | 'folder' | 'link' | 'other'
  /** Where a link leads. */
  readonly target: string | undefined
}

/** A change of the worktree's files. A change that cannot be made without losing something is reported, not made. */
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

/** A branch or HEAD that moves; nothing is moved if it is no longer where `from` says. */
export interface RefMove {
  readonly ref: string
  readonly from: string | undefined
  readonly to: string | undefined
}

/** How to bring HEAD back without losing a commit. */
export interface PositionPlan {
  /** Kept before anything moves. */
  readonly tips: readonly string[]
  readonly moves: readonly RefMove[]
  readonly head: { readonly branch: string } | { readonly detached: string } | undefined
  readonly notes: readonly string[]
}

/** One worktree of a git repository, as undo sees it. */
export interface SnapshotWorktree {
  /** The root, links followed. */
  readonly root: string
  /** One at a time, over all processes. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** What git is in the middle of, such as a merge. */
  operation(): Promise<string | undefined>
  /** The lock that another git command holds on the index. */
  indexLock(): Promise<string | undefined>
  capture(request: CaptureRequest): Promise<Capture>
  /** Everything kept for any worktree of this repository. */
  kept(): Promise<KeptRef[]>
  /** This worktree's steps, oldest first. */
  steps(): Promise<StepRecord[]>
  drop(refs: readonly KeptRef[]): Promise<void>
  files(step: StepRecord): Promise<SnapshotFiles>
  /** The changes that lead from one commit's files to another's, as a patch. */
  patch(from: string, to: string): Promise<string>

  locate(path: string): Promise<Located | undefined>
  /** Of these paths, those that git ignores; a folder ends in a slash. */
  ignored(paths: readonly BytePath[]): Promise<ReadonlySet<string>>
  /** Whether a folder holds anything that git ignores. */
  holdsIgnored(folder: BytePath): Promise<boolean>

  /** Where a branch points now, and whether another worktree has it checked out. */
  branch(ref: string): Promise<{ readonly at: string | undefined; readonly elsewhere: boolean }>
  /** The captured state is what may be overwritten: what changed since then stays. */
  change(changes: readonly FileChange[], held: Capture): Promise<ChangeReport>
  /** The files there are now that git does not ignore. */
  present(): Promise<BytePath[]>
  move(plan: PositionPlan, step: number, atMs: number): Promise<void>
  restoreIndex(step: StepRecord): Promise<void>
  /** Puts back stashed work that was there at this step and is not now; says how much. */
  restoreStash(step: StepRecord): Promise<number>
}

export interface Snapshots {
  /** Undefined where there is no git worktree. */
  open(folder: string): Promise<SnapshotWorktree | undefined>
}
