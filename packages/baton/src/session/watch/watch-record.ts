import type { SessionId } from '@batonpass/contract/ids'
import type { HealthCheck, WatchedSession } from '@batonpass/contract/watch'
import type { Finding } from './assess-health.ts'
import type { WatchParts } from './parts.ts'
import type { Subject, Watched } from './subjects.ts'

type About = Pick<Subject, 'id' | 'agent' | 'project'> & Partial<Pick<Subject, 'session' | 'spawn'>>

/** Stores observations, but only changes: a quiet session causes no writes. */
export class WatchRecord {
  readonly #parts: WatchParts
  readonly #rows = new Map<SessionId, WatchedSession>()
  #standing: Map<string, HealthCheck> | undefined

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  session({ id, session, spawn, agent, project, place, pid, state, activeAt }: Watched): void {
    const { store, clock } = this.#parts
    const known = this.#rows.get(id) ?? store.session(id)
    const now = clock.now()
    const context = session?.context
    const row: WatchedSession = {
      session: id,
      project: project ?? null,
      agent,
      native_session: session?.nativeSession ?? null,
      place: place ?? null,
      pid: pid ?? null,
      status: state,
      context_usage: (context?.percent ?? 0) / 100,
      estimated_tokens_used: context?.used ?? 0,
      last_context_check: context?.at ?? null,
      last_output: activeAt > 0 ? new Date(activeAt).toISOString() : null,
      started_at: known?.started_at ?? session?.startedAt ?? spawn?.started_at ?? new Date(now).toISOString(),
      updated_at: new Date(now).toISOString(),
    }
    const same = known !== undefined && isSame(known, row)
    this.#rows.set(id, same ? known : row)
    if (same) return
    store.putSession(row)
  }

  /** Records findings that are new, and notifies the user about the important ones if `tell` is set. */
  async findings(about: About, findings: readonly Finding[], tell: boolean): Promise<void> {
    for (const finding of findings) {
      if (!this.#isNews(about.id, finding)) continue
      const worthTelling = finding.status !== 'ok' && finding.check !== 'errors'
      const action = worthTelling && tell ? 'notified the user' : undefined
      this.add(about, finding, action)
      // Words that look like errors come and go on every screen, so they are stored but not announced.
      if (finding.check === 'errors') continue
      const message = this.#parts.redact(finding.message) || 'healthy again'
      await this.#parts.journal(
        { ...about, nativeSession: about.session?.nativeSession },
        {
          kind: 'health',
          check: finding.check,
          status: finding.status,
          message,
          ...(action ? { action } : {}),
        },
      )
      if (!action) continue
      const name = about.spawn?.title ?? about.session?.nativeSession ?? about.id
      const text = `${finding.status === 'critical' ? '🛑' : '⚠️'} ${about.agent} ${name}: ${message}\n${about.project ?? ''}`
      await this.#parts
        .tell({ project: about.project ?? '/', text })
        .catch(cause => this.#parts.fault('notifying the user about a session’s health', cause))
    }
  }

  add(
    { id, project }: Pick<About, 'id' | 'project'>,
    { check, status, message, details }: Finding,
    action?: string,
  ): HealthCheck {
    const row: HealthCheck = {
      id: `hck_${this.#parts.ids.id(20)}`,
      session: id,
      project: project ?? null,
      check_type: check,
      status,
      details: this.#shown(check, { ...(message ? { message } : {}), ...details }),
      action_taken: action ?? null,
      ps_response: null,
      created_at: new Date(this.#parts.clock.now()).toISOString(),
    }
    this.#parts.store.addCheck(row)
    this.#known().set(`${id} ${check}`, row)
    return row
  }

  #isNews(id: SessionId, { check, status, message }: Finding): boolean {
    const known = this.#known().get(`${id} ${check}`)
    if (!known) return status !== 'ok'
    const age = this.#parts.clock.now() - Date.parse(known.created_at)
    // Words that look like errors scroll in and out of the screen.
    if (check === 'errors' && age < AGAIN_MS) return false
    if (known.status !== status) return true
    if (status === 'ok' || check === 'stall') return false
    return messageIn(known) !== this.#parts.redact(message) && age > AGAIN_MS
  }

  /** The last finding of each kind for each session. */
  standing(): HealthCheck[] {
    return [...this.#known().values()]
  }

  /** Drops cached data of sessions that are no longer watched. */
  only(ids: ReadonlySet<SessionId>): void {
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id)
    for (const [key, { session, status }] of this.#known())
      if (status === 'ok' && !ids.has(session)) this.#known().delete(key)
  }

  /** Includes findings from before this process started, or every restart would report them again. */
  #known(): Map<string, HealthCheck> {
    this.#standing ??= new Map(
      this.#parts.store.currentChecks().map(check => [`${check.session} ${check.check_type}`, check]),
    )
    return this.#standing
  }

  #shown(check: Finding['check'], details: HealthCheck['details']): HealthCheck['details'] {
    if (this.#parts.content() === 'full') return this.#parts.redact(details)
    const { lines: _lines, last: _last, message, ...rest } = details
    return check === 'errors' || message === undefined ? rest : { message, ...rest }
  }
}

/** If only the time of the last output changed, the row is written at most once a minute. */
function isSame(known: WatchedSession, row: WatchedSession): boolean {
  const { updated_at: then, last_output: _a, ...before } = known
  const { updated_at: now, last_output: _b, ...after } = row
  const quiet = known.last_output === row.last_output || Date.parse(now) - Date.parse(then) < AGAIN_MS
  return quiet && JSON.stringify(before) === JSON.stringify({ ...after })
}

const messageIn = ({ details }: Pick<HealthCheck, 'details'>): string =>
  typeof details.message === 'string' ? details.message : ''

const AGAIN_MS = 60_000
