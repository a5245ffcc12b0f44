import type { Ask } from '@batonpass/contract/ask'
import { Config } from '@batonpass/contract/config'
import { AskId } from '@batonpass/contract/ids'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { isClosedAddress, namesLoopback } from '../../src/adapters/proxy/addresses.ts'
import { outcomeOf } from '../../src/ask/ask-outcome.ts'
import { openedAsk, type Question } from '../../src/ask/question.ts'
import { withProjectAccess } from '../../src/config/add-project-access.ts'
import { parseAccess, sessionSettings } from '../../src/sandbox/access/access.ts'
import { blockedLine } from '../../src/sandbox/access/access-lines.ts'
import { AccessRequests } from '../../src/sandbox/access/access-requests.ts'
import {
  answersHost,
  combineRules,
  rulesFromRequests,
  rulesFromSettings,
} from '../../src/sandbox/network/host-settings.ts'

const place = {
  worktree: '/home/me/project',
  home: '/home/me',
  ownPorts: [4545],
  namesThisMachine: namesLoopback,
  isClosed: isClosedAddress,
  isRegistry: ({ scheme, host }: { scheme: string; host: string }) =>
    scheme === 'https' && host === 'registry.example',
  findReal: (path: string) => (path.includes('missing') ? undefined : path.replace('/link', '/real')),
}
const parse = (kind: string, name: string, methods?: string) => parseAccess(kind, name, methods, place)

describe('what a command may request', () => {
  test.each([
    ['host', 'API.example.com', undefined, 'api.example.com'],
    ['host', 'https://api.example.com:443', undefined, 'api.example.com'],
    ['host', 'http://api.example.com:8080', undefined, 'http://api.example.com:8080'],
    ['host', 'api.example.com', 'get,post', 'GET,POST api.example.com'],
    ['host', '[2606:4700::1]:8443', undefined, '[2606:4700::1]:8443'],
    ['port', '5432', undefined, '5432'],
    ['path', '~/datasets', undefined, '/home/me/datasets'],
    ['path', '/srv/link', undefined, '/srv/real'],
  ])('%s %s %s', (kind, name, methods, read) => {
    expect(parse(kind, name, methods)).toEqual({ kind, name: read })
  })

  test.each([
    ['host', 'a b'],
    ['host', 'user@example.com'],
    ['host', 'example.com/path'],
    ['host', 'bücher.example'],
    ['host', '*.example.com'],
    ['host', 'localhost:3000'],
    ['host', '127.0.0.1:5432'],
    ['host', '[::1]'],
    ['host', '169.254.169.254'],
    ['host', 'http://[fe80::1]'],
    ['host', 'a.example:0'],
    ['host', 'x'.repeat(400)],
    ['port', '4545'],
    ['port', '0'],
    ['port', '65536'],
    ['port', '08'],
    ['path', 'relative'],
    ['path', '/missing'],
    ['path', '/home/me'],
    ['path', '/home'],
    ['path', '/'],
    ['path', '/home/me/project/x'],
    ['path', '/etc/\u001b[2J'],
    ['secret', 'x'],
  ])('not %s %s', (kind, name) => {
    expect(parse(kind, name)).toHaveProperty('error')
  })

  test('a registry is not asked about: a yes would open nothing', () => {
    expect(parse('host', 'registry.example', 'PUT')).toEqual({
      error:
        'registry.example is a package registry: commands may read from it already. To open more, name it in sandbox.hosts.',
    })
    expect(parse('host', 'http://registry.example')).toHaveProperty('name')
  })
})

const SESSION = 'ses_00000000000000000001'
const FACTS = { project: '/home/me/project' }

