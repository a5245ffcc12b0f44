import { NativeId } from '@batonpass/contract/ids'
import { IssueIndex, WorkflowState } from '@batonpass/contract/workflow'
import type { SmallFiles } from '../../ports/small-files.ts'
import { excerptOf } from './continuation-prompt.ts'

const FOLDER = '.tmp/hooked-sessions'
const BY_ISSUE = `${FOLDER}/by-issue`

/** A state file as found. `unreadable`: a person may be editing it, so Baton leaves it alone. */
export type StateFound =
  | { kind: 'state'; state: WorkflowState; text: string }
  | { kind: 'absent' }
  | { kind: 'unreadable'; why: string }

/**
 * State files, which a person may read, edit and delete while a workflow runs. They are read again before each use, and
 * a write that would overwrite a person's change is refused.
 */
export class StateFiles {
  readonly #files: SmallFiles
  readonly #central: string | undefined

  /** `central` is BATON_HOME or AGENTIZE_HOME; without it, state files are in each project. */
  constructor(files: SmallFiles, central: string | undefined) {
    this.#files = files
    this.#central = central
  }

  rootFor(project: string): string {
    return this.#central ?? project
  }

  pathOf(root: string, session: string): string {
    return `${root}/${stateName(session)}`
  }

  async read(root: string, session: string): Promise<StateFound> {
    const found = await this.#files.read(root, stateName(session))
    if (found.kind === 'absent') return found
    if (found.kind === 'refused') return { kind: 'unreadable', why: found.why }
    const state = WorkflowState.safeParse(parsed(found.text))
    if (state.success) return { kind: 'state', state: state.data, text: found.text }
    const [issue] = state.error.issues
    const where = issue?.path.join('.') || 'the file'
    return { kind: 'unreadable', why: `${stateName(session)}: ${where} is not valid` }
  }

  /** Writes the state file of a new run, replacing that of an earlier run. */
  async begin(root: string, session: string, state: WorkflowState): Promise<void> {
    await this.#files.write(root, stateName(session), written(state))
    if (state.issue_no !== undefined) await this.#index(root, state.issue_no, session, state.workflow)
  }

  /** Writes `after` if the file's text is still `before`; returns false if a person changed it. */
  async change(root: string, session: string, before: string, after: WorkflowState): Promise<boolean> {
    const now = await this.read(root, session)
    if (now.kind !== 'state' || now.text !== before) return false
    await this.#files.write(root, stateName(session), written(after))
    return true
  }

  async remove(root: string, session: string): Promise<boolean> {
    return this.#files.remove(root, stateName(session))
  }

  /** Moves a run to the session that continues it; the old file ends as `handed-off`. */
  async carryOver(root: string, from: string, to: string): Promise<WorkflowState | undefined> {
    const found = await this.read(root, from)
    if (found.kind !== 'state') return undefined
    await this.begin(root, to, found.state)
    await this.change(root, from, found.text, { ...found.state, state: 'handed-off' })
    return found.state
  }

  async byIssue(root: string, issue: number): Promise<IssueIndex | undefined> {
    const found = await this.#files.read(root, indexName(issue))
    if (found.kind !== 'text') return undefined
    const index = IssueIndex.safeParse(parsed(found.text))
    return index.success ? index.data : undefined
  }

  async removeIndex(root: string, issue: number, session: string): Promise<void> {
    if ((await this.byIssue(root, issue))?.session_id === session)
      await this.#files.remove(root, indexName(issue))
  }

  /** The sessions that have a state file here, with its modification time. */
  async list(root: string): Promise<{ session: string; modifiedMs: number }[]> {
    const files = await this.#files.list(root, FOLDER)
    return files.flatMap(({ name, modifiedMs }) => {
      const session = name.endsWith('.json') ? name.slice(0, -'.json'.length) : ''
      return NativeId.safeParse(session).success ? [{ session, modifiedMs }] : []
    })
  }

  /** The plan that issue-to-impl cached: next to the state files, or in the worktree. */
  async plan(root: string, project: string, issue: number): Promise<Plan | undefined> {
    for (const place of new Set([root, project])) {
      const name = `.tmp/plan-of-issue-${issue}.md`
      const found = await this.#files.read(place, name)
      if (found.kind === 'text' && found.text.trim() !== '')
        return {
          path: `${place}/${name}`,
          excerpt: excerptOf(found.text),
          milestones: found.text.match(/^\s*[-*] \[[xX]\]/gm)?.length ?? 0,
        }
    }
    return undefined
  }

  /** Appends a line to the debug log, in the form that users' scripts parse. */
  async debug(root: string, session: string, now: number, message: string): Promise<void> {
    const stamp = new Date(now).toISOString().slice(0, 19)
    const line = `[${stamp}] [${session}] ${message.replaceAll(/[\r\n]+/g, ' ')}\n`
    await this.#files.append(root, '.tmp/hook-debug.log', line).catch(() => {})
  }

  async #index(root: string, issue: number, session: string, workflow: string): Promise<void> {
    const before = await this.#files.read(root, indexName(issue))
    const kept = before.kind === 'text' ? parsed(before.text) : undefined
    const known = typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? kept : {}
    await this.#files.write(root, indexName(issue), written({ ...known, session_id: session, workflow }))
  }
}

export interface Plan {
  path: string
  excerpt: string
  /** Number of ticked boxes. */
  milestones: number
}

/** Formats the state like a flat Python dictionary, as the debug log requires. */
export function asDict(state: WorkflowState): string {
  const shown = (value: unknown): string =>
    typeof value === 'string'
      ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
      : value === null || value === undefined
        ? 'None'
        : value === true
          ? 'True'
          : value === false
            ? 'False'
            : JSON.stringify(value)
  return `{${Object.entries(state)
    .map(([key, value]) => `${shown(key)}: ${shown(value)}`)
    .join(', ')}}`
}

function stateName(session: string): string {
  return `${FOLDER}/${NativeId.parse(session)}.json`
}
const indexName = (issue: number): string => `${BY_ISSUE}/${issue}.json`
const written = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
