import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../../scripts/bundle.ts'
import { findCircle, importsBelow } from './imports.ts'

const src = join(import.meta.dirname, '../src')
const contract = join(import.meta.dirname, '../../contract/src')
const shellVerdict = join(import.meta.dirname, '../../shell-verdict/src')

const ground = ['config', 'session', 'journal', 'ask']
const middle = ['sandbox', 'permission', 'undo', 'handoff', 'proof']
const upper = ['work', 'claim', 'chat']
const belowViews = ['ports', ...ground, ...middle, ...upper, 'fleet', 'engine', 'store', 'adapters']
const belowCompose = [...belowViews, 'views']

/** What each part may import besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  ports: [],
  config: ['ports'],
  session: ['ports', 'config'],
  journal: ['ports', 'config'],
  ask: ['ports', 'config'],
  ...Object.fromEntries(middle.map(part => [part, ['ports', ...ground]])),
  ...Object.fromEntries(upper.map(part => [part, ['ports', ...ground, ...middle]])),
  // The judge of other tools reads the sandbox's table of paths.
  permission: ['ports', ...ground, 'sandbox'],
  fleet: ['ports', ...ground, ...middle, ...upper],
  engine: ['ports', ...ground, ...middle, ...upper],
  store: ['ports'],
  adapters: ['ports'],
  views: belowViews,
  compose: belowCompose,
  'compose.ts': ['compose', ...belowCompose],
  hook: ['compose.ts', 'version.ts', ...belowCompose],
  daemon: ['hook', 'mcp', 'compose.ts', 'version.ts', ...belowCompose],
  mcp: ['hook', 'version.ts', ...belowCompose],
  cli: ['daemon', 'hook', 'mcp', 'version.ts', ...belowCompose],
  'cli.ts': ['cli'],
  'version.ts': ['../package.json'],
}

const partOf = (file: string): string =>
  file.startsWith('..') ? file : file.slice(0, file.indexOf('/') < 0 ? undefined : file.indexOf('/'))
/** Adapters of two different things are strangers to each other. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/')
const isOurs = (name: string): boolean => /\.(ts|json)$/.test(name) && !name.startsWith('@')

describe('the source', () => {
  const imports = importsBelow(src)
  const filesThatSay = (words: string) =>
    [...imports.keys()].filter(file => readFileSync(join(src, file), 'utf8').includes(words))
  const edges = [...imports].flatMap(([from, names]) => names.filter(isOurs).map(to => ({ from, to })))

  it('belongs to a part whose imports are ruled', () => {
    expect([...new Set([...imports.keys()].map(partOf))].filter(part => !MAY_IMPORT[part])).toEqual([])
  })

  it('imports one way: contract, ports, capabilities, engine, compose, then daemon and commands', () => {
    const forbidden = edges.filter(
      ({ from, to }) => partOf(from) !== partOf(to) && !MAY_IMPORT[partOf(from)]?.includes(partOf(to)),
    )
    expect(forbidden.map(show)).toEqual([])
  })

  it('lets no adapter import another', () => {
    const strangers = edges.filter(
      ({ from, to }) =>
        partOf(from) === 'adapters' && partOf(to) === 'adapters' && folderOf(from) !== folderOf(to),
    )
    expect(strangers.map(show)).toEqual([])
  })

  it('adds a rule to the user’s own file only for an answer through Baton, or in a command that the person runs', () => {
    // What an agent's settings say after a call ran proves nothing: the call could have written them.
    const writers = edges.filter(({ to }) => to === 'config/add-rule.ts').map(({ from }) => from)
    expect(writers.filter(from => partOf(from) !== 'cli')).toEqual(['compose/asks.ts'])
  })

  it('keeps the ports free of Node and of packages', () => {
    const outside = [...imports].flatMap(([from, names]) =>
      partOf(from) === 'ports'
        ? names.filter(to => !isOurs(to) && !to.startsWith('@batonpass/')).map(to => ({ from, to }))
        : [],
    )
    expect(outside.map(show)).toEqual([])
  })

  it('pushes and writes to a forge only through claim/fenced-actions.ts, which checks the lease first', () => {
    const importers = (port: string) => edges.filter(({ to }) => to === port).map(({ from }) => from)
    const outsideAdapters = (port: string) => importers(port).filter(from => partOf(from) !== 'adapters')
    // A type that lists the writing methods is needed to call them: without the import there is only the reading forge.
    expect(outsideAdapters('ports/writable-forge.ts')).toEqual([
      'claim/fenced-actions.ts',
      'compose/forge.ts',
    ])
    expect(outsideAdapters('ports/git-push.ts')).toEqual(['claim/fenced-actions.ts'])
    // The functions that act go straight into a FencedActions where a program is put together.
    expect(importers('adapters/git/push.ts')).toEqual(['cli/commands/claim.ts', 'compose/claim.ts'])
    for (const [file, given] of [
      ['cli/commands/claim.ts', 'gitPush'],
      ['compose/claim.ts', 'gitPush'],
      ['compose/claim.ts', 'openWritable'],
    ] as const) {
      const text = readFileSync(join(src, file), 'utf8')
      const inside = text.slice(text.indexOf('new FencedActions({'))
      expect(text.split(given).length - 1, file).toBe(given === 'gitPush' ? 2 : 1)
      expect(inside.slice(0, inside.indexOf('\n  })\n')), file).toContain(given)
    }
    expect(filesThatSay('openWritable')).toEqual(['compose/claim.ts', 'compose/forge.ts'])
    expect(filesThatSay('new FencedActions(')).toEqual(['cli/commands/claim.ts', 'compose/claim.ts'])
    // Git itself is run by its adapter alone; there only the push and the leases' own refs write to a remote.
    expect(filesThatSay("['push'").filter(file => file.startsWith('adapters/git/'))).toEqual([
      'adapters/git/lease-refs.ts',
      'adapters/git/push.ts',
    ])
  })

  it('has no circle, not even of types', () => {
    expect(findCircle(imports)).toBeUndefined()
  })
})

describe('the contract', () => {
  const imports = importsBelow(contract)

  it('runs in a browser: it imports zod and itself', () => {
    const names = new Set([...imports.values()].flat())
    expect([...names].filter(name => name !== 'zod' && !imports.has(name))).toEqual([])
  })

  it('has no circle', () => {
    expect(findCircle(imports)).toBeUndefined()
  })
})

describe('shell-verdict', () => {
  const imports = importsBelow(shellVerdict)

  it('is pure and knows nothing of Baton: it imports the parser, path arithmetic and itself', () => {
    const names = new Set([...imports.values()].flat())
    expect(
      [...names].filter(name => name !== 'unbash' && name !== 'node:path' && !imports.has(name)),
    ).toEqual([])
  })

  it('has no circle', () => {
    expect(findCircle(imports)).toBeUndefined()
  })
})

describe('what each program loads at its start', () => {
  let outputs: Metafile['outputs']
  beforeAll(async () => {
    ;({
      metafile: { outputs },
    } = await build({ ...bundle, metafile: true, write: false }))
  })

  const HEAVY = ['better-sqlite3', 'zod', 'hono', 'kysely', 'yaml', 'pg', 'grammy', 'ai']

  it.each([
    ['baton --help', ['src/cli.ts', 'src/cli/main.ts', 'src/cli/table.ts']],
    ['baton completions', ['src/cli/commands/completions.ts']],
    ['baton hook', ['src/cli/commands/hook.ts']],
  ])('%s loads no heavy library', (_, entries) => {
    const loaded = new Set(entries.flatMap(entry => [...packagesOf(entry)]))
    expect(HEAVY.filter(name => loaded.has(name))).toEqual([])
  })

  it('the daemon loads PostgreSQL only when a copy is configured', () => {
    // main.ts loads the other two by a dynamic import.
    for (const entry of ['src/daemon/main.ts', 'src/compose.ts', 'src/daemon/daemon.ts'])
      expect([...packagesOf(entry)]).not.toContain('pg')
  })

  it('the daemon loads neither Node’s fetch nor TLS at its start', () => {
    const all = ['src/daemon/main.ts', 'src/compose.ts', 'src/daemon/daemon.ts'].map(loadedBy)
    const packages = all.flatMap(loaded => [...loaded.packages])
    const heavy = /^(?:node:)?(?:https|tls|http2)$|^@hono\/node-server$/
    expect(packages.filter(name => heavy.test(name))).toEqual([])
    // Hono gets light versions of the classes that would load fetch.
    expect(packages).toContain('hono')
    expect(all.flatMap(loaded => [...loaded.files])).toContain('src/daemon/web-classes.ts')
  })

  it('the daemon brings its store at once, so that a missing one shows at the start', () => {
    expect([...packagesOf('src/daemon/main.ts')]).toContain('better-sqlite3')
  })

  it('the daemon leaves the comparison of tests to a program of its own', () => {
    const compares = /^src\/proof\/(?:weakened-tests|live-code|loosened-settings)\.ts$/
    const filesOf = (entry: string) => [...loadedBy(entry).files].filter(file => compares.test(file))
    expect(['src/compose.ts', 'src/daemon/daemon.ts'].flatMap(filesOf)).toEqual([])
    expect(filesOf('src/daemon/find-weakened.ts')).toHaveLength(3)
    expect([...packagesOf('src/daemon/find-weakened.ts')]).not.toContain('better-sqlite3')
  })

  it('the daemon loads the fleet only when it is used', () => {
    const loaded = ['src/compose.ts', 'src/daemon/daemon.ts'].flatMap(entry => [...loadedBy(entry).files])
    expect(loaded).toContain('src/compose/fleet-keeper.ts')
    expect(loaded.filter(file => /^src\/(fleet|adapters\/pg-boss)\//.test(file))).toEqual([])
  })

  const packagesOf = (entry: string): Set<string> => loadedBy(entry).packages

  /** The files and packages that a module brings by static imports, near and far. */
  function loadedBy(entry: string): { files: Set<string>; packages: Set<string> } {
    const chunk = Object.keys(outputs).find(name => outputs[name]?.entryPoint === entry)
    if (!chunk) throw new Error(`${entry} is no chunk of its own: it is loaded at once with what imports it`)
    const packages = new Set<string>()
    const files = new Set<string>()
    const seen = new Set<string>()
    const follow = (name: string) => {
      if (seen.has(name)) return
      seen.add(name)
      for (const input of Object.keys(outputs[name]?.inputs ?? {})) {
        const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
        if (found) packages.add(found)
        else files.add(input)
      }
      for (const { path, kind, external } of outputs[name]?.imports ?? []) {
        if (kind !== 'import-statement') continue
        if (external) packages.add(path)
        else follow(path)
      }
    }
    follow(chunk)
    return { files, packages }
  }
})

const show = ({ from, to }: { from: string; to: string }): string => `${from} imports ${to}`
