import { composeNetwork } from '../../src/compose/network.ts'
import type { OutsideLogin } from '../../src/ports/agent.ts'
import { type SandboxWorld, sandboxWorld } from './sandbox.ts'

export interface NetworkWorldOptions {
  /** Files of the user's home folder, such as `.npmrc`. */
  home: Record<string, string> | ((world: SandboxWorld) => Record<string, string>)
  /** What a name server answers. Other names do not exist. */
  names?: Record<string, string[]>
  hosts?: string[]
  /** A port of Baton's own. */
  closed?: number
  ports?: number[]
  login?: OutsideLogin | undefined
  /** The environment that the user started the agent with. */
  environment?: Record<string, string>
  /** Folders outside the project that commands may read. */
  readable?: string[]
}

/** A world whose session has the proxy. */
export async function networkWorld({
  home,
  names = {},
  hosts = [],
  closed = 0,
  ports = [],
  login,
  environment = {},
  readable = [],
}: NetworkWorldOptions) {
  const blocked: string[] = []
  const resolved: string[] = []
  const granted: string[] = []
  const world = await sandboxWorld({
    isClosed: true,
    before: here => {
      const files = typeof home === 'function' ? home(here) : home
      for (const [name, text] of Object.entries(files)) here.inHome(name, text)
    },
  })
  const network = composeNetwork({
    home: world.home,
    stateDir: world.state,
    environmentOf: async () => environment,
    ownPorts: () => [closed],
    resolve: async host => {
      resolved.push(host)
      return names[host] ?? Promise.reject(new Error(`no such host: ${host}`))
    },
    onBlocked: (_, { what }) => void blocked.push(what),
    outlivesDaemon: () => false,
    loginOf: () => login,
    grantedHosts: () => granted,
    fault: (during, cause) => {
      throw new Error(during, { cause })
    },
  })
  world.session = await world.open('ses_test', {
    readable,
    network: session => network.open('ses_test', session, { hosts, requestedHosts: [], ports }),
  })
  return {
    world,
    blocked,
    granted,
    resolved,
    async [Symbol.asyncDispose]() {
      network.end('ses_test')
      await world[Symbol.asyncDispose]()
    },
  }
}
