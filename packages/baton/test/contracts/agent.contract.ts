import { readdirSync, readFileSync } from 'node:fs'
import { BatonError } from '@batonpass/contract/errors'
import { AgentEvent, PermissionMode } from '@batonpass/contract/event'
import { Decision } from '@batonpass/contract/reaction'
import { transformSync } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentAdapter, Decoded, InstallScope, InstallTarget } from '../../src/ports/agent.ts'
import { parseSettings, settingsText } from '../adapters/agents/settings-text.ts'

export interface AgentContract {
  adapter: AgentAdapter
  /** The folder under fixtures/ with payloads of that agent. */
  fixtures: string
  scopes: readonly InstallScope[]
  /** The agent's settings, in the layout its hooks have there; `plugin`: a file that is Baton's alone. */
  entries: 'groups' | 'flat' | 'plugin'
}

/** What every agent adapter promises. */
export function agentContract({ adapter, fixtures, scopes, entries }: AgentContract): void {
  const payloads = readPayloads(fixtures)
  const hookNames = adapter.hooks.map(({ event }) => event)

  describe(`${adapter.title}: decode`, () => {
    test.each(payloads)('$name becomes a valid event or is ignored', ({ payload }) => {
      expectValid(adapter, adapter.decode(payload, undefined))
    })

    test('every event that is hooked has a recorded payload', () => {
      const recorded = new Set(payloads.map(({ payload }) => payload.hook_event_name))
      expect(hookNames.filter(name => !recorded.has(name))).toEqual([])
    })

    test('the event name comes from the payload, or else from the hook arguments', () => {
      for (const { payload } of payloads) {
        const { hook_event_name: name, ...rest } = payload
        expect(adapter.decode(rest, String(name))).toEqual(adapter.decode(payload, String(name)))
        expect(() => adapter.decode(payload, 'SomethingElse')).toThrow(BatonError)
      }
    })

    test('an event of a later agent version is ignored', () => {
      const [first] = payloads
      expect(adapter.decode({ ...first?.payload, hook_event_name: 'BrandNew' }, undefined)).toEqual({
        ignored: 'BrandNew',
      })
      for (const name of ['constructor', '__proto__', 'toString', '\u001b[2J']) {
        expect(adapter.decode({ ...first?.payload, hook_event_name: name }, undefined)).toHaveProperty(
          'ignored',
        )
      }
    })

    test('a session id that could leave a folder is refused', () => {
      const first = payloads.find(({ payload }) => hookNames.includes(String(payload.hook_event_name)))
      for (const id of ['../x', 'a/b', '..', '.x', '', 'a\n', 'a'.repeat(129), 7, null, ['a']]) {
        const payload = { ...first?.payload, session_id: id, conversation_id: id, sessionId: id }
        expect(() => adapter.decode(payload, undefined)).toThrow(BatonError)
      }
    })

    test('arbitrary JSON is decoded or refused with payload_invalid, never shown', () => {
      const name = fc.constantFrom(undefined, ...hookNames)
      fc.assert(
        fc.property(fc.jsonValue(), name, (payload, event) => void decodeHostile(adapter, payload, event)),
      )
    })

    test('any field of a real payload replaced by anything is decoded or refused, never shown', () => {
      const mutation = fc.record({
        payload: fc.constantFrom(...payloads.map(each => each.payload)),
        pick: fc.nat(),
        value: fc.jsonValue(),
      })
      fc.assert(
        fc.property(mutation, ({ payload, pick, value }) => {
          const keys = Object.keys(payload)
          const key = keys[pick % keys.length] ?? ''
          decodeHostile(adapter, { ...payload, [key]: value }, undefined)
          const { [key]: _gone, ...without } = payload
          decodeHostile(adapter, without, undefined)
        }),
        { numRuns: 500 },
      )
    })

    test('texts of megabytes pass through whole', () => {
      const big = 'x\u0000ü'.repeat(1_000_000)
      for (const { payload } of payloads) {
        for (const [key, value] of Object.entries(payload)) {
          if (typeof value === 'string') decodeHostile(adapter, { ...payload, [key]: big }, undefined)
        }
      }
    })
  })

  describe(`${adapter.title}: encode and safe`, () => {
    test('an empty reaction is the empty answer', () => {
      for (const name of [...hookNames, 'BrandNew']) expect(adapter.encode({}, name)).toEqual({})
    })

    test('every answer is plain JSON, with nothing undefined in it', () => {
      const text = fc.string({ unit: 'binary', maxLength: 200 })
      const reaction = fc.record(
        {
          permission: fc.record({ decision: fc.constantFrom(...Decision.options), reason: text }),
          goOn: fc.record({ prompt: fc.string({ minLength: 1 }) }),
          refuse: fc.record({ reason: text }),
          context: text,
          notice: text,
        },
        { requiredKeys: [] },
      )
      fc.assert(
        fc.property(reaction, fc.constantFrom(...hookNames, 'BrandNew', '__proto__'), (given, name) => {
          const answer = adapter.encode(given, name)
          expect(JSON.parse(JSON.stringify(answer))).toStrictEqual(answer)
        }),
      )
    })

    test('the safe answer never allows anything and never keeps an agent going', () => {
      for (const { event, waits } of adapter.hooks) {
        for (const mode of [undefined, ...PermissionMode.options]) {
          const safe = adapter.safe(event, mode)
          expect(safe.permission?.decision).not.toBe('allow')
          expect(safe).not.toHaveProperty('goOn')
          expect(safe).not.toHaveProperty('refuse')
          const answer = adapter.encode(safe, event)
          expect(JSON.parse(JSON.stringify(answer))).toStrictEqual(answer)
          if (!waits) expect(answer).toEqual({})
          if (safe.permission) expect(JSON.stringify(answer)).toContain('baton doctor')
        }
      }
    })
  })

  describe(`${adapter.title}: install`, () => {
    const target = (scope: InstallScope) => ({
      scope,
      project: '/home/dev/project',
      home: '/home/dev',
      launcher: "/home/dev/my state's/bin/baton-hook",
      waitSeconds: 300,
    })
    if (!scopes.includes('local'))
      test('it has no private settings for one project, and says so', () => {
        expect(() => adapter.install(target('local'), () => undefined)).toThrow(
          expect.objectContaining({ code: 'usage' }),
        )
      })

    if (entries === 'plugin') {
      pluginContract(adapter, scopes, target)
      return
    }
    const settings = settingsText(hookNames, entries)

    test.each(scopes)('a %s file that is not there is made, and goes away again', scope => {
      const [change, ...rest] = adapter.install(target(scope), () => undefined)
      expect(rest).toEqual([])
      expect(change?.before).toBeUndefined()
      const hooks = JSON.parse(change?.after ?? '').hooks
      expect(Object.keys(hooks)).toEqual(hookNames)
      expect(adapter.install(target(scope), () => change?.after)).toEqual([])
      expect(adapter.installed(target(scope), () => change?.after)).toBe('yes')
      expect(adapter.uninstall(target(scope), () => change?.after)).toMatchObject([{ after: undefined }])
    })

    test('installing and uninstalling gives back the very bytes', () => {
      fc.assert(
        fc.property(settings, fc.constantFrom(...scopes), ({ text }, scope) => {
          const after = adapter.install(target(scope), () => text)[0]?.after
          expect(adapter.installed(target(scope), () => text)).toBe('no')
          expect(adapter.installed(target(scope), () => after)).toBe('yes')
          expect(adapter.install(target(scope), () => after)).toEqual([])
          expect(adapter.uninstall(target(scope), () => after)[0]?.after).toBe(text)
          expect(adapter.uninstall(target(scope), () => text)).toEqual([])
        }),
        { numRuns: 300 },
      )
    })

    test('everything that was in the file is still there, in its order, with its comments', () => {
      fc.assert(
        fc.property(settings, fc.constantFrom(...scopes), (before, scope) => {
          const after = adapter.install(target(scope), () => before.text)[0]?.after ?? ''
          expect(inOrder(before.text, after)).toBe(true)
          expect(others(after)).toEqual(others(before.text))
        }),
      )
    })

    test('an upgrade replaces our own entries and nothing else', () => {
      fc.assert(
        fc.property(settings, fc.constantFrom(...scopes), ({ text }, scope) => {
          const old = {
            ...target(scope),
            launcher: '/opt/old/baton-hook',
            waitSeconds: 5,
          }
          const before = adapter.install(old, () => text)[0]?.after
          const upgraded = adapter.install(target(scope), () => before)[0]?.after
          expect(upgraded).toBe(adapter.install(target(scope), () => text)[0]?.after)
        }),
      )
    })

    test('after a formatter rewrote the file, uninstall removes all of our hooks', () => {
      fc.assert(
        fc.property(settings, fc.constantFrom(...scopes), fc.nat(4), ({ value }, scope, indent) => {
          const text = JSON.stringify(value)
          const installed = adapter.install(target(scope), () => text)[0]?.after ?? ''
          const formatted = JSON.stringify(JSON.parse(installed), null, indent)
          expect(adapter.install(target(scope), () => formatted)).toEqual([])
          const after = adapter.uninstall(target(scope), () => formatted)[0]?.after ?? '{}'
          expect(adapter.installed(target(scope), () => after)).toBe('no')
          // A key that might be the person's own stays.
          const { version = 1, ...kept } = others(after)
          expect({ version, ...kept }).toEqual({ version: 1, ...others(text) })
        }),
      )
    })

    test('hooks of ours that lack an event are stale', () => {
      const [scope = 'user'] = scopes
      const after = adapter.install(target(scope), () => undefined)[0]?.after ?? ''
      const parsed = JSON.parse(after)
      delete parsed.hooks[hookNames[0] ?? '']
      expect(adapter.installed(target(scope), () => JSON.stringify(parsed))).toBe('stale')
      const elsewhere = after.replaceAll(/(--source |source=)\w+/g, '$1plugin')
      expect(adapter.installed(target(scope), () => elsewhere)).toBe('stale')
    })

    test.each([
      ['{"a": 1', 1],
      ['{\n  "a": tru\n}', 2],
      ['{\n"hooks": []}', 2],
      ['{"hooks": "no"}', 1],
      ['{"hooks": null}', 1],
      [`{"hooks": {\r\n\r\n"${hookNames[0]}": {}}}`, 3],
      ['[]', 1],
      ['"text"', 1],
      ['{} {}', 1],
      ['\uFEFF\n\n{,}', 3],
    ])('%j is refused with its line, and nothing is written', (text, line) => {
      const [scope = 'user'] = scopes
      expect(() => adapter.install(target(scope), () => text)).toThrow(
        expect.objectContaining({
          code: 'settings_unreadable',
          message: expect.stringMatching(new RegExp(`json, line ${line}: `)),
        }),
      )
    })

    test('a file made of brackets is refused', () => {
      const [scope = 'user'] = scopes
      const text = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
      expect(() => adapter.install(target(scope), () => text)).toThrow(
        expect.objectContaining({ code: 'settings_unreadable' }),
      )
    })

    test('a file that is committed names no folder of one person', () => {
      const [change] = adapter.install(target('project'), () => undefined)
      expect(change?.path.startsWith('/home/dev/project/')).toBe(true)
      expect(change?.after).not.toContain('/home/dev')
    })
  })

  function others(text: string): Record<string, unknown> {
    const left = adapter.uninstall({ scope: 'user', project: '/p', home: '/h' }, () => text)[0]
    return meaning(left ? (left.after ?? '{}') : text)
  }
}