/** Asks that a test answers, kept as the daemon's store keeps them. */
function world(kept: Ask[] = []) {
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  const waiting = new Map<string, (ask: Ask) => void>()
  const remembered: string[] = []
  const make = () =>
    new AccessRequests({
      asks: {
        async ask(question: Question, { signal }) {
          const known = kept.find(({ key, state }) => key === question.key && state !== 'withdrawn')
          if (known && known.state !== 'open') return outcomeOf(known)
          const id = AskId.parse(`ask_${String(kept.length).padStart(20, '0')}`)
          const ask = openedAsk(id, question, nowMs, 1000)
          kept.unshift(ask)
          return await new Promise(done => {
            waiting.set(question.facts.tool ?? '', settled => {
              kept.splice(kept.indexOf(ask), 1, settled)
              done(outcomeOf(settled))
            })
            signal.addEventListener('abort', () =>
              done(outcomeOf({ ...ask, state: 'withdrawn', withdrawn: 'waiter-gone' })),
            )
          })
        },
        recent: async () => kept,
      },
      factsOf: async session => (session === SESSION ? FACTS : undefined),
      remember: async (project, { kind, name }) => void remembered.push(`${project}: ${kind} ${name}`),
      fault: (during, cause) => {
        throw new Error(during, { cause })
      },
      clock: { now: () => nowMs, elapsed: () => nowMs },
    })
  const answer = async (tool: string, chosen: string) => {
    const [ask] = kept.filter(each => each.facts.tool === tool)
    if (!ask) throw new Error(`nobody asked about ${tool}`)
    const at = new Date(nowMs).toISOString()
    waiting.get(tool)?.({
      ...ask,
      state: 'answered',
      answer: { option: 'reply', replies: [{ question: 'access', chosen: [chosen] }], by: BY, at },
    })
    await settle()
  }
  return {
    requests: make(),
    restart: make,
    kept,
    remembered,
    answer,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const BY = { channel: 'terminal', who: 'me' }
const settle = () => new Promise(done => setImmediate(done))
const host = (name: string) => ({ kind: 'host' as const, name })
const never = new AbortController().signal

describe('asking about access', () => {
  test('one ask for repeated attempts and for a request, and the answer holds for the session', async () => {
    const { requests, kept, answer, restart } = world()
    expect(requests.noteBlocked(SESSION, host('a.example'))).toBe('open')
    expect(requests.noteBlocked(SESSION, host('a.example'))).toBe('open')
    const waiting = requests.request(SESSION, host('a.example'), never)
    await settle()
    expect(kept).toHaveLength(1)
    expect(kept[0]).toMatchObject({ kind: 'question', title: 'Let commands contact a.example?' })
    expect(requests.granted(SESSION)).toEqual([])
    await answer('host a.example', 'session')
    expect(await waiting).toBe('granted')
    expect(requests.granted(SESSION)).toEqual([host('a.example')])
    expect(requests.granted('ses_00000000000000000002')).toEqual([])
    // A daemon that starts later knows it from the stored answer.
    const next = restart()
    await next.load(SESSION)
    expect(next.granted(SESSION)).toEqual([host('a.example')])
    expect(kept).toHaveLength(1)
  })

  test('a no is final for the session', async () => {
    const { requests, kept, answer } = world()
    const waiting = requests.request(SESSION, host('a.example'), never)
    await settle()
    await answer('host a.example', 'no')
    expect(await waiting).toBe('refused')
    expect(requests.noteBlocked(SESSION, host('a.example'))).toBe('refused')
    expect(await requests.request(SESSION, host('a.example'), never)).toBe('refused')
    expect(kept).toHaveLength(1)
  })

  test('once ends after ten minutes, and the next attempt asks again', async () => {
    const { requests, kept, answer, pass, restart } = world()
    requests.noteBlocked(SESSION, host('a.example'))
    await settle()
    await answer('host a.example', 'once')
    pass(9 * 60_000)
    expect(requests.granted(SESSION)).toHaveLength(1)
    pass(2 * 60_000)
    expect(requests.granted(SESSION)).toEqual([])
    const next = restart()
    await next.load(SESSION)
    expect(next.granted(SESSION)).toEqual([])
    expect(next.noteBlocked(SESSION, host('a.example'))).toBe('open')
    await settle()
    expect(kept).toHaveLength(2)
  })

  test('for this project adds a rule to the user’s own settings', async () => {
    const { requests, remembered, answer } = world()
    requests.noteBlocked(SESSION, host('a.example'))
    await settle()
    await answer('host a.example', 'project')
    expect(remembered).toEqual(['/home/me/project: host a.example'])
    expect(requests.granted(SESSION)).toHaveLength(1)
  })

  test('an agent cannot flood its user: three at a time, thirty in all', async () => {
    const { requests, kept, answer } = world()
    const states = Array.from({ length: 10 }, (_, at) =>
      requests.noteBlocked(SESSION, host(`h${at}.example`)),
    )
    await settle()
    expect(states.filter(state => state === 'full')).toHaveLength(7)
    expect(kept).toHaveLength(3)
    expect(await requests.request(SESSION, host('other.example'), never)).toBe('full')
    for (let at = 0; at < 40; at++) {
      requests.noteBlocked(SESSION, host(`more${at}.example`))
      await settle()
      for (const { facts, state } of [...kept]) if (state === 'open') await answer(facts.tool ?? '', 'no')
    }
    expect(kept).toHaveLength(30)
  })

  test('no one is asked for what is not a session, and a command that stops waiting leaves the ask open', async () => {
    const { requests, kept } = world()
    expect(await requests.request('proof', host('a.example'), never)).toBe('unanswered')
    expect(kept).toEqual([])
    const stop = new AbortController()
    const waiting = requests.request(SESSION, host('a.example'), stop.signal)
    await settle()
    stop.abort()
    expect(await waiting).toBe('open')
    expect(kept.map(({ state }) => state)).toEqual(['open'])
  })
})

describe('the words of a request', () => {
  test.each([
    [host('a.example'), 'read from a.example', '`baton request host a.example`'],
    [
      host('POST http://a.example:81'),
      'send http://a.example:81 POST',
      '`baton request host http://a.example:81 --methods POST`',
    ],
    [{ kind: 'port' as const, name: '5432' }, 'port 5432', '`baton request port 5432`'],
    [{ kind: 'path' as const, name: '/srv/data' }, '/srv/data is outside', '`baton request path /srv/data`'],
  ])('name %o in the first line, which lists show, and how to request it', async (access, first, command) => {
    const { requests, kept } = world()
    const state = requests.noteBlocked(SESSION, access)
    await settle()
    expect(kept[0]?.detail.split('\n')[0]).toContain(first)
    for (const each of [state, 'unanswered', 'unasked'] as const)
      expect(blockedLine(access, each)).toContain(command)
  })
})

describe('the table of hosts', () => {
  test('a request never makes a registry writable, and a requested name never leads into a private network', () => {
    const [registry] = rulesFromSettings(['registry.example'])
    if (!registry) throw new Error('no rule')
    const rules = combineRules(
      rulesFromSettings(['api.example']),
      [registry],
      rulesFromRequests(['PUT registry.example', 'POST api.example', 'new.example', '10.0.0.7']),
    )
    const of = (host: string) => rules.filter(rule => rule.host === host)
    expect(of('registry.example')).toMatchObject([{ methods: ['GET', 'HEAD'] }])
    expect(of('api.example')).toMatchObject([{ methods: ['GET', 'HEAD', 'POST'], isUsers: true }])
    expect(of('new.example')).toMatchObject([{ isUsers: false }])
    expect(rules.filter(rule => rule.isExtendable).map(({ host }) => host)).not.toContain('registry.example')
    expect(of('10.0.0.7')).toMatchObject([{ isUsers: true }])
  })

  test.each([
    ['https://a.example/x', true],
    ['https://a.example:443', true],
    ['a.example', false],
    ['http://a.example', false],
    ['https://a.example.evil.example', false],
    ['https://x@b.example', true],
    ['https://a.example@evil.example', false],
    ['http://c.example:8080/x', true],
    ['c.example:8080', true],
    ['ftp://a.example', false],
    ['not an address', false],
  ])('%s answers: %s', (address, expected) => {
    const hosts = ['a.example', 'POST b.example', 'http://c.example:8080']
    expect(answersHost(hosts, address)).toBe(expected)
  })

  test('settings for a project count there and nowhere else', () => {
    const { sandbox } = Config.parse({
      sandbox: {
        hosts: ['all.example'],
        projects: [{ project: '~/shop', hosts: ['shop.example'], ports: [5432], readable: ['/srv/data'] }],
      },
    })
    const at = (project: string) =>
      sessionSettings({ config: { sandbox }, project }, { home: '/home/me', realpath: path => path })
    expect(at('/home/me/shop')).toMatchObject({
      hosts: ['all.example'],
      requestedHosts: ['shop.example'],
      ports: [5432],
      readable: ['/srv/data'],
    })
    expect(at('/home/me/shop2')).toMatchObject({ requestedHosts: [], ports: [], readable: [] })
  })
})

describe('the rule in the settings file', () => {
  const add = (text: string, project = '~/shop', value = 'a.example') =>
    withProjectAccess(text, project, { key: 'hosts', value })

  test('keeps comments and everything else, and adds nothing twice', () => {
    const first = add('# mine\nsandbox:\n  mode: strict # really\n')
    expect(first).toBe(
      '# mine\nsandbox:\n  mode: strict # really\n  projects:\n    - project: ~/shop\n      hosts:\n        - a.example\n',
    )
    expect(add(first)).toBe(first)
    const second = withProjectAccess(add(first, '~/shop', 'b.example'), '~/shop', {
      key: 'ports',
      value: 5432,
    })
    const third = add(second, '~/other')
    expect(Config.parse(parseYaml(third)).sandbox.projects).toEqual([
      { project: '~/shop', hosts: ['a.example', 'b.example'], ports: [5432], readable: [] },
      { project: '~/other', hosts: ['a.example'], ports: [], readable: [] },
    ])
  })

  test('is not added to a file that Baton cannot read', () => {
    expect(() => add('sandbox: [\n')).toThrow(/not valid/)
    expect(() => add('sandbox:\n  projects: yes please\n')).toThrow(/not a list/)
  })
})
