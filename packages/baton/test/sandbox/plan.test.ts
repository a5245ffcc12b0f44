import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PathFact } from '../../src/ports/sandbox.ts'
import {
  HIDDEN_HOME,
  isEnvFile,
  PROTECTED,
  READABLE_HOME,
  READABLE_SYSTEM,
  whyProtected,
} from '../../src/sandbox/paths.ts'
import { makePlan, pathsToLookAt, type SandboxPolicy } from '../../src/sandbox/plan.ts'

const HOME = '/home/me'
const policy: SandboxPolicy = {
  worktree: `${HOME}/project`,
  cwd: `${HOME}/project`,
  home: HOME,
  state: `${HOME}/.local/state/baton`,
  private: { home: '/state/home', temp: '/state/temp', run: '/state/run', aside: '/state/aside' },
  readable: [],
  writable: [],
  programFolders: ['/usr/bin', '/data/tools/bin', `${HOME}/bin`],
  protections: { writable: [], mounts: [] },
}

/** A machine on which every path exists, and is a folder without links. */
const everything = (asked: SandboxPolicy) =>
  new Map<string, PathFact>(pathsToLookAt(asked).map(path => [path, { kind: 'folder', real: path }]))

/** What a command finds at a path: the last mount at or above it decides. */
function sourceAt(path: string, asked: SandboxPolicy): string | undefined {
  const result = makePlan(asked, everything(asked))
  if (!result.ok) throw new Error(result.reason)
  const around = result.plan.mounts.findLast(
    mount => path === mount.path || path.startsWith(`${mount.path}/`),
  )
  return around && 'source' in around ? around.source + path.slice(around.path.length) : around?.kind
}

describe('the plan', () => {
  it('never shows a hidden path of the home folder, whatever the settings make readable or writable', () => {
    const anywhere = fc.constantFrom(
      '/',
      '/home',
      HOME,
      `${HOME}/.config`,
      `${HOME}/.cargo`,
      '/data',
      ...HIDDEN_HOME.map(name => `${HOME}/${name}`),
    )
    fc.assert(
      fc.property(
        fc.array(anywhere),
        fc.array(anywhere),
        fc.constantFrom(...HIDDEN_HOME),
        (readable, writable, name) => {
          const asked = { ...policy, readable, writable }
          const found = sourceAt(`${HOME}/${name}/key`, asked)
          expect(found === undefined || found === 'hidden-folder' || found.startsWith('/state/home/')).toBe(
            true,
          )
        },
      ),
    )
  })

  it('never lets a command write the system, toolchains or Baton’s state', () => {
    const paths = [
      ...READABLE_SYSTEM,
      ...READABLE_HOME.map(name => `${HOME}/${name}`),
      policy.state,
      HOME,
      '/',
    ]
    fc.assert(
      fc.property(fc.subarray(paths), writable => {
        const asked = { ...policy, writable: writable.filter(path => !path.startsWith(`${HOME}/`)) }
        const result = makePlan(asked, everything(asked))
        if (!result.ok) throw new Error(result.reason)
        const bad = result.plan.mounts.filter(
          mount => mount.kind === 'writable' && paths.includes(mount.source),
        )
        expect(bad).toEqual([])
      }),
    )
  })

  it('mounts parents before what is in them', () => {
    const result = makePlan(policy, everything(policy))
    if (!result.ok) throw new Error(result.reason)
    const paths = result.plan.mounts.map(mount => mount.path)
    for (const [index, path] of paths.entries())
      expect(paths.slice(index + 1).filter(later => path !== later && path.startsWith(`${later}/`))).toEqual(
        [],
      )
  })

  it('shows programs of PATH with the installation around them, but never a whole home folder', () => {
    expect(sourceAt('/data/tools/lib/x', policy)).toBe('/data/tools/lib/x')
    expect(sourceAt(`${HOME}/notes`, policy)).toBe('/state/home/notes')
  })

  it.each(['/', '/home', HOME, '/usr', '/tmp', '/var/tmp', '/var', '/run', `${HOME}/.local/state`])(
    'refuses %s as a project folder',
    worktree => {
      const asked = { ...policy, worktree }
      expect(makePlan(asked, everything(asked))).toMatchObject({ ok: false })
    },
  )
})

describe('the table of paths', () => {
  it.each(PROTECTED.map(({ name }) => name.replace('*', 'x')))(
    'protects %s at any depth and in any case',
    name => {
      for (const path of [name, `a/b/${name}`, name.toUpperCase()]) expect(whyProtected(path)).toBeDefined()
      expect(whyProtected(`${name}x`)).toBeUndefined()
    },
  )

  it('leaves dependencies and ordinary files alone', () => {
    for (const path of ['node_modules/x/.vscode', 'src/claude', 'mcp.json', '.github/workflows'])
      expect(whyProtected(path)).toBeUndefined()
  })

  it('tells .env files from examples', () => {
    expect(['.env', 'a/.env.local', '.env.production'].map(isEnvFile)).toEqual([true, true, true])
    expect(['.env.example', '.envrc', 'env', '.env.sample'].map(isEnvFile)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
