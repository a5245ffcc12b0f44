import type { Ask } from '@batonpass/contract/ask'
import type { Entry } from '@batonpass/contract/journal'
import type { DecisionEntry } from '@batonpass/contract/permission'
import type { Recap } from '@batonpass/contract/recap'
import type { Session } from '@batonpass/contract/session'
import type { CommitFacts } from '../ports/git.ts'

export interface RecapFacts {
  since: string
  until: string
  /** The period's entries in any order. Kinds that the recap ignores may be left out. */
  entries: readonly Entry[]
  sessions: readonly Session[]
  asks: readonly Ask[]
  /** The commits of each project, from git. */
  commits: ReadonlyMap<string, readonly CommitFacts[]>
  readTest(
    command: string,
    failed: boolean,
    response: unknown,
  ): { command: string; passed: boolean; failing?: number } | undefined
}

type ProjectRecap = Recap['projects'][number]
type Group = Recap['decided'][number]

const MAX_FILES = 200
const MAX_SUBJECTS = 3
const MAX_LENGTH = 300

/** Summarises a period: what changed, what was decided and by whom, what ended and why, and what waits. Pure. */
export function buildRecap(facts: RecapFacts): Recap {
  const entries = facts.entries
    .filter(({ at }) => at >= facts.since && at <= facts.until)
    .toSorted((a, b) => a.seq - b.seq)
  const projects = new Map<string, ProjectRecap>()
  const projectOf = (path: string): ProjectRecap => {
    const known = projects.get(path) ?? { project: path, commits: [], files: [], undo: [] }
    projects.set(path, known)
    return known
  }
  for (const [project, commits] of facts.commits) {
    if (commits.length === 0) continue
    const recap = projectOf(project)
    recap.commits = commits.map(({ id, subject, files }) => ({
      id,
      subject: cut(subject),
      files: files.length,
    }))
    addFiles(
      recap,
      commits.flatMap(({ files }) => files),
    )
  }
  const groups = new Map<string, Group>()
  const ended: Recap['ended'] = []
  const handoffs: Recap['handoffs'] = []
  const faults: Recap['faults'] = []
  const decisions = { all: 0, without: 0 }
  let continued = 0

  for (const entry of entries) {
    const { body, project, at, session, agent } = entry
    const about = {
      at,
      ...(session ? { session } : {}),
      ...(agent ? { agent } : {}),
      ...(project ? { project } : {}),
    }
    switch (body.kind) {
      case 'decision': {
        // A call left to the agent is not a decision: if the agent asks, its dialog has its own entry.
        if (body.decision !== 'defer') decisions.all++
        if (isWithoutPerson(body)) decisions.without++
        if (body.by !== 'person') addToGroup(groups, body, at)
        if (project && body.undo && body.decision === 'allow')
          projectOf(project).undo.unshift({ step: Number(body.undo), subject: cut(body.subject), at })
        break
      }
      case 'event':
        if (project && body.event.type === 'ToolFinished')
          addFinishedTool(projectOf, project, at, body.event, facts)
        break
      case 'workflow': {
        const { what, workflow, issue, end, reason = '', pullRequest } = body
        if (what === 'continued' || what === 'supervised') continued++
        if (what === 'ended')
          ended.unshift({
            ...about,
            workflow,
            reason: cut(reason),
            ...(issue ? { issue } : {}),
            ...(end ? { end } : {}),
            ...(pullRequest ? { pullRequest } : {}),
          })
        break
      }
      case 'handoff':
        if (body.what === 'written' && body.document)
          handoffs.unshift({
            at,
            document: body.document,
            ...(session ? { session } : {}),
            ...(project ? { project } : {}),
            ...(body.writtenBy ? { writtenBy: body.writtenBy } : {}),
          })
        break
      case 'fault':
        faults.unshift({ at, during: body.during, message: cut(body.error.message) })
        break
    }
  }
  const told = new Set(ended.map(({ session }) => session))
  for (const { id, agent, project, endedAt, endReason } of facts.sessions) {
    // The end of the workflow is more informative than the end of its session.
    if (!endedAt || endedAt < facts.since || endedAt > facts.until || told.has(id)) continue
    ended.push({
      at: endedAt,
      session: id,
      agent,
      ...(project ? { project } : {}),
      reason: endReason ?? 'unknown',
    })
  }
  return {
    since: facts.since,
    until: facts.until,
    projects: [...projects.values()]
      .filter(hasNews)
      .sort((a, b) => b.commits.length - a.commits.length || (a.project < b.project ? -1 : 1)),
    decided: [...groups.values()].sort(byWeight),
    decisions,
    ended: ended.sort((a, b) => (a.at < b.at ? 1 : -1)),
    handoffs,
    continued,
    waits: { asks: facts.asks.filter(({ state }) => state === 'open'), sessions: waitingSessions(facts) },
    faults,
  }
}

