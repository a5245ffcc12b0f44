import type { Config } from '@batonpass/contract/config'
import type { Target } from '../../ports/network.ts'
import { rulesFromSettings } from '../network/host-settings.ts'

export const ACCESS_KINDS = ['host', 'port', 'path'] as const
export type AccessKind = (typeof ACCESS_KINDS)[number]

/** Something outside the sandbox that commands want to use. `name` has the syntax of the setting for its kind. */
export interface Access {
  kind: AccessKind
  name: string
}

export interface AccessPlace {
  /** The session's project and the home folder, without links. */
  worktree: string
  home: string
  /** Ports of Baton itself. */
  ownPorts: readonly number[]
  /** Whether a host name means this machine. */
  namesThisMachine(host: string): boolean
  /** Whether a host is an address that no setting opens. */
  isClosed(host: string): boolean
  /** Whether a server is a package registry of the session. */
  isRegistry(target: Target): boolean
  /** The path without links; undefined if there is nothing. */
  findReal(path: string): string | undefined
}

/** Reads what a command requests. Everything about it is hostile. */
export function parseAccess(
  kind: string,
  name: string,
  methods: string | undefined,
  place: AccessPlace,
): Access | { error: string } {
  if (/\s/.test(name) && kind !== 'path') return { error: `${kind} names have no spaces.` }
  if (kind === 'host') return parseHost(methods === undefined ? name : `${methods} ${name}`, place)
  if (methods !== undefined) return { error: '--methods is about a host.' }
  if (kind === 'port') return parsePort(name, place.ownPorts)
  if (kind === 'path') return parsePath(name, place)
  return { error: `Baton cannot open ${kind} to commands. Use: baton request host|port|path NAME` }
}

const HOST =
  /^(?:(?:\*|[A-Z]{1,16}(?:,[A-Z]{1,16}){0,8}) )?(?:https?:\/\/)?(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/i

function parseHost(
  text: string,
  { namesThisMachine, isRegistry, isClosed }: AccessPlace,
): Access | { error: string } {
  const [rule] = text.length <= 300 && HOST.test(text) ? rulesFromSettings([text]) : []
  if (!rule || rule.port < 1 || rule.port > 65_535)
    return { error: 'Name a host, such as api.example.com or http://api.example.com:8080.' }
  if (isRegistry(rule))
    return {
      error: `${rule.host} is a package registry: commands may read from it already. To open more, name it in sandbox.hosts.`,
    }
  if (namesThisMachine(rule.host))
    return { error: `${rule.host} is this machine. Request the port: baton request port ${rule.port}` }
  if (isClosed(rule.host)) return { error: `${rule.host} stays closed to commands.` }
  return { kind: 'host', name: hostName(rule, /^(\S+) /.exec(text)?.[1]?.toUpperCase()) }
}

/** A server in the syntax of `sandbox.hosts`. */
export function hostName(
  { scheme, host, port }: { scheme: 'http' | 'https'; host: string; port: number },
  methods?: string,
): string {
  const shown = host.includes(':') ? `[${host}]` : host
  const usual = scheme === 'https' ? 443 : 80
  return `${methods ? `${methods} ` : ''}${scheme === 'http' ? 'http://' : ''}${shown}${port === usual ? '' : `:${port}`}`
}

/** The methods and the server of a host's name; without methods it is about reads. */
export function splitHostName(name: string): { methods: string | undefined; host: string } {
  const [, methods, host = name] = /^(?:(\S+) )?(\S+)$/.exec(name) ?? []
  return { methods, host }
}

function parsePort(text: string, ownPorts: readonly number[]): Access | { error: string } {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) return { error: 'Name a port from 1 to 65535.' }
  if (ownPorts.includes(port)) return { error: `Port ${port} is Baton's own and stays closed to commands.` }
  return { kind: 'port', name: String(port) }
}

function parsePath(text: string, { worktree, home, findReal }: AccessPlace): Access | { error: string } {
  const path = text.replace(/^~(?=\/)/, home)
  const real = /^\/[^\p{Cc}]{0,999}$/u.test(path) ? findReal(path) : undefined
  if (real === undefined) return { error: 'Name an existing file or folder by its absolute path.' }
  if (real === worktree || real.startsWith(`${worktree}/`))
    return { error: `${real} is in the project, which commands can read already.` }
  if (real === home || home.startsWith(`${real}/`) || real === '/')
    return { error: `${real} holds the home folder. Request the file or folder that you need.` }
  return { kind: 'path', name: real }
}

/** The sandbox settings of a session, with what its project and the session itself may use in addition. */
export interface SessionSettings extends Omit<Config['sandbox'], 'projects'> {
  /** Hosts that a person allowed by name because a command asked: no address in a private network counts for them. */
  requestedHosts: readonly string[]
}

export function sessionSettings(
  { config, project }: { config: Pick<Config, 'sandbox'>; project: string },
  { home, realpath }: { home: string; realpath(path: string): string },
  granted: readonly Access[] = [],
  /** Folders that this project needs, such as objects that its clone borrows. */
  borrowed: readonly string[] = [],
): SessionSettings {
  const { projects, ...settings } = config.sandbox
  const here = realpath(project)
  const own = projects.filter(each => realpath(each.project.replace(/^~(?=\/)/, home)) === here)
  const names = (kind: AccessKind) => granted.flatMap(access => (access.kind === kind ? [access.name] : []))
  return {
    ...settings,
    requestedHosts: [...own.flatMap(({ hosts }) => hosts), ...names('host')],
    ports: [...settings.ports, ...own.flatMap(({ ports }) => ports), ...names('port').map(Number)],
    readable: [
      ...settings.readable,
      ...own.flatMap(({ readable }) => readable),
      ...names('path'),
      ...borrowed,
    ],
  }
}
