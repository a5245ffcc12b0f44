import type { Overview, SessionCard, SessionView, SessionWork } from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import type { Entry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import type { WorkflowRun } from '@batonpass/contract/workflow'
import { systemGit } from '../adapters/git/git.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import type { Asks } from '../ask/asks.ts'
import { batonHome, type Environment } from '../config/places.ts'
import { HandoffFiles } from '../handoff/handoff-files.ts'
import type { Redactor } from '../journal/redact.ts'
import { slimEntry } from '../journal/slim.ts'
import { sumHours, type Tally } from '../journal/tally.ts'
import { describeGrant } from '../permission/grants/grants-in-force.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { type Binding, StageMemory } from '../work/stages/stage-memory.ts'
import { WorkGrants } from '../work/stages/work-grants.ts'
import { WorkItems } from '../work/stages/work-items.ts'
import { WorkflowActions } from '../work/workflows/actions.ts'
import { filedRuns } from '../work/workflows/run.ts'
import { StateFiles } from '../work/workflows/state-files.ts'
import { handoffsOf } from './handoff-views.ts'
import { pointOf } from './history.ts'

interface SessionViewParts {
  store: Store
  asks: Asks
  clock: Clock
  tally: Tally
  redactor: Redactor
  env: Environment
  home: string
  stateDir: string
}

const MAX_LIVE = 500
/** How many sessions show their newest entry. */
const MAX_LAST = 120
const MAX_POINTS = 400

/** Sessions as the dashboard's pages show them: all of them, and one with its work, contexts, handoffs and asks. */
export class SessionViews {
  readonly #parts: SessionViewParts
  readonly #handoffs: HandoffFiles
  readonly #grants: WorkGrants
  readonly #runs: () => Promise<WorkflowRun[]>
  readonly #works: () => Promise<Map<string, SessionWork>>

  constructor(parts: SessionViewParts) {
    const { clock, redactor, env, home, stateDir } = parts
    const stages = new StageMemory(systemSmallFiles, stateDir)
    const workflows = new WorkflowActions(
      new StateFiles(systemSmallFiles, batonHome(env, home)),
      filedRuns(systemSmallFiles, stateDir),
    )
    this.#parts = parts
    this.#handoffs = new HandoffFiles(systemSmallFiles, systemGit, redactor)
    this.#grants = new WorkGrants({
      memory: stages,
      items: new WorkItems(systemSmallFiles, systemFolders),
      fault: () => {},
    })
    this.#runs = cacheFor(1000, clock, () => workflows.list())
    this.#works = cacheFor(1000, clock, async () => new Map((await stages.bindings()).map(workOf)))
  }

  async overview(ended: number): Promise<Overview> {
    const { store, asks, clock, tally } = this.#parts
    const [live, over, workflows, hours, { lastSeq }, items] = await Promise.all([
      store.sessions({ live: true, limit: MAX_LIVE + 1 }),
      store.sessions({ live: false, limit: ended + 1 }),
      this.#runs(),
      tally.hours(24, clock.now(), store),
      store.stats(),
      this.#works(),
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
  }

  async session(id: string): Promise<SessionView> {
    const { store, asks } = this.#parts
    const session = await this.find(id)
    const [items, workflows, parent, others, measured, recent, handoffs] = await Promise.all([
      this.#works(),
      this.#runs(),
      session.parent ? store.findSession(session.parent) : undefined,
      store.sessions({ limit: 1000 }),
      store.entries({ session: session.id, type: 'ContextMeasured', order: 'desc', limit: MAX_POINTS }),
      asks.recent(200),
      session.project ? handoffsOf(session, this.#handoffs, store) : [],
    ])
    const run = runsBySession(workflows).get(session.id)
    const work = items.get(session.id)
    const may = work ? [...new Set((await this.#grants.of(session.id)).flatMap(describeGrant))] : []
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
  }

  async find(id: string): Promise<Session> {
    const session = await this.#parts.store.findSession(id)
    if (!session)
      throw new BatonError('not_found', `No session ${id}`, {
        remedy: 'Run `baton status --all` to list the sessions.',
      })
    return session
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
