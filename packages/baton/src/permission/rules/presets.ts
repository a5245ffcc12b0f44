import type { PermissionDecision, PermissionPreset } from '@batonpass/contract/permission'
import type { Kind } from '@batonpass/shell-verdict/programs/kinds'

export interface Preset {
  readonly kinds: Readonly<Record<Kind, PermissionDecision>>
  /** Writing inside the worktree by known means. */
  readonly worktreeWrite: PermissionDecision
  /** Reading a file that holds secrets. */
  readonly secretRead: PermissionDecision
  /** Reading outside worktree and home's ordinary files by a file tool. */
  readonly outsideRead: PermissionDecision
  /** A file tool writing inside the worktree. */
  readonly fileToolWrite: PermissionDecision
  readonly webFetch: PermissionDecision
  readonly webSearch: PermissionDecision
}

/** Three starting points; a person's own rules come before them. */
export const PRESETS: Readonly<Record<PermissionPreset, Preset>> = {
  cautious: {
    kinds: {
      read: 'allow',
      project: 'undecided',
      fetch: 'undecided',
      credential: 'ask',
      unlisted: 'ask',
      build: 'ask',
      write: 'ask',
      remote: 'ask',
      exec: 'ask',
      system: 'ask',
      demolish: 'deny',
      destroy: 'deny',
    },
    worktreeWrite: 'ask',
    secretRead: 'deny',
    outsideRead: 'ask',
    fileToolWrite: 'undecided',
    webFetch: 'ask',
    webSearch: 'undecided',
  },
  standard: {
    kinds: {
      read: 'allow',
      project: 'allow',
      fetch: 'allow',
      credential: 'ask',
      unlisted: 'undecided',
      build: 'undecided',
      write: 'undecided',
      remote: 'undecided',
      exec: 'undecided',
      system: 'undecided',
      demolish: 'deny',
      destroy: 'deny',
    },
    worktreeWrite: 'undecided',
    secretRead: 'ask',
    outsideRead: 'allow',
    fileToolWrite: 'undecided',
    webFetch: 'undecided',
    webSearch: 'allow',
  },
  trusting: {
    kinds: {
      read: 'allow',
      project: 'allow',
      fetch: 'allow',
      credential: 'ask',
      unlisted: 'undecided',
      build: 'allow',
      write: 'undecided',
      remote: 'undecided',
      exec: 'undecided',
      system: 'undecided',
      demolish: 'deny',
      destroy: 'deny',
    },
    worktreeWrite: 'allow',
    secretRead: 'ask',
    outsideRead: 'allow',
    fileToolWrite: 'allow',
    webFetch: 'allow',
    webSearch: 'allow',
  },
}
