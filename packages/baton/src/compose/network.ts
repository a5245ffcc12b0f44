import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { type Duplex, pipeline } from 'node:stream'
import { z } from 'zod'
import { namesLoopback } from '../adapters/proxy/addresses.ts'
import { type CertificateAuthority, createAuthority } from '../adapters/proxy/certificate.ts'
import { ruleFor } from '../adapters/proxy/host-rules.ts'
import { javaTruststore } from '../adapters/proxy/java-truststore.ts'
import { packageCache } from '../adapters/proxy/package-cache.ts'
import { FilteringProxy } from '../adapters/proxy/proxy.ts'
import { readCertificates, readRegistryFiles, systemCertificates } from '../adapters/proxy/user-files.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { readText } from '../adapters/system/read-text.ts'
import type { OutsideLogin } from '../ports/agent.ts'
import type { Blocked, HostRule, Target } from '../ports/network.ts'
import {
  combineRules,
  rulesFromRequests,
  rulesFromSettings,
  withLogin,
} from '../sandbox/network/host-settings.ts'
import { CERTIFICATES, hasOwnProxy, networkVariables } from '../sandbox/network/inside-environment.ts'
import { readUserRegistries } from '../sandbox/network/registries.ts'
import { insideSettings } from '../sandbox/network/tool-settings.ts'
import type { SandboxNetwork } from '../sandbox/sandboxes.ts'

export interface NetworkLinks {
  home: string
  /** Baton's state folder. */
  stateDir: string
  /** The environment that the user started a session's agent with. */
  environmentOf(session: string): Promise<NodeJS.ProcessEnv>
  /** Ports of the daemon itself. */
  ownPorts(): readonly number[]
  /** All addresses of a host. */
  resolve(host: string): Promise<readonly string[]>
  /** Returns the line for the command, if it is another one. */
  onBlocked(session: string, blocked: Blocked): string | undefined
  /** Hosts that a person allowed this session a moment ago, in the syntax of `sandbox.hosts`. */
  grantedHosts(session: string): readonly string[]
  /** A login that stays outside. Absent: programs of the session log in themselves. */
  loginOf?(session: string): OutsideLogin | undefined
  /** Whether programs of the session outlive the daemon, and with it the certificate that they trust. */
  outlivesDaemon(session: string): boolean
  fault(during: string, cause: unknown): void
}

/** The authority of a session whose programs outlive the daemon. */
const Kept = z.object({ certificate: z.string(), key: z.string() })

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Opened {
  proxy: FilteringProxy
  rules: () => readonly HostRule[]
  port: number
  /** Ports of this machine for which the daemon answers inside. */
  answered: Set<number>
  /** Ports of this machine that commands may connect to as they are, without the proxy. */
  ports: ReadonlySet<number>
  certificate: string
}

/** Joins a connection inside with one to a port of this machine, as long as the settings allow it. */
function connectPort(
  port: number,
  inside: NodeJS.ReadWriteStream,
  { ports }: Pick<Opened, 'ports'>,
  ownPorts: () => readonly number[],
): void {
  const stream = inside as Duplex
  stream.on('error', () => stream.destroy())
  if (!ports.has(port) || ownPorts().includes(port)) return void stream.destroy()
  const server = connect({ port, host: 'localhost' })
  server.on('error', () => stream.destroy())
  server.once('connect', () => void pipeline(stream, server, stream, () => undefined))
}

/** Where the proxy listens on each session's own loopback. */
const PROXY_PORT = 40_317

export interface ComposedNetwork extends SandboxNetwork {
  /** Whether a server is a package registry of the session: open for reads, and never for more. */
  isRegistry(session: string, target: Target): boolean
}