/** What an adapter promises that installs a plugin of Baton's own instead of entries in settings. */
function pluginContract(
  adapter: AgentAdapter,
  scopes: readonly InstallScope[],
  target: (scope: InstallScope) => InstallTarget,
): void {
  test.each(scopes)('a %s plugin that is not there is made, stays, and goes away again', scope => {
    const [change, ...rest] = adapter.install(target(scope), () => undefined)
    expect(rest).toEqual([])
    expect(change).toMatchObject({ before: undefined, after: expect.stringContaining(`"${adapter.name}"`) })
    const read = (path: string) => (path === change?.path ? change.after : undefined)
    expect(adapter.installed(target(scope), () => undefined)).toBe('no')
    expect(adapter.installed(target(scope), read)).toBe('yes')
    expect(adapter.install(target(scope), read)).toEqual([])
    expect(adapter.uninstall(target(scope), read)).toMatchObject([{ after: undefined }])
    expect(adapter.uninstall(target(scope), () => undefined)).toEqual([])
  })

  test('a plugin of another version or place is stale and replaced', () => {
    const [scope = 'user'] = scopes
    const text = adapter.install(target(scope), () => undefined)[0]?.after ?? ''
    const elsewhere = text.replace(/--source \w+/, '--source plugin')
    const older = text.replace(/[0-9a-f]{12}/, '0123456789ab')
    for (const old of [elsewhere, older]) {
      expect(adapter.installed(target(scope), () => old)).toBe('stale')
      expect(adapter.install(target(scope), () => old)[0]?.after).toBe(text)
    }
  })

  test("a stranger's file of that name is refused and left alone", () => {
    const [scope = 'user'] = scopes
    const strange = 'export const Mine = async () => ({})\n'
    expect(() => adapter.install(target(scope), () => strange)).toThrow(
      expect.objectContaining({ code: 'settings_unreadable' }),
    )
    expect(adapter.uninstall(target(scope), () => strange)).toEqual([])
    expect(adapter.installed(target(scope), () => strange)).toBe('no')
  })

  test('it is code that parses, and nothing of the path can end a text in it', () => {
    for (const scope of scopes) {
      const launcher = `/opt/a"b'c\`\${d}\\e/baton-hook`
      const text = adapter.install({ ...target(scope), launcher }, () => undefined)[0]?.after ?? ''
      expect(() => transformSync(text, { loader: 'ts' })).not.toThrow()
      expect(text).toContain(JSON.stringify(launcher))
    }
  })

  test('no file that is committed holds a key or a home', () => {
    const [change] = adapter.install(target('project'), () => undefined)
    expect(change?.path.startsWith('/home/dev/project/')).toBe(true)
    expect(change?.after).not.toContain('k3y')
    expect(change?.after).not.toContain('/home/dev')
  })
}

