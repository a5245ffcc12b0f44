import type { LoadedConfig } from '../config/load.ts'
import { type Check, found } from './known-problems.ts'

/** A daemon whose port is taken listens on another; links and forwarded ports of the user lead nowhere then. */
export function portChecks(
  url: string,
  { config, sources }: Pick<LoadedConfig, 'config' | 'sources'>,
): Check[] {
  const { port } = config.daemon
  if (port === 0 || sources.get('daemon.port')?.kind === 'default') return []
  return new URL(url).port === String(port) ? [] : [found('daemon/other-port', { url, port: String(port) })]
}
