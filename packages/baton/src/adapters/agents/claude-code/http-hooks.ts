import { findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser'
import type { InstallTarget } from '../../../ports/agent.ts'
import { hookCommand } from '../hook-command.ts'

/**
 * Baton 0.1 installed HTTP hooks for events that only report. They name a port, and any program can take a free
 * port and receive tool results and the key. Baton installs none any more; this recognizes and replaces old ones.
 */
export function isHttpHook(event: string, hook: unknown): boolean {
  if (typeof hook !== 'object' || hook === null || !('url' in hook)) return false
  const { url } = hook
  if (typeof url !== 'string' || url.length > 2048) return false
  if (!/^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost):\d+\//.test(url)) return false
  const path = url.slice(0, url.indexOf('?'))
  return path.endsWith(`/claude-code/${event}`) && /\?source=(?:user|local)$/.test(url)
}

/** The settings with the launcher in place of every HTTP hook that carries this key. Nothing else in them changes. */
export function replaceHttpHooks(
  text: string,
  key: string,
  target: Pick<InstallTarget, 'launcher' | 'home'>,
): string {
  // A byte order mark is not JSON; a blank in its place keeps every offset.
  const root = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true })
  const events = root && findNodeAtLocation(root, ['hooks'])
  const edits = (events?.children ?? []).flatMap(({ children: [name, groups] = [] }) => {
    const event: unknown = name?.value
    if (typeof event !== 'string') return []
    return (groups?.children ?? [])
      .flatMap(group => findNodeAtLocation(group, ['hooks'])?.children ?? [])
      .filter(hook => isHttpHook(event, getNodeValue(hook)))
      .flatMap(hook => editsOf(hook, event, key, target))
  })
  // From the end of the file to its start: an edit must not move the place of the next one.
  return edits
    .toSorted((a, b) => b.at.offset - a.at.offset)
    .reduce((done, { at, by }) => done.slice(0, at.offset) + by + done.slice(at.offset + at.length), text)
}

function editsOf(
  hook: Node,
  event: string,
  key: string,
  target: Pick<InstallTarget, 'launcher' | 'home'>,
): { at: Node; by: string }[] {
  const type = findNodeAtLocation(hook, ['type'])
  const url = findNodeAtLocation(hook, ['url'])
  const [, given, scope] = /\/observe\/([0-9a-f]{64})\/.*\?source=(user|local)$/.exec(url?.value) ?? []
  if (!type || !url?.parent || given !== key) return []
  const command = hookCommand(
    { ...target, scope: scope === 'local' ? 'local' : 'user' },
    'claude-code',
    event,
  )
  return [
    { at: type, by: '"command"' },
    { at: url.parent, by: `"command": ${JSON.stringify(command)}` },
  ]
}
