import { describe, expect, it } from 'vitest'
import { PageChannel } from '../../src/ask/page-channel.ts'
import { answererGuard } from '../../src/daemon/answerer-guard.ts'
import { editorRoutes } from '../../src/daemon/editor-routes.ts'
import { JournalListeners } from '../../src/journal/live.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { sampleAsk } from '../ask/sample.ts'
import { anEntry } from '../world/journal.ts'
import { fakeTime } from '../world/time.ts'
import { until } from '../world/wait.ts'

async function world() {
  const store = await openSqlite(':memory:')
  const live = new JournalListeners()
  const editors = new PageChannel(fakeTime().timers, 'vscode')
  const ancestry = { ancestorsOf: async () => undefined, clientsOf: async () => [] }
  const fromLogin = (headers: Headers) => headers.get('baton-page') === 'signed'
  const mayAnswer = answererGuard({ ancestry, user: 'ann', fromLogin })
  const api = editorRoutes({ store, live, editors, mayAnswer, beatMs: 60_000 })
  const open = (query: string, headers: Record<string, string> = { 'baton-page': 'signed' }) =>
    api.request(`/api/editor/events?${query}`, { headers })
  return { store, live, editors, open, [Symbol.asyncDispose]: () => store.close() }
}

const about = (project: string | undefined) => sampleAsk({ facts: project === undefined ? {} : { project } })

describe("an editor's window", () => {
  it('is told the kind of what happens, and nothing of its contents', async () => {
    await using here = await world()
    const response = await here.open('notify=all')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe(': here\n\n')
    await until(() => here.live.listeners === 1, { what: 'the window to listen' })
    here.live.publish(await here.store.record([anEntry('a secret')]))
    let text = ''
    while (!text.includes('\n\n')) text += (await reader?.read())?.value
    expect(text).toContain('event: event\n')
    expect(text).not.toContain('secret')
    await reader?.cancel()
    await until(() => here.live.listeners === 0, { what: 'the window to go' })
  })

  it('reaches a person about what it shows', async () => {
    await using here = await world()
    expect(await here.editors.show(about('/work/a'))).toBe(false)
    const off = await here.open('notify=off')
    expect(await here.editors.show(about('/work/a'))).toBe(false)
    const some = await here.open('notify=workspace&folder=%2Fwork%2Fa&folder=%2Fwork%2Fb%2Fweb')
    expect(await here.editors.show(about('/work/a'))).toBe(true)
    // A window on a part of the project, and a project inside of its folder.
    expect(await here.editors.show(about('/work/b'))).toBe(true)
    expect(await here.editors.show(about('/work/a/tools'))).toBe(true)
    expect(await here.editors.show(about('/work/ab'))).toBe(false)
    expect(await here.editors.show(about(undefined))).toBe(true)
    const all = await here.open('notify=all')
    expect(await here.editors.show(about('/work/ab'))).toBe(true)
    for (const { body } of [off, some, all]) await body?.cancel()
  })

  it('that no person let in follows what happens, but reaches no one: with the token alone no one answers there', async () => {
    await using here = await world()
    const response = await here.open('notify=all', { authorization: `Bearer ${'a'.repeat(64)}` })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe(': here\n\n')
    expect(await here.editors.show(about('/work/a'))).toBe(false)
    await until(() => here.live.listeners === 1, { what: 'the window to listen' })
    await reader?.cancel()
  })
})
