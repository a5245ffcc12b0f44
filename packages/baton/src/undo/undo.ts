import { BatonError } from '@batonpass/contract/errors'
import type { Clock } from '../ports/clock.ts'
import type {
  BytePath,
  Capture,
  CaptureLimits,
  Contained,
  KeptRef,
  LeftOutReason,
  PositionPlan,
  Snapshots,
  SnapshotWorktree,
  StepAbout,
  StepRecord,
} from '../ports/snapshots.ts'
import { coversAll } from './covers.ts'
import { planPosition, planRemovals, planWrites } from './plan.ts'

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
}

export interface Snapshot extends Coverage {
  readonly step: number
  readonly commit: string
  /** Root of the worktree, with links resolved. */
  readonly root: string
}

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

export interface Restored {
  readonly step: Step
  /** Restoring this step reverses the undo; undefined if nothing differed. */
  readonly undoneBy: number | undefined
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly moved: boolean
  /** What was not restored, and why. */
  readonly notes: readonly string[]
}

export interface Undo {
  /** Takes a snapshot. Returns undefined outside a git worktree, where nothing can be undone. Throws if it fails. */
  take(worktree: string, occasion: Occasion): Promise<Snapshot | undefined>
  /** What a snapshot taken now would contain. Writes nothing. Otherwise as `take`. */
  preview(worktree: string): Promise<Coverage | undefined>
  /** Newest first. */
  list(worktree: string): Promise<Step[]>
  /** What a restore would change in the files. Without a number: the newest step that differs from the current state. */
  diff(worktree: string, step?: number): Promise<{ step: Step; patch: string; notes: readonly string[] }>
  /** What changed in the files from this step to the next one, or until now if it is the newest. */
  changes(worktree: string, step: number): Promise<{ step: Step; patch: string; until: string | undefined }>
  restore(worktree: string, step?: number): Promise<Restored>
  /** Reads the worktree ahead of time, so that the first snapshot before a command is fast. Also throws if it cannot tidy. */
  prepare(worktree: string): Promise<void>
  /** Reads what changed since the last snapshot, so that the next one only has to check that nothing did since. */
  refresh(worktree: string): Promise<void>
}

export interface UndoOptions {
  snapshots: Snapshots
  clock: Clock
  limits?: Partial<CaptureLimits>
  retention?: Partial<UndoRetention>
}

const CAPTURE_LIMITS: CaptureLimits = { fileBytes: 50 * 1024 * 1024, files: 100_000 }

