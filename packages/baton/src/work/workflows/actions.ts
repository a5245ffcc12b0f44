import { BatonError } from '@batonpass/contract/errors'
import type { WorkflowRun } from '@batonpass/contract/workflow'
import { describeGrant } from '../../permission/grants/grants-in-force.ts'
import type { Run, Runs } from './run.ts'
import { grantOpen } from './run-grant.ts'
import type { StateFiles } from './state-files.ts'

/**
 * What a person or the agent itself can do to a run. It edits the state file, as a person could by hand, so it works
 * with and without a daemon; the daemon sees the change at the next stop and journals the end.
 */
export class WorkflowActions {
  readonly #files: StateFiles
  readonly #runs: Runs

  constructor(files: StateFiles, runs: Runs) {
    this.#files = files
    this.#runs = runs
  }

  /** All stored runs, newest first. */
  async list(): Promise<WorkflowRun[]> {
    const runs = (await this.#runs.all()).sort((a, b) => b.startedAt - a.startedAt)
    return Promise.all(runs.map(run => this.#show(run)))
  }

  /** The run whose session id is, or starts with, the given text. */
  async find(wanted: string): Promise<Run> {
    const found = (await this.#runs.all()).filter(
      run => run.nativeSession.startsWith(wanted) || run.session.startsWith(wanted),
    )
    const exact = found.find(run => run.nativeSession === wanted || run.session === wanted)
    const [first, second] = exact ? [exact] : found
    if (!first || wanted === '')
      throw new BatonError('not_found', `No workflow run in a session ${wanted}`, {
        remedy: 'Run `baton history` to list the runs.',
      })
    if (second)
      throw new BatonError('usage', `More than one session id starts with ${wanted}`, {
        remedy: 'Give more characters of the id. `baton history` lists the runs.',
      })
    return first
  }

  /** Stops further continuations of a session permanently. */
  async stop(wanted: string): Promise<Run> {
    const run = await this.find(wanted)
    await this.#mark(run.root, run.nativeSession, 'stopped')
    return run
  }

  /** Records the agent's report that it is done, or that only a person can help. */
  async done(root: string, session: string, blocked?: string): Promise<void> {
    const reason = blocked
      ?.replaceAll(/[\x00-\x1f\x7f]+/g, ' ')
      .trim()
      .slice(0, 150)
    await this.#mark(root, session, blocked === undefined ? 'done' : `blocked: ${reason}`)
  }

  /** The session that works on an issue, by the index file or by a stored run. */
  async byIssue(
    root: string,
    issue: number,
  ): Promise<{ session: string; workflow: string; run: WorkflowRun | undefined } | undefined> {
    const index = await this.#files.byIssue(root, issue)
    const runs = await this.list()
    const run = index
      ? runs.find(each => each.nativeSession === index.session_id)
      : runs.find(each => each.issue === issue && each.state !== 'deleted')
    if (index) return { session: index.session_id, workflow: index.workflow, run }
    return run && { session: run.nativeSession, workflow: run.workflow, run }
  }

  /** Removes unused state files: those of ended runs, and those unchanged for longer than `olderMs`. */
  async clean(
    roots: readonly string[],
    now: number,
    { olderMs, dryRun }: { olderMs: number; dryRun: boolean },
  ): Promise<string[]> {
    const runs = await this.#runs.all()
    const removed: string[] = []
    for (const root of new Set([...roots, ...runs.map(run => run.root)])) {
      for (const { session, modifiedMs } of await this.#files.list(root)) {
        const run = runs.find(each => each.nativeSession === session && each.root === root)
        const found = await this.#files.read(root, session)
        const over = found.kind === 'state' && ['done', 'handed-off', 'stopped'].includes(found.state.state)
        if (!over && now - modifiedMs < olderMs) continue
        removed.push(this.#files.pathOf(root, session))
        if (dryRun) continue
        const issue = found.kind === 'state' ? found.state.issue_no : run?.issue
        if (issue !== undefined) await this.#files.removeIndex(root, issue, session)
        await this.#files.remove(root, session)
      }
    }
    // A run without a state file is kept only until its end is old enough.
    for (const run of runs)
      if (
        !dryRun &&
        run.end &&
        now - run.end.at > olderMs &&
        (await this.#files.read(run.root, run.nativeSession)).kind === 'absent'
      )
        await this.#runs.remove(run.session)
    return removed
  }

  async #mark(root: string, session: string, word: string): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      const found = await this.#files.read(root, session)
      if (found.kind !== 'state')
        throw new BatonError(
          'not_found',
          found.kind === 'absent'
            ? `No workflow run in session ${session}`
            : `Cannot use the state file: ${found.why}`,
          {
            remedy: 'Run `baton history` to list the runs.',
          },
        )
      if (await this.#files.change(root, session, found.text, { ...found.state, state: word })) return
    }
    throw new BatonError('daemon_busy', 'The state file keeps changing', {
      remedy: 'Wait a moment and try again.',
    })
  }

  async #show(run: Run): Promise<WorkflowRun> {
    const found = await this.#files.read(run.root, run.nativeSession)
    const state = found.kind === 'state' ? found.state : undefined
    const { session, nativeSession, agent, project, workflow, spent, end, parked, proof } = run
    const grant = grantOpen(run, found)
    const may = grant ? describeGrant(grant) : []
    return {
      session,
      nativeSession,
      agent,
      project,
      workflow: state?.workflow ?? workflow,
      state: state?.state ?? (found.kind === 'absent' ? 'deleted' : 'unreadable'),
      count: state?.continuation_count ?? 0,
      ...(state?.issue_no === undefined ? {} : { issue: state.issue_no }),
      ...(state?.pr_number === undefined ? {} : { pr: state.pr_number }),
      ...(run.pullRequest ? { pullRequest: run.pullRequest } : {}),
      startedAt: new Date(run.startedAt).toISOString(),
      ...(end ? { end: { ...end, at: new Date(end.at).toISOString() } } : {}),
      ...(proof && !end ? { proving: { proof: proof.id, commit: proof.commit } } : {}),
      ...(parked && !parked.resumed ? { resumesAt: new Date(parked.until).toISOString() } : {}),
      tokens: spent.tokens,
      money: spent.money,
      ...(may.length > 0 ? { grants: may } : {}),
    }
  }
}
