import type { DecodedEvent } from '../ports/agent.ts'

/** Rewrites the paths of an agent that sees another file system (a container): `from=to` pairs, `;` between. */
export function mapPaths(event: DecodedEvent, map: string | undefined): DecodedEvent {
  const pairs = (map ?? '')
    .split(';')
    .map(pair => pair.split('='))
    .flatMap(([from, to]) => (from?.startsWith('/') && to?.startsWith('/') ? [{ from, to }] : []))
    .sort((a, b) => b.from.length - a.from.length)
  if (pairs.length === 0) return event
  const mapped = (path: string): string => {
    const pair = pairs.find(
      ({ from }) => path === from || path.startsWith(from.endsWith('/') ? from : `${from}/`),
    )
    return pair ? pair.to + path.slice(pair.from.length) : path
  }
  return {
    ...event,
    ...(event.cwd ? { cwd: mapped(event.cwd) } : {}),
    ...(event.transcript ? { transcript: mapped(event.transcript) } : {}),
    ...('action' in event && 'paths' in event.action
      ? { action: { ...event.action, paths: event.action.paths.map(mapped) } }
      : {}),
  }
}
