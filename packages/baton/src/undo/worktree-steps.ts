import { BatonError } from '@batonpass/contract/errors'
import type { Clock } from '../ports/clock.ts'
import type {
  BytePath,
  Capture,
  CaptureLimits,
  SnapshotWorktree,
  StepAbout,
  StepRecord,
} from '../ports/snapshots.ts'
import { expired, nextStep, REUSE_MS, type UndoRetention } from './retention.ts'

/** A step that `baton undo` can restore. */
export interface Step {
  readonly step: number
  readonly kind: 'command' | 'undo'
  readonly label: string
  readonly session: string | undefined
  readonly event: string | undefined
  readonly at: string
  readonly branch: string | undefined
  readonly head: string | undefined
  /** How many paths the snapshot does not contain. */
  readonly leftOut: number
}

export interface StepOptions {
  clock: Clock
  limits: CaptureLimits
  retention: UndoRetention
}

/** The steps of one worktree. Callers hold the worktree meanwhile (`exclusively`). */
export class WorktreeSteps {
  readonly #worktree: SnapshotWorktree
  readonly #options: StepOptions

  constructor(worktree: SnapshotWorktree, options: StepOptions) {
    this.#worktree = worktree
    this.#options = options
  }

  /** Reads the worktree without keeping a step. */
  captureNow(): Promise<Capture> {
    const { clock, limits } = this.#options
    return this.#worktree.capture({ about: undefined, atMs: clock.now(), limits })
  }

  /** Captures the worktree as the next step, and drops expired steps. If the newest step is equal, it is used instead. */
  async captureNext(
    about: Omit<StepAbout, 'step' | 'atMs'>,
    also?: Iterable<BytePath>,
  ): Promise<{ capture: Capture; step: number }> {
    const { clock, limits, retention } = this.#options
    const atMs = clock.now()
    const isUndo = about.kind === 'undo'
    const kept = await this.#worktree.kept({ tips: isUndo })
    const next = nextStep(kept)
    const capture = await this.#worktree.capture({
      about: { ...about, step: next, atMs },
      reuse: step => !isUndo && kept.some(ref => ref.step === step && atMs - ref.atMs < REUSE_MS),
      atMs,
      limits,
      ...(also ? { also } : {}),
    })
    const step = capture.step ?? next
    const mine = { name: '', kind: 'step', foreign: false, step, atMs } as const
    const gone = expired(step === next ? [...kept, mine] : kept, retention, atMs)
    const dropped = gone.filter(ref => ref.name !== '')
    if (dropped.length > 0) await this.#worktree.drop(dropped)
    return { capture, step }
  }

  /** Finds the requested step, or the newest that differs, and captures the current state to compare it with. */
  async choose(wanted: number | undefined): Promise<{ target: StepRecord; now: Capture }> {
    const steps = await this.#worktree.steps()
    if (steps.length === 0)
      throw noStep('Nothing to undo: Baton has taken no snapshot in this worktree', wanted)
    const now = await this.captureNow()
    const target =
      wanted === undefined
        ? (steps.findLast(step => differs(step, now)) ?? steps.at(-1))
        : steps.find(step => step.step === wanted)
    if (!target) throw noStep(`Step ${wanted} does not exist`, wanted)
    return { target, now }
  }

  /** A step and the one that followed it, if one did. */
  async withNext(wanted: number): Promise<{ target: StepRecord; next: StepRecord | undefined }> {
    const steps = await this.#worktree.steps()
    const index = steps.findIndex(({ step }) => step === wanted)
    const target = steps[index]
    if (!target) throw noStep(`Step ${wanted} does not exist any more`, wanted)
    return { target, next: steps[index + 1] }
  }
}

export const differs = (step: StepRecord, now: Capture): boolean =>
  step.state !== now.state ||
  step.position.branch !== now.position.branch ||
  step.position.head !== now.position.head

export function asStep({ step, kind, label, session, event, atMs, position, leftOut }: StepRecord): Step {
  const branch = position.branch?.replace(/^refs\/heads\//, '')
  return {
    step,
    kind,
    label,
    session,
    event,
    at: new Date(atMs).toISOString(),
    branch,
    head: position.head,
    leftOut,
  }
}

const noStep = (message: string, wanted: number | undefined): BatonError =>
  new BatonError('not_found', message, wanted === undefined ? {} : { remedy: 'See `baton undo --list`.' })