export function makeUndo({ snapshots, clock, ...options }: UndoOptions): Undo {
  const limits = { ...CAPTURE_LIMITS, ...options.limits }
  const retention = { ...UNDO_RETENTION, ...options.retention }

  async function opened(folder: string): Promise<SnapshotWorktree> {
    const worktree = await snapshots.open(folder)
    if (worktree) return worktree
    throw new BatonError(
      'undo_unavailable',
      `${folder} is not in a git worktree, so there is nothing to undo`,
      {
        remedy: 'Run this in the folder where the agent worked.',
      },
    )
  }

  /** Captures the worktree as the next step, and drops expired steps. If the newest step is equal, it is used instead. */
  async function captureStep(
    worktree: SnapshotWorktree,
    about: Omit<StepAbout, 'step' | 'atMs'>,
    also?: Iterable<BytePath>,
  ): Promise<{ capture: Capture; step: number }> {
    const atMs = clock.now()
    const isUndo = about.kind === 'undo'
    const kept = await worktree.kept({ tips: isUndo })
    const next = nextStep(kept)
    const capture = await worktree.capture({
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
    if (dropped.length > 0) await worktree.drop(dropped)
    return { capture, step }
  }

  /** Finds the requested step and captures the current state to compare it with. */
  async function chooseStep(worktree: SnapshotWorktree, wanted: number | undefined) {
    const steps = await worktree.steps()
    if (steps.length === 0)
      throw noStep('Nothing to undo: Baton has taken no snapshot in this worktree', wanted)
    const now = await worktree.capture({ about: undefined, atMs: clock.now(), limits })
    const target =
      wanted === undefined
        ? (steps.findLast(step => differs(step, now)) ?? steps.at(-1))
        : steps.find(step => step.step === wanted)
    if (!target) throw noStep(`Step ${wanted} does not exist`, wanted)
    return { target, now }
  }

  const coverageOf = (worktree: SnapshotWorktree, capture: Contained): Coverage => ({
    leftOut: capture.leftOut.map(({ path, why }) => ({ path: shown(path), why })),
    complete: capture.leftOut.every(({ why }) => OUTSIDE_GIT.has(why)),
    covers: paths => coversAll(worktree, capture, paths),
  })

  return {
    async take(folder, { label, session, event }) {
      const worktree = await snapshots.open(folder)
      return worktree?.exclusively(async () => {
        const about = { kind: 'command', label: oneLine(label), session, event } as const
        const { capture, step } = await captureStep(worktree, about)
        return {
          step,
          commit: capture.commit,
          root: worktree.root,
          ...coverageOf(worktree, capture),
        }
      })
    },

    async preview(folder) {
      const worktree = await snapshots.open(folder)
      return worktree && coverageOf(worktree, await worktree.foretell(limits))
    },

    async prepare(folder) {
      const worktree = await snapshots.open(folder)
      if (!worktree) return
      await worktree.exclusively(() => worktree.capture({ about: undefined, atMs: clock.now(), limits }))
      // Separately: a command that came meanwhile takes its snapshot first.
      await worktree.exclusively(() => worktree.tidy())
    },

    async refresh(folder) {
      const worktree = await snapshots.open(folder)
      await worktree?.exclusively(() => worktree.capture({ about: undefined, atMs: clock.now(), limits }))
    },

    async list(folder) {
      const worktree = await opened(folder)
      return (await worktree.steps()).map(asStep).reverse()
    },

    async diff(folder, wanted) {
      const worktree = await opened(folder)
      return worktree.exclusively(async () => {
        const { target, now } = await chooseStep(worktree, wanted)
        const plan = await positionPlan(worktree, target, now)
        return {
          step: asStep(target),
          patch: await worktree.patch(now.commit, target.commit),
          notes: plan.notes,
        }
      })
    },

    async changes(folder, wanted) {
      const worktree = await opened(folder)
      return worktree.exclusively(async () => {
        const steps = await worktree.steps()
        const index = steps.findIndex(({ step }) => step === wanted)
        const target = steps[index]
        if (!target) throw noStep(`Step ${wanted} does not exist any more`, wanted)
        const next = steps[index + 1]
        const { commit } = next ?? (await worktree.capture({ about: undefined, atMs: clock.now(), limits }))
        return {
          step: asStep(target),
          patch: await worktree.patch(target.commit, commit),
          until: next && new Date(next.atMs).toISOString(),
        }
      })
    },

    async restore(folder, wanted) {
      const worktree = await opened(folder)
      return worktree.exclusively(async () => {
        const lock = await worktree.indexLock()
        if (lock)
          throw new BatonError(
            'undo_unavailable',
            'Another git command is changing the index of this worktree',
            {
              remedy: `Try again when it has ended. If none is running, remove ${lock}.`,
            },
          )
        const { target, now } = await chooseStep(worktree, wanted)
        if (!differs(target, now))
          return {
            step: asStep(target),
            undoneBy: undefined,
            written: [],
            removed: [],
            moved: false,
            notes: [],
          }
        const { files: then, leftOut, ignored } = await worktree.files(target)
        const label = `undo to step ${target.step}`
        const about = { kind: 'undo', label, session: undefined, event: undefined } as const
        // Files that are ignored now but were not then get overwritten, so capture them, too.
        const { capture, step } = await captureStep(worktree, about, then.keys())
        const hasCommits = await worktree.giveBack(target)
        const plan = hasCommits ? await positionPlan(worktree, target, capture) : STAY

        const writes = await worktree.change(planWrites(capture.files, then), capture)
        await worktree.move(plan, target.step, clock.now())
        if (hasCommits) {
          await worktree.restoreOperation(target)
          await worktree.restoreIndex(target)
        }
        const stash = hasCommits ? await worktree.restoreStash(target) : 0
        const present = await worktree.present({ ignored })
        const removals = await worktree.change(planRemovals(present, then, leftOut), capture)
        return {
          step: asStep(target),
          undoneBy: step,
          written: writes.done.map(shown),
          removed: removals.done.map(shown),
          moved: plan.moves.length > 0 || plan.head !== undefined,
          notes: [
            ...plan.notes,
            ...(stash > 0 ? [`${stash} stash ${stash === 1 ? 'entry was' : 'entries were'} restored.`] : []),
            ...[...writes.failed, ...removals.failed].map(
              ({ path, why }) => `${shown(path)} was not changed: ${why}.`,
            ),
            ...(target.leftOut > 0 ? [`${target.leftOut} paths were not in the snapshot.`] : []),
          ],
        }
      })
    },
  }
}

async function positionPlan(
  worktree: SnapshotWorktree,
  target: StepRecord,
  now: Capture,
): Promise<PositionPlan> {
  const { branch } = target.position
  return planPosition(target.position, now.position, branch ? await worktree.branch(branch) : undefined)
}

/** Left out of a snapshot, and yet nothing that git knows is missing from it. */
const OUTSIDE_GIT: ReadonlySet<LeftOutReason> = new Set(['nested', 'rebuildable', 'ignored'])

/** The position when the commits of a step are gone from the project and from the store. */
const STAY: PositionPlan = {
  tips: [],
  moves: [],
  head: undefined,
  notes: ['Git no longer has the commits of this step: only the files were restored.'],
}

const differs = (step: StepRecord, now: Capture): boolean =>
  step.state !== now.state ||
  step.position.branch !== now.position.branch ||
  step.position.head !== now.position.head

const noStep = (message: string, wanted: number | undefined): BatonError =>
  new BatonError('not_found', message, wanted === undefined ? {} : { remedy: 'See `baton undo --list`.' })

function asStep({ step, kind, label, session, event, atMs, position, leftOut }: StepRecord): Step {
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

/** Decodes a path for display. Bytes that are not valid UTF-8 become replacement characters. */
const shown = (path: BytePath): string =>
  new TextDecoder().decode(Uint8Array.from(path, char => char.charCodeAt(0)))

const LABEL = 300
const oneLine = (label: string): string => {
  const plain = label.replace(/[\s\x00-\x1f\x7f]+/g, ' ').trim()
  return plain.length > LABEL ? `${plain.slice(0, LABEL - 1)}…` : plain
}

interface UndoRetention {
  /** How many steps to keep for one worktree. */
  readonly steps: number
  readonly days: number
  /** How long to keep commits that an undo moved a branch away from; git's reflog keeps them as long. */
  readonly tipDays: number
}

const UNDO_RETENTION: UndoRetention = { steps: 100, days: 7, tipDays: 30 }

/** Returns what to delete: steps and tips of any worktree that are too old, and this worktree's surplus steps. */
export function expired(kept: readonly KeptRef[], retention: UndoRetention, nowMs: number): KeptRef[] {
  const age = (ref: KeptRef) => nowMs - ref.atMs
  const old = (ref: KeptRef) => age(ref) > (ref.kind === 'tip' ? retention.tipDays : retention.days) * DAY_MS
  const surplus = new Set(
    kept
      .filter(ref => ref.kind === 'step' && !ref.foreign)
      .sort((a, b) => b.step - a.step)
      .slice(retention.steps),
  )
  return kept.filter(ref => old(ref) || surplus.has(ref))
}

/** The number of the next step. A number is not reused while a ref of that step still exists. */
export const nextStep = (kept: readonly KeptRef[]): number =>
  kept.reduce((highest, ref) => (ref.foreign ? highest : Math.max(highest, ref.step)), 0) + 1

const DAY_MS = 86_400_000
/** A step that is used instead of a new one must not expire soon after. */
const REUSE_MS = DAY_MS