/** The decision needed no person, neither in Baton nor in the agent's own dialog. */
const isWithoutPerson = ({ by, decision }: DecisionEntry): boolean =>
  by !== 'person' && (decision === 'allow' || decision === 'deny')

function addToGroup(
  groups: Map<string, Group>,
  { decision, by, reason, subject }: DecisionEntry,
  at: string,
): void {
  // Each undo reason names its own step. Group them all under one reason.
  const why = by === 'undo' ? 'stays inside the worktree and can be undone' : cut(reason)
  const key = JSON.stringify([decision, by, why])
  const known = groups.get(key) ?? { decision, by, reason: why, count: 0, subjects: [], lastAt: at }
  groups.set(key, known)
  known.count++
  known.lastAt = at
  known.subjects = [cut(subject), ...known.subjects.filter(each => each !== cut(subject))].slice(
    0,
    MAX_SUBJECTS,
  )
}

type Finished = Extract<Extract<Entry['body'], { kind: 'event' }>['event'], { type: 'ToolFinished' }>

function addFinishedTool(
  projectOf: (path: string) => ProjectRecap,
  project: string,
  at: string,
  { action, failed, response }: Finished,
  { readTest }: RecapFacts,
): void {
  if (action.kind === 'write' && !failed)
    addFiles(
      projectOf(project),
      action.paths.map(path => (path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path)),
    )
  if (action.kind !== 'shell') return
  const test = readTest(action.command, failed, response)
  if (!test) return
  const recap = projectOf(project)
  const { command, passed, failing } = test
  recap.tests = {
    command,
    passed,
    at,
    runs: (recap.tests?.runs ?? 0) + 1,
    ...(failing === undefined ? {} : { failing }),
  }
}

function addFiles(recap: ProjectRecap, files: readonly string[]): void {
  recap.files = [...new Set([...recap.files, ...files])].slice(0, MAX_FILES)
}

const hasNews = ({ commits, files, tests, undo }: ProjectRecap): boolean =>
  commits.length > 0 || files.length > 0 || tests !== undefined || undo.length > 0

/** Denied groups first, then asked, then deferred, then allowed; the most frequent first. */
const ORDER = { deny: 0, ask: 1, defer: 2, allow: 3 } as const
const byWeight = (a: Group, b: Group): number => ORDER[a.decision] - ORDER[b.decision] || b.count - a.count

const WAITING: Record<string, string> = {
  TurnEnded: 'finished its turn',
  Idle: 'is waiting for input',
  TurnFailed: 'failed in its turn',
  PermissionAsked: 'is asking in its own terminal',
}

function waitingSessions({ sessions, since }: RecapFacts): Recap['waits']['sessions'] {
  return sessions.flatMap(({ id, agent, project, endedAt, lastEvent, lastSeenAt }) => {
    const why = WAITING[lastEvent]
    if (endedAt || why === undefined || lastSeenAt < since) return []
    return [{ session: id, agent, ...(project ? { project } : {}), why, since: lastSeenAt }]
  })
}

const cut = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH).toWellFormed()}…` : line
}
