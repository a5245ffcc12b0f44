import { posix } from 'node:path'
import type { Action } from '@batonpass/contract/event'
import type { DecodedEvent } from '../ports/agent.ts'

/** Rewrites the paths of an agent with a different view of the file system (a container). `map` is `from=to;from=to`. */
export function mapPaths(event: DecodedEvent, map: string | undefined): DecodedEvent {
  const pairs = (map ?? '')
    .split(';')
    .map(pair => pair.split('='))
    .flatMap(([from, to]) =>
      from?.startsWith('/') && to?.startsWith('/')
        ? [{ from: withoutTrailingSlash(from), to: withoutTrailingSlash(to) }]
        : [],
    )
    .sort((a, b) => b.from.length - a.from.length)
  if (pairs.length === 0) return event
  const mapped = (path: string): string => {
    const pair = pairs.find(({ from }) => path === from || path.startsWith(`${from}/`))
    return pair ? pair.to + path.slice(pair.from.length) || '/' : path
  }
  return {
    ...event,
    ...(event.cwd ? { cwd: mapped(event.cwd) } : {}),
    ...(event.transcript ? { transcript: mapped(event.transcript) } : {}),
    ...('action' in event ? { action: mapAction(event.action, mapped) } : {}),
  }
}

function mapAction(action: Action, mapped: (path: string) => string): Action {
  if ('paths' in action) return { ...action, paths: action.paths.map(mapped) }
  if (action.kind === 'shell' && action.cwd) return { ...action, cwd: mapped(action.cwd) }
  return action
}

/** Removes a trailing slash, so that `/` and `/a/` can be prefixes like `/a`. */
function withoutTrailingSlash(path: string): string {
  const whole = posix.normalize(path)
  return whole.endsWith('/') ? whole.slice(0, -1) : whole
}
