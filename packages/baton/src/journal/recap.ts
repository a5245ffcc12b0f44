import type { Ask } from '@batonpass/contract/ask'
import { type Entry, isBrokered } from '@batonpass/contract/journal'
import { sessionEndLabel } from '@batonpass/contract/labels'
import type { DecisionEntry } from '@batonpass/contract/permission'
import type { Reply } from '@batonpass/contract/question'
import type { Recap } from '@batonpass/contract/recap'
import type { Session } from '@batonpass/contract/session'
import type { CommitFacts } from '../ports/git.ts'

export interface RecapFacts {
  since: string
  until: string
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

/** What happened in a stretch of time, in a form that can be added up. Lists have the newest first. */
export interface RecapPart {
  projects: Map<string, ProjectRecap>
  groups: Map<string, Group>
  ended: Recap['ended']
  handoffs: Recap['handoffs']
  answeredByPolicy: Recap['answeredByPolicy']
  prevented: Recap['prevented']
  faults: Recap['faults']
  decisions: Recap['decisions']
  continued: number
}

export const emptyPart = (): RecapPart => ({
  projects: new Map(),
  groups: new Map(),
  ended: [],
  handoffs: [],
  answeredByPolicy: [],
  prevented: [],
  faults: [],
  decisions: { all: 0, without: 0 },
  continued: 0,
})

/** Summarises a period: what changed, what was decided and by whom, what ended and why, and what waits. Pure. */
export function buildRecap({ entries, ...facts }: RecapFacts & { entries: readonly Entry[] }): Recap {
  const part = emptyPart()
  for (const entry of entries.toSorted((a, b) => a.seq - b.seq))
    if (entry.at >= facts.since && entry.at <= facts.until) addEntry(part, entry, facts.readTest)
  return finishRecap(part, facts)
}

/** Adds what git, sessions and asks know to what the journal says. */
export function finishRecap(part: RecapPart, facts: RecapFacts): Recap {
  const projects = new Map<string, ProjectRecap>()
  for (const [project, commits] of facts.commits) {
    if (commits.length === 0) continue
    const recap = projectIn(projects, project)
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
  for (const project of part.projects.values()) joinProject(projectIn(projects, project.project), project)
  const told = new Set(part.ended.map(({ session }) => session))
  const ended = withoutOutdated(part.ended)
  for (const { id, agent, name, project, endedAt, endReason } of facts.sessions) {
    // The end of the workflow is more informative than the end of its session.
    if (!endedAt || endedAt < facts.since || endedAt > facts.until || told.has(id)) continue
    ended.push({
      at: endedAt,
      session: id,
      agent,
      ...(name ? { name } : {}),
      ...(project ? { project } : {}),
      reason: sessionEndLabel(endReason),
    })
  }
  return {
    since: facts.since,
    until: facts.until,
    projects: [...projects.values()]
      .filter(hasNews)
      .sort((a, b) => b.commits.length - a.commits.length || (a.project < b.project ? -1 : 1)),
    decided: [...part.groups.values()].sort(byWeight),
    decisions: part.decisions,
    // What is not proven needs a look first.
    ended: ended.sort((a, b) => isUnproven(b) - isUnproven(a) || (a.at < b.at ? 1 : -1)),
    handoffs: part.handoffs,
    answeredByPolicy: part.answeredByPolicy,
    prevented: part.prevented.slice(0, MAX_FILES),
    continued: part.continued,
    waits: { asks: facts.asks.filter(({ state }) => state === 'open'), sessions: waitingSessions(facts) },
    faults: part.faults,
  }
}

/** Adds an entry that is newer than those before it. */
export function addEntry(part: RecapPart, entry: Entry, readTest: RecapFacts['readTest']): void {
  const { body, project, at, session, agent } = entry
  const about = {
    at,
    ...(session ? { session } : {}),
    ...(agent ? { agent } : {}),
    ...(project ? { project } : {}),
  }
  switch (body.kind) {
    case 'decision': {
      // A call left to the agent is not a decision: if the agent asks, its dialog has its own entry. A question that Baton
      // asked at the call's first hook was counted there, not again with the dialog or the yes in it.
      // What was performed outside for a call without a person is a part of that call.
      if (body.decision !== 'defer' && !body.again && !(isBrokered(entry) && isWithoutPerson(body))) {
        part.decisions.all++
        if (isWithoutPerson(body)) part.decisions.without++
      }
      if (body.by !== 'person' && !body.again) addToGroup(part.groups, body, at)
      if (project && body.undo && body.decision === 'allow')
        projectIn(part.projects, project).undo.unshift({
          step: Number(body.undo),
          subject: cut(body.subject),
          at,
        })
      break
    }
    case 'ask': {
      const { answer, what, ask, title } = body
      if (what === 'answered' && answer?.by.channel === 'policy')
        part.answeredByPolicy.unshift({
          at,
          ask,
          ...(project ? { project } : {}),
          title: cut(title),
          answer: cut(plainReplies(answer.replies)),
        })
      break
    }
    case 'event':
      if (project && body.event.type === 'ToolFinished')
        addFinishedTool(part.projects, project, at, body.event, readTest)
      break
    case 'workflow': {
      const { what, workflow, issue, end, reason = '', pullRequest } = body
      if (what === 'continued' || what === 'supervised' || what === 'sent-back') part.continued++
      if (what === 'ended')
        part.ended.unshift({
          ...about,
          workflow,
          reason: cut(reason),
          ...(issue ? { issue } : {}),
          ...(end ? { end } : {}),
          ...(pullRequest ? { pullRequest } : {}),
        })
      break
    }
    case 'claim':
      if (body.end)
        part.ended = withClaim(
          [
            {
              ...about,
              workflow: CLAIM,
              issue: body.issue,
              end: body.end,
              reason: cut(body.reason ?? ''),
              ...(body.pullRequest ? { pullRequest: body.pullRequest } : {}),
            },
          ],
          part.ended,
        )
      break
    case 'stage':
      if (body.what === 'sent-back') part.continued++
      if (body.what === 'ended' && body.end)
        part.ended.unshift({
          ...about,
          workflow: `work ${body.workId}`,
          reason: cut(body.detail ?? ''),
          end: body.end,
        })
      break
    case 'handoff':
      if (body.what === 'written' && body.document)
        part.handoffs.unshift({
          at,
          document: body.document,
          ...(session ? { session } : {}),
          ...(project ? { project } : {}),
          ...(body.writtenBy ? { writtenBy: body.writtenBy } : {}),
        })
      break
    case 'sandbox':
      for (const what of [
        ...(body.blocked ?? []).map(host => `contact ${host}`),
        ...body.moved.map(({ path, why }) => `make ${path} (${why})`),
      ])
        part.prevented.unshift({ at, ...(session ? { session } : {}), what: cut(what) })
      break
    case 'fault':
      part.faults.unshift({ at, during: body.during, message: cut(body.error.message) })
      break
  }
}

/** Adds a later part to an earlier one. The later part stays as it is. */
export function joinPart(earlier: RecapPart, later: RecapPart): void {
  for (const project of later.projects.values())
    joinProject(projectIn(earlier.projects, project.project), project)
  for (const [key, group] of later.groups) {
    const known = earlier.groups.get(key)
    earlier.groups.set(key, {
      ...group,
      count: (known?.count ?? 0) + group.count,
      subjects: [...new Set([...group.subjects, ...(known?.subjects ?? [])])].slice(0, MAX_SUBJECTS),
    })
  }
  earlier.ended = withClaim(later.ended, earlier.ended)
  earlier.handoffs = [...later.handoffs, ...earlier.handoffs]
  earlier.answeredByPolicy = [...later.answeredByPolicy, ...earlier.answeredByPolicy]
  earlier.prevented = [...later.prevented, ...earlier.prevented]
  earlier.faults = [...later.faults, ...earlier.faults]
  earlier.decisions.all += later.decisions.all
  earlier.decisions.without += later.decisions.without
  earlier.continued += later.continued
}

function joinProject(earlier: ProjectRecap, { files, tests, undo }: ProjectRecap): void {
  addFiles(earlier, files)
  if (tests) earlier.tests = { ...tests, runs: (earlier.tests?.runs ?? 0) + tests.runs }
  earlier.undo = [...undo, ...earlier.undo]
}

function projectIn(projects: Map<string, ProjectRecap>, path: string): ProjectRecap {
  const known = projects.get(path) ?? { project: path, commits: [], files: [], undo: [] }
  projects.set(path, known)
  return known
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
  projects: Map<string, ProjectRecap>,
  project: string,
  at: string,
  { action, failed, response }: Finished,
  readTest: RecapFacts['readTest'],
): void {
  if (action.kind === 'write' && !failed)
    addFiles(
      projectIn(projects, project),
      action.paths.map(path => (path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path)),
    )
  if (action.kind !== 'shell') return
  const test = readTest(action.command, failed, response)
  if (!test) return
  const recap = projectIn(projects, project)
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
  for (const file of files) {
    if (recap.files.length >= MAX_FILES) return
    if (!recap.files.includes(file)) recap.files.push(file)
  }
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
  FormAsked: 'is asking in its own terminal',
}

function waitingSessions({ sessions, since }: RecapFacts): Recap['waits']['sessions'] {
  return sessions.flatMap(({ id, agent, name, project, endedAt, lastEvent, lastSeenAt }) => {
    const why = WAITING[lastEvent]
    if (endedAt || why === undefined || lastSeenAt < since) return []
    return [
      {
        session: id,
        agent,
        ...(name ? { name } : {}),
        ...(project ? { project } : {}),
        why,
        since: lastSeenAt,
      },
    ]
  })
}

/** The journal holds the replies, not the questions. */
const plainReplies = (replies: readonly Reply[] = []): string =>
  replies.map(({ chosen = [], words }) => [...chosen, ...(words ? [words] : [])].join(', ')).join('; ')

const cut = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH).toWellFormed()}…` : line
}

const CLAIM = 'claim'
const issueOf = ({ project, issue }: Recap['ended'][number]): string => `${project} ${issue}`

/** Only the newest of a claim counts: CI may fail and then pass. */
function withClaim(later: Recap['ended'], earlier: Recap['ended']): Recap['ended'] {
  const again = new Set(later.filter(({ workflow }) => workflow === CLAIM).map(issueOf))
  return [...later, ...earlier.filter(each => each.workflow !== CLAIM || !again.has(issueOf(each)))]
}

/** A claim and the runs for its issue say the same, unless one is older: CI may fail after a run was proven. */
function withoutOutdated(all: Recap['ended']): Recap['ended'] {
  const [claims, runs] = [new Map<string, string>(), new Map<string, string>()]
  for (const each of all) {
    const newest = each.workflow === CLAIM ? claims : runs
    if (each.at > (newest.get(issueOf(each)) ?? '')) newest.set(issueOf(each), each.at)
  }
  return all.filter(each => {
    const key = issueOf(each)
    return each.workflow === CLAIM ? each.at > (runs.get(key) ?? '') : each.at >= (claims.get(key) ?? '')
  })
}

const isUnproven = ({ end }: Recap['ended'][number]): number => Number(end === 'unproven')
