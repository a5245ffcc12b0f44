import type { Ask } from '@batonpass/contract/ask'
import type {
  AskView,
  ContextPoint,
  Found,
  HandoffView,
  History,
  ModelUsageView,
  Overview,
  ScreenView,
  SearchQuery,
  SessionCard,
  SessionView,
  SessionWork,
  SettingChange,
  SettingChanged,
  SettingsView,
  StepChangesView,
} from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import type { Entry, EntryBody } from '@batonpass/contract/journal'
import type { Recap } from '@batonpass/contract/recap'
import type { Session } from '@batonpass/contract/session'
import type { WorkflowRun } from '@batonpass/contract/workflow'
import { hookFiles } from '../adapters/agents/hook-files.ts'
import { systemGit } from '../adapters/git/git.ts'
import { findBareRepository } from '../adapters/system/bare-repository.ts'
import { hasDashNames } from '../adapters/system/dash-names.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { HostedConversations } from '../chat/hosted-conversations.ts'
import type { ConfigKeeper } from '../config/keeper.ts'
import { batonHome, type Environment } from '../config/places.ts'
import { problemLine } from '../config/problem.ts'
import { HandoffFiles } from '../handoff/handoff-files.ts'
import type { Redactor } from '../journal/redact.ts'
import { searchJournal } from '../journal/search.ts'
import { slimEntry } from '../journal/slim.ts'
import { sumHours, Tally } from '../journal/tally.ts'
import { eventOf, subjectOf, type ToolEvent } from '../permission/ask-for.ts'
import { describeGrant } from '../permission/grants/grants-in-force.ts'
import { judgeCall } from '../permission/requests.ts'
import { rulesInForce } from '../permission/rules-in-force.ts'
import type { Clock } from '../ports/clock.ts'
import type { Driver } from '../ports/driver.ts'
import type { Store } from '../ports/store.ts'
import type { Undo } from '../undo/undo.ts'
import { type Binding, StageMemory } from '../work/stages/stage-memory.ts'
import { WorkGrants } from '../work/stages/work-grants.ts'
import { WorkItems } from '../work/stages/work-items.ts'
import { WorkflowActions } from '../work/workflows/actions.ts'
import { filedRuns } from '../work/workflows/run.ts'
import { StateFiles } from '../work/workflows/state-files.ts'
import { type Conversations, composeConversations } from './conversations.ts'
import { Recaps } from './recap.ts'
import { changeSetting, settingRows } from './settings.ts'

export interface DashboardParts {
  store: Store
  asks: Asks
  config: ConfigKeeper
  redactor: Redactor
  note(body: EntryBody): Promise<void>
  clock: Clock
  env: Environment
  home: string
  stateDir: string
  driverAt(place: string): Driver | undefined
  undo: Undo
}

/** What the dashboard's pages read; only `undo` and `changeSetting` change anything. */
export interface Dashboard {
  overview(ended: number): Promise<Overview>
  session(id: string): Promise<SessionView>
  screen(id: string): Promise<ScreenView>
  ask(ask: Ask): Promise<AskView>
  history(hours: number): Promise<History>
  /** The last 24 hours. */
  modelUsage(): Promise<ModelUsageView>
  search(query: SearchQuery): Promise<Found>
  settings(project: string | undefined): Promise<SettingsView>
  /** Changes the user's own settings file. */
  changeSetting(change: SettingChange): Promise<SettingChanged>
  /** Without `since`: since the person went away. */
  recap(since: string | undefined): Promise<Recap>
  /** Folders that sessions worked in, newest first. A page may ask only about these. */
  projects(): Promise<string[]>
  undo: DashboardUndo
  conversations: Conversations
  /** Conversations that other Baton programs report about the agents they host. */
  talks: HostedConversations
}

type DashboardUndo = Pick<Undo, 'diff' | 'restore'> & {
  changes(project: string, step: number): Promise<StepChangesView>
}

