import {
  type AskView,
  LoginRequest,
  SearchQuery,
  SettingChange,
  type StepChangesView,
} from '@batonpass/contract/dashboard'
import { BatonError } from '@batonpass/contract/errors'
import { EntryQuery } from '@batonpass/contract/journal'
import { UndoRequest } from '@batonpass/contract/recap'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import type { z } from 'zod'
import type { Baton } from '../compose.ts'
import { slimEntry } from '../journal/slim.ts'
import type { MayAnswer } from './answerer-guard.ts'
import { errorResponse } from './error-response.ts'
import { followJournal } from './follow-journal.ts'
import { LOGIN_MS, type Logins } from './logins.ts'

export interface DashboardRouteParts
  extends Pick<Baton, 'dashboard' | 'store' | 'live' | 'asks' | 'pages' | 'work'> {
  fleet: Pick<Baton['fleet'], 'asks'>
  logins: Logins
  mayAnswer: MayAnswer
  /** The daemon's own address. */
  url(): string
  cookieName(): string
  now(): number
  /** The user's home folder, whose settings choose the channels of a test notice. */
  home: string
  beatMs?: number
}

const BEAT_MS = 10_000

/** What the dashboard reads, and how a browser logs in. Read access is checked before a request gets here. */
export function dashboardRoutes(parts: DashboardRouteParts): Hono {
  const { dashboard, store, live, asks, pages, work, logins, mayAnswer } = parts
  const api = new Hono()

  // A login can answer asks, so only callers that may answer get a link.
  api.post('/api/page/link', async c => {
    await mayAnswer(c)
    const { code, expiresAt } = logins.code()
    return c.json({ url: `${parts.url()}/#login=${code}`, expiresAt })
  })
  api.post('/api/page/logout-all', async c => {
    await mayAnswer(c)
    await logins.leave()
    return c.json({ left: true })
  })
  api.post('/api/page/try-channels', async c => {
    await mayAnswer(c)
    const text = `Baton can reach you here (${new Date(parts.now()).toISOString().slice(0, 19)}).`
    return c.json({ reached: await asks.reach({ project: parts.home, text, kind: 'needs-input' }) })
  })
  // Not a secret: a page signs it to prove that its signature was made for this daemon, not for an earlier one.
  api.get('/login', c => c.json({ nonce: logins.nonce }))
  api.post('/login', bodyLimit({ maxSize: 1024 }), async c => {
    const asked = LoginRequest.safeParse(await c.req.json().catch(() => undefined))
    const entered = asked.success ? await logins.enter(asked.data.code, asked.data.key) : undefined
    if (!entered)
      throw new BatonError('not_allowed', 'This link was already used or has expired', {
        remedy: 'Print a new one: baton dashboard',
      })
    const life = Math.floor(LOGIN_MS / 1000)
    c.header(
      'set-cookie',
      `${parts.cookieName()}=${entered.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${life}`,
    )
    return c.json({ entered: true })
  })
  api.post('/api/page/logout', async c => {
    await logins.leave(Object.fromEntries(c.req.raw.headers))
    c.header('set-cookie', `${parts.cookieName()}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`)
    return c.json({ left: true })
  })

  api.get('/api/page/overview', async c =>
    c.json(await dashboard.overview(countOf(c.req.query('ended'), 30, 1000))),
  )
  api.get('/api/page/sessions/:id', async c => c.json(await dashboard.session(c.req.param('id'))))
  api.get('/api/page/sessions/:id/screen', async c => c.json(await dashboard.screen(c.req.param('id'))))
  api.get('/api/page/asks', async c => {
    const settled = (await asks.recent(60)).filter(({ state }) => state !== 'open')
    const open: AskView[] = await Promise.all(asks.open().map(ask => dashboard.ask(ask)))
    return c.json({ open, settled })
  })
  // Apart from those of this machine, which must not wait for a database.
  api.get('/api/page/fleet-asks', async c => {
    const others = (await (await parts.fleet.asks())?.others()) ?? []
    const open: AskView[] = others.map(ask => ({ ask, subject: ask.detail }))
    return c.json({ open })
  })
  api.get('/api/page/asks/:id', async c => {
    const ask = await asks.find(c.req.param('id'))
    if (!ask)
      throw new BatonError('not_found', `No ask ${c.req.param('id')}`, { remedy: 'See `baton asks`.' })
    return c.json(await dashboard.ask(ask))
  })
  api.get('/api/model-usage', async c => c.json(await dashboard.modelUsage()))
  api.get('/api/page/history', async c =>
    c.json(await dashboard.history(countOf(c.req.query('hours'), 48, 744))),
  )
  api.get('/api/page/search', async c => c.json(await dashboard.search(read(SearchQuery, c.req.query()))))
  api.get('/api/page/settings', async c => c.json(await dashboard.settings(c.req.query('project'))))
  api.post('/api/page/settings', bodyLimit({ maxSize: 128 * 1024 }), async c => {
    await mayAnswer(c)
    const change = read(SettingChange, await c.req.json().catch(() => ({})))
    return c.json(await dashboard.changeSetting(change))
  })
  api.get('/api/page/recap', async c => {
    const since = c.req.query('since')
    if (since !== undefined && Number.isNaN(Date.parse(since)))
      throw new BatonError('usage', 'since is not a valid time')
    return c.json(await dashboard.recap(since && new Date(since).toISOString()))
  })
  api.get('/api/page/projects', async c => c.json({ projects: await dashboard.projects() }))
  api.get('/api/page/work', async c => {
    const lists = (await dashboard.projects()).slice(0, MAX_PROJECTS).map(async project => ({
      project,
      items: await work.list(project).catch(() => []),
    }))
    return c.json({ projects: (await Promise.all(lists)).filter(({ items }) => items.length > 0) })
  })
  api.get('/api/page/undo', async c => {
    const { project, step } = await undoIn(read(UndoRequest, c.req.query()))
    return c.json(await dashboard.undo.diff(project, step))
  })
  api.get('/api/page/undo/changes', async c => {
    const { project, step } = await undoIn(read(UndoRequest, c.req.query()))
    return c.json((await dashboard.undo.changes(project, step)) satisfies StepChangesView)
  })
  api.post('/api/page/undo', bodyLimit({ maxSize: 8192 }), async c => {
    await mayAnswer(c)
    const { project, step } = await undoIn(read(UndoRequest, await c.req.json().catch(() => ({}))))
    return c.json(await dashboard.undo.restore(project, step))
  })
  api.get('/api/page/entries', async c => {
    const entries = await store.entries(read(EntryQuery, c.req.query()))
    const longest = countOf(c.req.query('longest'), SLIM_TEXT, MAX_TEXT_LENGTH)
    return c.json({ entries: entries.map(entry => slimEntry(entry, longest)) })
  })
  api.get('/api/page/events', c =>
    streamSSE(c, async stream => {
      const gone = pages.arrive()
      try {
        const after = c.req.query('after')
        await followJournal(after && /^\d{1,15}$/.test(after) ? Number(after) : undefined, store, live, {
          beatMs: parts.beatMs ?? BEAT_MS,
          send: entry => stream.writeSSE({ id: String(entry.seq), data: JSON.stringify(slimEntry(entry)) }),
          beat: () => stream.write(': still here\n\n'),
          ended: new Promise(resolve => stream.onAbort(resolve)),
        })
      } finally {
        gone()
      }
    }),
  )
  api.onError(errorResponse)
  return api

  /** Allows an undo only in folders where agents worked. */
  async function undoIn(wanted: z.output<typeof UndoRequest>): Promise<z.output<typeof UndoRequest>> {
    if ((await dashboard.projects()).includes(wanted.project)) return wanted
    throw new BatonError('not_found', `No session worked in ${wanted.project}`)
  }
}

const MAX_PROJECTS = 30
const SLIM_TEXT = 400
const MAX_TEXT_LENGTH = 8000

function read<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new BatonError('usage', `${issue?.path.join('.')}: ${issue?.message}`)
}

const countOf = (text: string | undefined, fallback: number, most: number): number =>
  Math.min(Math.max(Number(text) || fallback, 1), most)
