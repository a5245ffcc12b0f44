import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { Assessment } from '@batonpass/shell-verdict/programs/assessment'
import type { SimpleCommand } from '@batonpass/shell-verdict/shell/simple-command'
import type { PathFindings } from './paths/judge-paths.ts'
import { unnamedWrites } from './unnamed-writes.ts'

/** Programs after which a path may lead elsewhere than it did when it was judged. */
const RELINKS = /^(ln|gln|mv|gmv|cp|gcp|git)$/

/** Of git, those that write files of the worktree. */
const RELINKING = /^(checkout|switch|restore|reset|stash|merge|apply|revert|cherry-pick|mv)$/

/** Whether a snapshot of the worktree could take back all that a text does. */
export class UndoCheck {
  readonly #worktree: string
  #possible = true
  #writes = false
  /** What its parts bring that no word names: see unnamed-writes.ts. */
  readonly brings: string[][] = []
  /** Paths that earlier parts may have turned into links. */
  readonly #moved: string[] = []

  constructor(worktree: string) {
    this.#worktree = worktree
  }

  get possible(): boolean {
    return this.#possible && this.#writes
  }

  stop(): void {
    this.#possible = false
  }

  part(command: SimpleCommand, assessment: Assessment, found: PathFindings): void {
    const brought = unnamedWrites(command, assessment, found, this.#worktree)
    if (brought) this.brings.push(brought)
    if (assessment.kind === 'read' && assessment.hosts.length === 0) {
      if (found.unknownPath) this.#possible = false
      return
    }
    if (
      assessment.kind !== 'write' ||
      command.elsewhere ||
      !found.allInside ||
      found.unknownPath ||
      found.secret ||
      found.closed
    ) {
      this.#possible = false
      return
    }
    if (assessment.inWorktree && !RELINKING.test(assessment.path[0] ?? '')) {
      this.#writes = true
      return
    }
    for (const path of found.writes) {
      if (this.#moved.some(moved => isInside(path, moved))) this.#possible = false
    }
    if (!assessment.inWorktree && this.#moved.includes(this.#worktree)) this.#possible = false
    if (RELINKS.test(assessment.program))
      this.#moved.push(...(assessment.inWorktree ? [this.#worktree] : found.writes))
    this.#writes = true
  }
}