/** No one reads a longer patch in a browser. */
const MAX_PATCH = 200_000

/** Undo for a page: snapshots contain ignored files such as .env, so patches are redacted. */
function shownUndo(undo: Undo, redactor: Redactor): DashboardUndo {
  const show = (patch: string): string =>
    patch.length > MAX_PATCH
      ? `${redactor.text(patch.slice(0, patch.lastIndexOf('\n', MAX_PATCH) + 1))}… ${patch.length - MAX_PATCH} more characters: baton undo --dry-run`
      : redactor.text(patch)
  return {
    restore: (project, step) => undo.restore(project, step),
    async diff(project, step) {
      const found = await undo.diff(project, step)
      return { ...found, patch: show(found.patch) }
    },
    async changes(project, step) {
      const { patch, until } = await undo.changes(project, step)
      return { patch: show(patch), ...(until ? { until } : {}) }
    },
  }
}

const MAX_LIVE = 500
/** How many sessions show their newest entry. */
const MAX_LAST = 120
const MAX_POINTS = 400

export function composeDashboard(parts: DashboardParts): Dashboard {
  const { store, asks, config, clock } = parts
  const tally = new Tally()
  const recaps = new Recaps({ store, asks, clock, git: systemGit })
  const hooksOfAgents = hookFiles(parts.home, parts.env)
  const talks = new HostedConversations()
  const runs = cacheFor(1000, clock, () =>
    new WorkflowActions(
      new StateFiles(systemSmallFiles, batonHome(parts.env, parts.home)),
      filedRuns(systemSmallFiles, parts.stateDir),
    ).list(),
  )
  const stages = new StageMemory(systemSmallFiles, parts.stateDir)
  const workGrants = new WorkGrants({
    memory: stages,
    items: new WorkItems(systemSmallFiles, systemFolders),
    fault: () => {},
  })
  const works = cacheFor(1000, clock, async () => new Map((await stages.bindings()).map(workOf)))
  const handoffFiles = new HandoffFiles(systemSmallFiles, systemGit, parts.redactor)

  const getSession = async (id: string): Promise<Session> => {
    const session = await store.findSession(id)
    if (!session)
      throw new BatonError('not_found', `No session ${id}`, {
        remedy: 'Run `baton status --all` to list the sessions.',
      })
    return session
  }

  const listProjects = async (): Promise<string[]> => {
    const sessions = await store.sessions({ limit: 1000 })
    return [...new Set(sessions.flatMap(each => each.project ?? []))].slice(0, 100)
  }

  return {
    projects: listProjects,
    recap: since => recaps.make(since),
    undo: shownUndo(parts.undo, parts.redactor),
    talks,
    conversations: composeConversations({ ...parts, talks }),
    async overview(ended) {
      const [live, over, workflows, hours, { lastSeq }, items] = await Promise.all([
        store.sessions({ live: true, limit: MAX_LIVE + 1 }),
        store.sessions({ live: false, limit: ended + 1 }),
        runs(),
        tally.hours(24, clock.now(), store),
        store.stats(),
        works(),
      ])
      const open = asks.open()
      const byId = runsBySession(workflows)
      const card = async (session: Session, index: number): Promise<SessionCard> => {
        const last = index < MAX_LAST ? await lastOf(session, store) : undefined
        const run = byId.get(session.id)
        const work = items.get(session.id)
        return {
          session,
          ...(last ? { last } : {}),
          ...(run ? { run } : {}),
          ...(work ? { work } : {}),
          asks: open.filter(({ facts }) => facts.session === session.id).length,
        }
      }
      return {
        now: new Date(clock.now()).toISOString(),
        lastSeq,
        live: await Promise.all(live.slice(0, MAX_LIVE).map(card)),
        moreLive: live.length > MAX_LIVE,
        ended: await Promise.all(over.slice(0, ended).map(card)),
        more: over.length > ended,
        asks: open.length,
        today: sumHours(hours, clock.now()),
      }
    },

    async session(id) {
      const session = await getSession(id)
      const [items, workflows, parent, others, measured, recent, handoffs] = await Promise.all([
        works(),
        runs(),
        session.parent ? store.findSession(session.parent) : undefined,
        store.sessions({ limit: 1000 }),
        store.entries({ session: session.id, type: 'ContextMeasured', order: 'desc', limit: MAX_POINTS }),
        asks.recent(200),
        session.project ? handoffsOf(session, handoffFiles, store) : [],
      ])
      const run = runsBySession(workflows).get(session.id)
      const work = items.get(session.id)
      const may = work ? [...new Set((await workGrants.of(session.id)).flatMap(describeGrant))] : []
      return {
        session,
        ...(run ? { run } : {}),
        ...(work ? { work: { ...work, ...(may.length > 0 ? { grants: may } : {}) } } : {}),
        ...(parent ? { parent } : {}),
        children: others.filter(each => each.parent === session.id),
        contexts: measured.toReversed().flatMap(pointOf),
        handoffs,
        asks: recent.filter(({ facts }) => facts.session === session.id),
      }
    },

    async screen(id) {
      const { pane, agent, endedAt } = await getSession(id)
      const driver = pane === undefined ? undefined : parts.driverAt(pane)
      // Another session may now use its terminal.
      if (endedAt !== undefined) return { state: 'gone', lines: [] }
      if (pane === undefined || !driver) return { state: 'none', lines: [] }
      const { state, lines } = await driver.readScreen(pane, agent)
      return { state, lines: lines.slice(-200).map(line => parts.redactor.text(line)) }
    },

    async ask(ask) {
      const { session, project } = ask.facts
      const event =
        session && ask.kind === 'permission' ? await toolEventOf(eventOf(ask), session, store) : undefined
      if (!event || project === undefined) return { ask, subject: ask.detail }
      const { config: settings } = await config.get(project)
      const place = { worktree: project, home: parts.home }
      const judgement = judgeCall(
        event,
        rulesInForce(settings, place),
        { ...place, guarded: { folders: [parts.stateDir], ports: [], pids: [], hooks: hooksOfAgents } },
        { realpath, hasDashNames, findBareRepository },
      )
      return { ask, subject: subjectOf(event), judgement }
    },

    async history(hours) {
      const now = clock.now()
      const since = new Date(now - hours * 3_600_000).toISOString()
      const [counted, measured, written] = await Promise.all([
        tally.hours(hours, now, store),
        store.entries({ kind: 'event', type: 'ContextMeasured', since, order: 'desc', limit: 3000 }),
        store.entries({ kind: 'handoff', since, order: 'desc', limit: 500 }),
      ])
      return { hours: counted, contexts: contextsOf(measured.toReversed(), written) }
    },

    async modelUsage() {
      const now = clock.now()
      const sum = sumHours(await tally.hours(24, now, store), now)
      return { calls: sum.modelCalls, tokens: sum.modelTokens, usd: sum.modelUsd }
    },
    changeSetting: change => changeSetting(change, parts),
    search: query => searchJournal(query, store, clock),

    async settings(project) {
      const projects = await listProjects()
      const here = project !== undefined && projects.includes(project) ? project : undefined
      const loaded = await config.get(here)
      return {
        ...(here ? { project: here } : {}),
        projects,
        rows: await settingRows(loaded, parts),
        files: loaded.files.map(({ path, standing }) => ({ path, standing })),
        problems: loaded.problems.map(problemLine),
      }
    },
  }
}