/** A settings text's value; hook lists that hold nothing mean nothing. */
function meaning(text: string): Record<string, unknown> {
  const { hooks = {}, ...rest } = parseSettings(text)
  const lists = Object.entries(hooks as Record<string, unknown[]>).filter(([, list]) => list.length > 0)
  return { ...rest, hooks: Object.fromEntries(lists) }
}

function inOrder(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (character === part[at]) at += 1
  return at === part.length
}

function decodeHostile(adapter: AgentAdapter, payload: unknown, event: string | undefined): void {
  const secret = 'cc-secret-cc'
  let decoded: Decoded
  try {
    decoded = adapter.decode(payload, event)
    adapter.decode(withSecret(payload, secret), event)
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    expect(error.code).toBe('payload_invalid')
    expect(error.message).not.toContain(secret)
    expect(error.message.length).toBeLessThan(300)
    return
  }
  expectValid(adapter, decoded)
}

function withSecret(payload: unknown, secret: string): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return secret
  return { ...payload, tool_name: [secret], prompt: { secret } }
}

function expectValid(adapter: AgentAdapter, decoded: Decoded): void {
  if ('ignored' in decoded) {
    expect(decoded.ignored).not.toBe('')
    return
  }
  const stamp = {
    id: 'evt_0123456789abcdef',
    session: 'ses_0123456789abcdef',
    at: '2026-01-01T00:00:00.000Z',
    agent: adapter.name,
  }
  const event = { ...decoded.event, ...stamp }
  // Strictly equal: no key is unknown to the contract, none is undefined.
  expect(AgentEvent.parse(event)).toStrictEqual(event)
  expect(decoded.nativeEvent).not.toBe('')
}

function readPayloads(fixtures: string): { name: string; payload: Record<string, unknown> }[] {
  const folder = new URL(`../fixtures/${fixtures}/`, import.meta.url)
  return readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .map(name => ({ name, payload: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) }))
    .filter(({ payload }) => 'hook_event_name' in payload)
}
