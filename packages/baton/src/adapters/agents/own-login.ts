import { randomBytes } from 'node:crypto'
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'

/** What an agent inside has in place of each secret of its login. The proxy replaces it. */
export const PLACEHOLDER = 'sk-ant-baton-adds-the-login-outside-the-sandbox'

/** Whether a login can be sent as a header. */
export const isHeaderText = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

/** A server without a login in its address. */
export function serverOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url.origin
}

export const readLoginFile = (path: string): string => readFileSync(path, 'utf8')

/** Changes an agent's file with a login as a whole, so that no other session reads half of it. */
export function replaceLoginFile(path: string, change: (known: unknown) => unknown): void {
  const real = realpathSync(path)
  const draft = `${real}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(draft, JSON.stringify(change(JSON.parse(readFileSync(real, 'utf8')))), {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    renameSync(draft, real)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A file of an agent; an absent one is empty, another content than known is undefined. */
export function readOwnJson<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? '{}')).data
  } catch {
    return undefined
  }
}

/** Settings of an agent; a file that is absent or cannot be read counts as empty, as for the agent's first start. */
export function parseOwnObject(text: string | undefined): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}')
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}

/** Settings in which MCP servers, at any depth, keep only fields that hold no login: their tokens can be in many places. */
export function withoutServerSecrets(settings: unknown): unknown {
  if (Array.isArray(settings)) return settings.map(withoutServerSecrets)
  if (typeof settings !== 'object' || settings === null) return settings
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      name === 'mcpServers' ? withoutLogins(value) : withoutServerSecrets(value),
    ]),
  )
}

function withoutLogins(servers: unknown): unknown {
  if (typeof servers !== 'object' || servers === null) return {}
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, server]: [string, unknown]) =>
      typeof server === 'object' && server !== null
        ? [[name, Object.fromEntries(Object.entries(server).filter(([key]) => KEPT_OF_SERVER.has(key)))]]
        : [],
    ),
  )
}

/** What Claude Code, Copilot CLI and Gemini CLI know about a server besides its logins. */
const KEPT_OF_SERVER = new Set([
  ...['type', 'command', 'args', 'cwd', 'url', 'httpUrl'],
  ...['timeout', 'trust', 'disabled', 'alwaysLoad', 'description'],
  ...['tools', 'includeTools', 'excludeTools'],
])
