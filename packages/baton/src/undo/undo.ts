import { BatonError } from '@batonpass/contract/errors'
import type { Clock } from '../ports/clock.ts'
import type {
  CaptureLimits,
  Contained,
  LeftOutReason,
  Snapshots,
  SnapshotWorktree,
} from '../ports/snapshots.ts'
import { containsAll, coversAll } from './covers.ts'
import { positionPlan, type Restored, restoreStep, shown } from './restore-step.ts'
import { UNDO_RETENTION, type UndoRetention } from './retention.ts'
import { asStep, type Step, type StepOptions, WorktreeSteps } from './worktree-steps.ts'

/** What a snapshot is taken for. The label is shown to people, so it must not contain secrets. */
export interface Occasion {
  readonly label: string
  readonly session?: string | undefined
  readonly event?: string | undefined
}

/** What of a worktree a snapshot contains. */
export interface Coverage {
  readonly leftOut: readonly { readonly path: string; readonly why: LeftOutReason }[]
  /** No file was left out, so a command that may write any file known to git can be undone. */
  readonly complete: boolean
  /** Whether every change to these paths can be undone. Folders include everything in them. */
  covers(paths: readonly string[]): Promise<boolean>
  /** Whether all that is at these paths now can be brought back. */
  contains(paths: readonly string[]): Promise<boolean>
}

export interface Snapshot extends Coverage {
  readonly step: number
  readonly commit: string
  /** Root of the worktree, with links resolved. */
  readonly root: string
}

export interface UndoOptions {
  snapshots: Snapshots
  clock: Clock
  limits?: Partial<CaptureLimits>
  retention?: Partial<UndoRetention>
}

const CAPTURE_LIMITS: CaptureLimits = { fileBytes: 50 * 1024 * 1024, files: 100_000 }

/** Snapshots of worktrees before commands, and back to them. */
export class Undo {
  readonly #snapshots: Snapshots
  readonly #options: StepOptions

  constructor({ snapshots, clock, limits, retention }: UndoOptions) {
    this.#snapshots = snapshots
    this.#options = {
      clock,
      limits: { ...CAPTURE_LIMITS, ...limits },
      retention: { ...UNDO_RETENTION, ...retention },
    }
  }

  /** Takes a snapshot. Returns undefined outside a git worktree, where nothing can be undone. Throws if it fails. */
  async take(folder: string, { label, session, event }: Occasion): Promise<Snapshot | undefined> {
    const worktree = await this.#snapshots.open(folder)
    return worktree?.exclusively(async () => {
      const about = { kind: 'command', label: oneLine(label), session, event } as const
      const { capture, step } = await this.#steps(worktree).captureNext(about)
      return { step, commit: capture.commit, root: worktree.root, ...coverageOf(worktree, capture) }
    })
  }

  /** What a snapshot taken now would contain. Writes nothing. Otherwise as `take`. */
  async preview(folder: string): Promise<Coverage | undefined> {
    const worktree = await this.#snapshots.open(folder)
    return worktree && coverageOf(worktree, await worktree.foretell(this.#options.limits))
  }

  /** Reads the worktree ahead of time, so that the first snapshot before a command is fast. Also throws if it cannot tidy. */
  async prepare(folder: string): Promise<void> {
    const worktree = await this.#snapshots.open(folder)
    if (!worktree) return
    await worktree.exclusively(() => this.#steps(worktree).captureNow())
    // Separately: a command that came meanwhile takes its snapshot first.
    await worktree.exclusively(() => worktree.tidy())
  }

  /** Reads what changed since the last snapshot, so that the next one only has to check that nothing did since. */
  async refresh(folder: string): Promise<void> {
    const worktree = await this.#snapshots.open(folder)
    await worktree?.exclusively(() => this.#steps(worktree).captureNow())
  }

  /** Newest first. */
  async list(folder: string): Promise<Step[]> {
    const worktree = await this.#open(folder)
    return (await worktree.steps()).map(asStep).reverse()
  }

  /** What a restore would change in the files. Without a number: the newest step that differs from the current state. */
  async diff(
    folder: string,
    wanted?: number,
  ): Promise<{ step: Step; patch: string; notes: readonly string[] }> {
    const worktree = await this.#open(folder)
    return worktree.exclusively(async () => {
      const { target, now } = await this.#steps(worktree).choose(wanted)
      const { notes } = await positionPlan(worktree, target, now)
      return { step: asStep(target), patch: await worktree.patch(now.commit, target.commit), notes }
    })
  }

  /** What changed in the files from this step to the next one, or until now if it is the newest. */
  async changes(
    folder: string,
    wanted: number,
  ): Promise<{ step: Step; patch: string; until: string | undefined }> {
    const worktree = await this.#open(folder)
    return worktree.exclusively(async () => {
      const steps = this.#steps(worktree)
      const { target, next } = await steps.withNext(wanted)
      const { commit } = next ?? (await steps.captureNow())
      return {
        step: asStep(target),
        patch: await worktree.patch(target.commit, commit),
        until: next && new Date(next.atMs).toISOString(),
      }
    })
  }

  /** Without a number: the newest step that differs from the current state. */
  async restore(folder: string, wanted?: number): Promise<Restored> {
    const worktree = await this.#open(folder)
    return worktree.exclusively(() =>
      restoreStep(worktree, this.#steps(worktree), wanted, this.#options.clock),
    )
  }

  async #open(folder: string): Promise<SnapshotWorktree> {
    const worktree = await this.#snapshots.open(folder)
    if (worktree) return worktree
    throw new BatonError(
      'undo_unavailable',
      `${folder} is not in a git worktree, so there is nothing to undo`,
      {
        remedy: 'Run this in the folder where the agent worked.',
      },
    )
  }

  #steps(worktree: SnapshotWorktree): WorktreeSteps {
    return new WorktreeSteps(worktree, this.#options)
  }
}

const coverageOf = (worktree: SnapshotWorktree, capture: Contained): Coverage => ({
  leftOut: capture.leftOut.map(({ path, why }) => ({ path: shown(path), why })),
  complete: capture.leftOut.every(({ why }) => OUTSIDE_GIT.has(why)),
  covers: paths => coversAll(worktree, capture, paths),
  contains: paths => containsAll(worktree, capture, paths),
})

/** Left out of a snapshot, and yet nothing that git knows is missing from it. */
const OUTSIDE_GIT: ReadonlySet<LeftOutReason> = new Set(['nested', 'rebuildable', 'ignored'])

const LABEL = 300
const oneLine = (label: string): string => {
  const plain = label.replace(/[\s\x00-\x1f\x7f]+/g, ' ').trim()
  return plain.length > LABEL ? `${plain.slice(0, LABEL - 1)}…` : plain
}
