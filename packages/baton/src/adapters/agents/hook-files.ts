import { posix } from 'node:path'
import type { HookFiles, InstallScope } from '../../ports/agent.ts'
import { adapters } from './registry.ts'

/** Where the agents' hooks stand, from what each would install: an agent that is added is guarded with the rest. */
export function hookFiles(home: string, env: Readonly<Record<string, string | undefined>>): HookFiles {
  const usual = adapters.flatMap(({ scopes, install }) => scopes.map(scope => paths(install, scope, {})))
  const names = usual.flat().map(path => posix.relative(path.startsWith(PROJECT) ? PROJECT : home, path))
  const moved = adapters
    .filter(({ scopes }) => scopes.includes('user'))
    .flatMap(({ install }) => {
      const [from, to] = [paths(install, 'user', env), paths(install, 'user', {})]
      return from.flatMap((path, at) => roots(path, to[at] ?? path))
    })
  return { names: [...new Set(names)], moved }

  function paths(
    install: (typeof adapters)[number]['install'],
    scope: InstallScope,
    env: Readonly<Record<string, string | undefined>>,
  ): string[] {
    const target = { scope, project: PROJECT, home, env, launcher: '/baton-hook', waitSeconds: 1 }
    return install(target, () => undefined).map(({ path }) => path)
  }
}

const PROJECT = '/project'

/** What two paths begin with before they become alike. */
function roots(path: string, usual: string): HookFiles['moved'] {
  if (path === usual) return []
  const [a, b] = [path.split('/'), usual.split('/')]
  while (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-1)) {
    a.pop()
    b.pop()
  }
  return [{ file: path, from: a.join('/') || '/', to: b.join('/') || '/' }]
}
