import { isAbsolute, join } from 'node:path'
import type { InstallTarget } from '../../ports/agent.ts'

/** An agent's folder in a person's home: the usual one, unless the variable that moves it says where else. */
export function ownFolder(
  { home, env = {} }: Pick<InstallTarget, 'home' | 'env'>,
  variable: string,
  usual: string,
): string {
  const named = env[variable] ?? ''
  if (named.startsWith('~/')) return join(home, named.slice(2))
  // What is no whole path would depend on where each is started.
  return isAbsolute(named) ? named : join(home, usual)
}
