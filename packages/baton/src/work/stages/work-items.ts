import { BatonError } from '@batonpass/contract/errors'
import { Artifact, type HandoffMode, NewWork, WORK_ID, type WorkSummary } from '@batonpass/contract/work'
import { FileError } from '../../ports/files.ts'
import type { Folders } from '../../ports/folders.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import {
  AUTO_NEEDS_LOCAL,
  parseContext,
  renderContext,
  type WorkflowContext,
  withField,
} from '../packs/paw/context-file.ts'
import { countTicks, openQuestions, parsePhases } from '../packs/paw/plan-file.ts'
import { describePosition } from './next-stage.ts'
import type { WorkFacts } from './work-facts.ts'
import { checkWorkId, workIdOf } from './work-id.ts'

export const WORK = '.paw/work'

/** A work item, as its files currently are. */
export interface WorkItem {
  workId: string
  context: WorkflowContext
  /** The text of WorkflowContext.md; undefined if the file does not exist. */
  contextText: string | undefined
  facts: WorkFacts
  warnings: string[]
  /** Ticked boxes of the plan. */
  ticks: number
  /** When each artifact was last written. */
  written: ReadonlyMap<Artifact, number>
  modifiedMs: number
}

/** The work items of a project: folders that people and agents write to, so they are read again each time. */
export class WorkItems {
  readonly #files: SmallFiles
  readonly #folders: Folders

  constructor(files: SmallFiles, folders: Folders) {
    this.#files = files
    this.#folders = folders
  }

  /** Most recently changed first. */
  async list(root: string): Promise<WorkItem[]> {
    const names = (await this.#folders.below(root, WORK)).filter(name => WORK_ID.test(name))
    const items = await Promise.all(names.slice(0, MAX_ITEMS).map(name => this.#read(root, name)))
    return items.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.workId < b.workId ? -1 : 1))
  }

  async find(root: string, workId: string): Promise<WorkItem | undefined> {
    const names = await this.#folders.below(root, WORK)
    return WORK_ID.test(workId) && names.includes(workId) ? this.#read(root, workId) : undefined
  }

  /** Finds a work item; the error lists the existing ones. */
  async get(root: string, given: unknown): Promise<WorkItem> {
    const workId = checkWorkId(given)
    const item = await this.find(root, workId)
    if (item) return item
    const others = (await this.list(root)).slice(0, 5).map(each => each.workId)
    throw new BatonError('not_found', `There is no work item ${workId} in ${WORK}`, {
      remedy:
        others.length > 0
          ? `Use one of ${others.join(', ')}, or create one: baton work new "TITLE"`
          : 'Create one: baton work new "TITLE"',
    })
  }

  async create(root: string, wanted: unknown): Promise<{ workId: string; path: string }> {
    const parsed = NewWork.safeParse(wanted)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new BatonError('usage', `${issue?.path.join('.') || 'work'}: ${issue?.message}`)
    }
    const { title, mode, strategy, workflow, branch, issue, remote } = parsed.data
    refuseAutoWithPrs(mode, strategy)
    const workId = checkWorkId(parsed.data.work_id ?? workIdOf(title))
    const text = renderContext({
      title,
      workId,
      branch: branch ?? `feature/${workId}`,
      workflow,
      strategy,
      mode,
      issue: issue ?? '',
      remote: remote ?? 'origin',
    })
    const name = `${WORK}/${workId}/WorkflowContext.md`
    try {
      await this.#files.write(root, name, text, { shared: true, fresh: true })
    } catch (cause) {
      throw writeError(cause, name, `Work item ${workId} already exists`)
    }
    return { workId, path: name }
  }

  /** Changes the handoff mode, effective from the next transition. */
  async setMode(root: string, given: unknown, mode: HandoffMode): Promise<void> {
    const { workId, context, contextText } = await this.get(root, given)
    refuseAutoWithPrs(mode, context.strategy)
    const name = `${WORK}/${workId}/WorkflowContext.md`
    const text =
      contextText === undefined
        ? renderContext({ ...context, title: context.title || workId, workId, mode })
        : withField(contextText, 'Handoff Mode', mode)
    try {
      await this.#files.write(root, name, text, { shared: true })
    } catch (cause) {
      throw writeError(cause, name, '')
    }
  }

  async #read(root: string, workId: string): Promise<WorkItem> {
    const texts = new Map<Artifact, string>()
    const warnings: string[] = []
    const written = new Map<Artifact, number>()
    for (const artifact of Artifact.options) {
      const found = await this.#files.read(root, `${WORK}/${workId}/${artifact}.md`)
      if (found.kind === 'refused') warnings.push(`${artifact}.md is ignored: ${found.why}.`)
      if (found.kind !== 'text') continue
      written.set(artifact, found.modifiedMs)
      // An empty file does not count as a result.
      if (found.text.trim() !== '') texts.set(artifact, found.text)
    }
    const contextText = texts.get('WorkflowContext')
    const context = parseContext(contextText)
    if (context.workId !== '' && context.workId !== workId)
      warnings.push(
        `WorkflowContext.md says Work ID ${context.workId.slice(0, 60)}; Baton uses the folder's name, ${workId}.`,
      )
    const phases = parsePhases(texts.get('ImplementationPlan') ?? '').map(phase =>
      context.complete ? { ...phase, state: 'done' as const } : phase,
    )
    // Until the plan is accepted, which shows in its first phase, `planning-only` pauses as semi-auto mode does.
    const planning = context.planningOnly && phases.every(({ state }) => state === 'open')
    const facts: WorkFacts = {
      flow: context.workflow === 'review' ? 'pr-review' : 'build',
      minimal: context.workflow === 'minimal',
      artifacts: new Set(texts.keys()),
      questions: openQuestions(texts.get('Spec') ?? ''),
      phases,
      blocked: context.blocked,
      ...(context.complete ? { complete: true } : {}),
    }
    return {
      workId,
      context: planning ? { ...context, mode: 'semi-auto' } : context,
      contextText,
      facts,
      warnings: [...context.warnings, ...warnings],
      ticks: countTicks(texts.get('ImplementationPlan') ?? ''),
      written,
      modifiedMs: Math.max(0, ...written.values()),
    }
  }
}

/** A list shows at most this many items; others can still be named. */
const MAX_ITEMS = 500

export const summaryOf = ({ workId, context, facts, modifiedMs }: WorkItem): WorkSummary => ({
  workId,
  title: context.title || workId,
  stage: facts.blocked === undefined ? describePosition(facts) : `${describePosition(facts)} (blocked)`,
  mode: context.mode,
  modifiedAt: new Date(modifiedMs).toISOString(),
})

function refuseAutoWithPrs(mode: HandoffMode, strategy: string): void {
  if (mode === 'auto' && strategy === 'prs')
    throw new BatonError('usage', AUTO_NEEDS_LOCAL, {
      remedy: 'Use the local review strategy, or semi-auto mode.',
    })
}

function writeError(cause: unknown, name: string, taken: string): BatonError {
  if (cause instanceof FileError && cause.trouble === 'busy' && taken !== '')
    return new BatonError('usage', taken, { remedy: 'Give another Work ID.', cause })
  const inner = cause instanceof FileError ? cause.cause : cause
  return new BatonError('not_allowed', `Cannot write ${name}`, {
    remedy:
      inner instanceof Error ? inner.message : 'Check that the folder is writable and not a symbolic link.',
    cause,
  })
}
