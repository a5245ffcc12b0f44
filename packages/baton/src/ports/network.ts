import type { LoginHeaders, LoginRenewal } from './agent.ts'
import type { Mount } from './sandbox.ts'

/** What a session's sandbox shows of the network: certificates to trust, and variables that name the proxy. */
export interface InsideNetwork {
  mounts: readonly Mount[]
  environment: Readonly<Record<string, string>>
}

/** A server that commands in the sandbox may contact, and how. */
export interface HostRule extends Target {
  /** Undefined: every method. */
  methods?: readonly string[] | undefined
  /** Paths to which programs may POST as well: the server answers a question there, and keeps nothing. */
  questions?: readonly string[] | undefined
  /** A person may be asked to allow more methods; registries stay read-only. */
  isExtendable?: boolean
  /** The user's own configuration names it, so its address may be in a private network. */
  isUsers: boolean
  /** Below these paths the proxy adds a login that commands never see. */
  logins?: readonly { path: string; authorization: string }[] | undefined
  /** Headers that take the place of every login in a request: the program inside has only a placeholder. */
  login?: LoginHeaders | undefined
  /** Only this request passes, with the token that renews added outside. */
  renewal?: LoginRenewal | undefined
}

export interface Target {
  scheme: 'http' | 'https'
  /** Lower case; an IPv6 address has no brackets. */
  host: string
  port: number
}

/** A server in the sandbox that answers on this machine. */
export interface ForwardedPort {
  /** Its port in the sandbox. */
  inside: number
  /** Its port on 127.0.0.1 of this machine. */
  port: number
}

/** Lets servers in the sandbox answer on the machine's own loopback. */
export interface PortForwards {
  /** Opens and closes ports so that exactly these servers answer. Returns the new ones. */
  update(
    session: string,
    inside: readonly number[],
    connect: (port: number, connection: NodeJS.ReadWriteStream) => void,
  ): Promise<ForwardedPort[]>
  list(session: string): ForwardedPort[]
  end(session: string): void
}

/**
 * Whether a server might read this path, which has no query, as another one: such a path gets no login. A server may take
 * `%2f` for a slash; on its own it is the usual one in the name of a package.
 */
export const isAmbiguousPath = (path: string): boolean =>
  /\/\.{1,2}(\/|$)|\/\/|\\|%2e|%3f|%5c|;/i.test(path.replaceAll(/%2f/gi, '/'))

export const READ_METHODS: readonly string[] = ['GET', 'HEAD']

/** Something that the proxy did not let through. */
export interface Blocked {
  /** What was attempted, such as `example.com:8443` or `PUT registry.npmjs.org`. */
  what: string
  /** One line for the command that tried. */
  message: string
  /** The server, if a person may be asked about it. */
  target?: Target | undefined
  /** The method, if a rule names the server and not the method. */
  method?: string | undefined
}
