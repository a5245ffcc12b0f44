import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import type { HookSource } from '@batonpass/contract/hook'
import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../src/adapters/agents/claude-code/adapter.ts'
import { removedHooksReactor } from '../../src/compose/removed-hooks.ts'
import { sessionId } from '../../src/session/id.ts'
import { scratch } from '../world/scratch.ts'

function machine() {
  const folder = scratch('bh-')
  const home = folder.path
  const told: string[] = []
  const reactor = removedHooksReactor({ home, env: {}, tell: async ({ text }) => void told.push(text) })
  const settings = join(home, '.claude/settings.json')
  const event = {
    type: 'SettingsChanged',
    agent: 'claude-code',
    session: sessionId('claude-code', 's1'),
    path: settings,
  } as AgentEvent
  const project = join(home, 'project')
  const session = { id: event.session } as Parameters<typeof reactor.react>[1]['session']
  return {
    told,
    settings,
    change: (source: HookSource = 'user') =>
      reactor.react(event, { session, project, config: Config.parse({}), source, now: 0 }),
    install() {
      const place = { home, env: {}, project, scope: 'user' as const }
      const target = { ...place, launcher: '/state/bin/baton-hook', waitSeconds: 60 }
      for (const { path, after } of claudeCode.install(target, () => undefined)) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, after ?? '')
      }
    },
    [Symbol.dispose]: () => folder.remove(),
  }
}

describe("a change of an agent's settings while its session runs", () => {
  it("is told to the person if it removed Baton's hooks", async () => {
    using m = machine()
    m.install()
    expect(readFileSync(m.settings, 'utf8')).toContain('baton-hook')
    expect(await m.change()).toBeUndefined()
    writeFileSync(m.settings, '{"env":{"A":"1"}}')
    const outcome = await m.change()
    const expected = expect.stringMatching(
      /hooks were removed from .*settings\.json.*baton init --agent claude$/,
    )
    expect(m.told).toEqual([expected])
    expect(outcome).toEqual({ now: { notice: expected } })
  })

  it('is not told for hooks of a plugin, nor while the file cannot be read', async () => {
    using m = machine()
    expect(await m.change('plugin')).toBeUndefined()
    m.install()
    writeFileSync(m.settings, '{"half":')
    expect(await m.change()).toBeUndefined()
    expect(m.told).toEqual([])
  })
})