/** The newest entry that shows what the session does; Baton's own reactions show less. */
async function lastOf({ id }: Session, store: Store): Promise<Entry | undefined> {
  const entries = await store.entries({ session: id, order: 'desc', limit: 6 })
  const found = entries.find(isDoing) ?? entries[0]
  return found && slimEntry(found, 240)
}

const isDoing = ({ body }: Entry): boolean =>
  body.kind !== 'reaction' && !(body.kind === 'event' && body.event.type === 'ContextMeasured')

const workOf = ({ session, workId, stage, phase }: Binding): [string, SessionWork] => [
  session,
  { workId, ...(stage ? { stage } : {}), ...(phase ? { phase } : {}) },
]

function runsBySession(runs: readonly WorkflowRun[]): Map<string, WorkflowRun> {
  // Runs are sorted newest first; reversed, the newest run of a session overwrites the older ones.
  return new Map(runs.toReversed().map(run => [run.session, run]))
}

async function toolEventOf(id: string, session: string, store: Store): Promise<ToolEvent | undefined> {
  for (const type of ['ToolRequested', 'PermissionAsked']) {
    const entries = await store.entries({ session, type, order: 'desc', limit: 200 })
    for (const { body } of entries) {
      if (body.kind !== 'event' || body.event.id !== id) continue
      if (body.event.type === 'ToolRequested' || body.event.type === 'PermissionAsked') return body.event
    }
  }
  return undefined
}