/** Gives each session's sandbox a proxy as its only way to the network. */
export function composeNetwork(links: NetworkLinks): ComposedNetwork {
  const { home, stateDir, environmentOf, ownPorts, resolve, onBlocked, grantedHosts, fault } = links
  const sessions = new Map<string, Opened>()
  // Shared by all sandboxes, which cannot see it.
  const packages = packageCache(join(stateDir, 'sandbox', 'packages'), systemClock.now)
  const folderOf = (session: string) =>
    join(stateDir, 'sandbox', 'network', createHash('sha256').update(session).digest('hex').slice(0, 16))

  return {
    async open(session, sandbox, { hosts, requestedHosts, ports }) {
      const env = await environmentOf(session)
      // Their proxy decides what may be reached, and only they can log in to it.
      if (hasOwnProxy(env)) return undefined
      const files = readRegistryFiles(home)
      const registries = readUserRegistries({ ...files, env })
      const own = rulesFromSettings(hosts)
      const requested = rulesFromRequests(requestedHosts)
      const rules = () =>
        withLogin(
          combineRules(own, registries.rules, [...requested, ...rulesFromRequests(grantedHosts(session))]),
          links.loginOf?.(session),
        )
      const known = sessions.get(session)
      if (known) known.rules = rules
      const trusted = readCertificates(
        [...registries.certificates, env.NODE_EXTRA_CA_CERTS ?? '', env.SSL_CERT_FILE ?? ''].filter(Boolean),
        home,
      )
      const opened = known ?? (await start(session, sandbox, rules, trusted))
      if (!opened) return undefined
      sessions.set(session, opened)
      const ownServers = rules().filter(({ host, port }) => namesLoopback(host) && !ownPorts().includes(port))
      for (const target of ownServers) {
        if (opened.answered.has(target.port)) continue
        opened.answered.add(target.port)
        await sandbox
          .listenInside(target.port, connection => opened.proxy.acceptFor(target, connection), {
            exact: true,
          })
          .catch(cause => {
            opened.answered.delete(target.port)
            fault(`answering for ${target.host}:${target.port} in a sandbox`, cause)
          })
      }
      opened.ports = new Set(ports.filter(port => !ownPorts().includes(port)))
      for (const port of opened.ports) {
        if (opened.answered.has(port)) continue
        opened.answered.add(port)
        await sandbox
          .listenInside(port, connection => connectPort(port, connection, opened, ownPorts), { exact: true })
          .catch(cause => {
            opened.answered.delete(port)
            fault(`answering for port ${port} of this machine in a sandbox`, cause)
          })
      }
      if (registries.npmrc !== '') await sandbox.writeHome('.npmrc', registries.npmrc)
      for (const [path, text] of insideSettings(files, opened.port)) await sandbox.writeHome(path, text)
      const source = folderOf(session)
      mkdirSync(source, { recursive: true, mode: 0o700 })
      const { certificate } = opened
      writeFileSync(join(source, 'ca.pem'), certificate)
      writeFileSync(join(source, 'all.pem'), `${systemCertificates()}\n${certificate}`)
      writeFileSync(join(source, 'java.jks'), javaTruststore(certificate, systemClock.now()))
      return {
        mounts: [{ kind: 'read-only', path: CERTIFICATES, source }],
        environment: { ...registries.environment, ...networkVariables(opened.port, env) },
      }
    },
    isRegistry(session, target) {
      const rule = ruleFor(sessions.get(session)?.rules() ?? [], target)
      return rule?.methods !== undefined && !rule.isExtendable
    },
    end(session) {
      sessions.get(session)?.proxy.close()
      sessions.delete(session)
      rmSync(folderOf(session), { recursive: true, force: true })
      rmSync(`${folderOf(session)}.json`, { force: true })
    },
  }

  function authorityFor(session: string): CertificateAuthority {
    const now = systemClock.now()
    if (!links.outlivesDaemon(session)) return createAuthority('Baton sandbox', now)
    // Next to the folder that the sandbox shows, not in it.
    const file = `${folderOf(session)}.json`
    const kept = Kept.safeParse(parseJson(readText(file)))
    if (kept.success) return createAuthority('Baton sandbox', now, kept.data)
    const authority = createAuthority('Baton sandbox', now)
    const { certificate, key } = authority
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ certificate, key }), { mode: 0o600 })
    return authority
  }

  async function start(
    session: string,
    sandbox: Parameters<SandboxNetwork['open']>[1],
    rules: () => readonly HostRule[],
    trusted: readonly string[],
  ): Promise<Opened | undefined> {
    const authority = authorityFor(session)
    const proxy = new FilteringProxy({
      authority,
      rules: () => (sessions.get(session)?.rules ?? rules)(),
      resolve,
      closedPorts: ownPorts,
      onBlocked: blocked => onBlocked(session, blocked),
      trusted,
      packages,
    })
    const listening = await sandbox.listenInside(PROXY_PORT, connection => proxy.accept(connection))
    if (!listening) return undefined
    const { port } = listening
    const none = new Set<number>()
    return { proxy, rules, port, answered: new Set(), ports: none, certificate: authority.certificate }
  }
}