/** The handoff documents that this session wrote or started with. */
async function handoffsOf(session: Session, files: HandoffFiles, store: Store): Promise<HandoffView[]> {
  const { project } = session
  if (project === undefined) return []
  const entries = await store.entries({ session: session.id, kind: 'handoff', order: 'desc', limit: 100 })
  const named = new Set(
    entries.flatMap(({ body }) => (body.kind === 'handoff' && body.document ? body.document : [])),
  )
  const views = await Promise.all(
    [...named].slice(0, 20).map(async name => {
      try {
        const [text, { document, findings }] = await Promise.all([
          files.text(project, name),
          files.read(project, name),
        ])
        return { name, text, document, findings, course: courseOf(entries, name, named.size === 1) }
      } catch {
        // A person deleted the document; only the journal still mentions it.
        return undefined
      }
    }),
  )
  return views.filter(view => view !== undefined)
}

/** The journal entries about one document. Entries without a document name count if there is only one document. */
function courseOf(entries: readonly Entry[], name: string, only: boolean): HandoffView['course'] {
  return entries.toReversed().flatMap(({ at, body }) => {
    if (body.kind !== 'handoff' || (body.document ?? (only ? name : undefined)) !== name) return []
    return [{ at, what: body.what, findings: body.findings ?? [] }]
  })
}

function pointOf({ at, body }: Entry): ContextPoint[] {
  if (body.kind !== 'event' || body.event.type !== 'ContextMeasured') return []
  const { used, percent, size } = body.event
  const known = percent ?? (size ? (used / size) * 100 : undefined)
  return [{ at, used, ...(known === undefined ? {} : { percent: known }) }]
}

function contextsOf(measured: readonly Entry[], handoffs: readonly Entry[]): History['contexts'] {
  const bySession = new Map<string, History['contexts'][number]>()
  for (const entry of measured) {
    const { session, nativeSession = '', project } = entry
    if (!session) continue
    const line = bySession.get(session) ?? {
      session,
      nativeSession,
      ...(project ? { project } : {}),
      points: [],
      handoffs: [],
    }
    bySession.set(session, line)
    line.points.push(...pointOf(entry))
  }
  for (const { session, at, body } of handoffs)
    if (session && body.kind === 'handoff' && body.what === 'written')
      bySession.get(session)?.handoffs.push(at)
  return [...bySession.values()].reverse().slice(0, 24)
}

/** Caches the result for `ms` milliseconds, because reading it takes many small reads. */
function cacheFor<T>(ms: number, clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; value: Promise<T> } | undefined
  return () => {
    if (!kept || clock.elapsed() - kept.at > ms) {
      const value = read()
      kept = { at: clock.elapsed(), value }
      value.catch(() => {
        kept = undefined
      })
    }
    return kept.value
  }
}
