import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AGENTS } from '@batonpass/contract/agents'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentName } from '@batonpass/contract/event'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { z } from 'zod'
import { agents } from '../adapters/agents/agent-list.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { readText } from '../adapters/system/read-text.ts'
import { realpath } from '../adapters/system/realpath.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { stateFolder } from '../config/state-folder.ts'
import type { AgentContainment, OutsideLogin, OwnFile } from '../ports/agent.ts'
import type { ContainedCaller, ListenForHooks } from '../ports/contained-caller.ts'
import type { AcpLaunch, Launch } from '../ports/launch.ts'
import type { Mount } from '../ports/sandbox.ts'
import type { SessionSettings } from '../sandbox/access/access.ts'
import { isSecretVariable } from '../sandbox/environment.ts'
import { hostsOfLogin } from '../sandbox/network/host-settings.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import { type WholeAgent, WholeAgents } from '../sandbox/whole-agents.ts'
import type { Ground } from './ground.ts'
import { ownMount, programMounts, programOf } from './program-mounts.ts'

export interface ContainedLaunch {
  /** Names its sandbox. */
  name: string
  /** Starts in place of the agent's own program. */
  launch: Launch
  started(where: { pid?: number | undefined; place?: string | undefined }): Promise<void>
  end(): Promise<void>
}

export interface ComposedWholeAgents {
  agents: WholeAgents
  /** Prepares an agent's program to run in the sandbox as a whole. */
  contain(order: {
    agent: AgentName
    launch: Launch & Pick<Partial<AcpLaunch>, 'programVariable' | 'remedy'>
    /** Over the Agent Client Protocol. */
    hosted?: boolean
    cwd: string
    env: Readonly<Record<string, string | undefined>>
  }): Promise<ContainedLaunch>
  /** Who speaks for the agent of a sandbox. Undefined: it has ended. */
  callerOf(name: string): ContainedCaller | undefined
  /** The login of an agent that runs in the sandbox as a whole, for the proxy. */
  loginOf(name: string): OutsideLogin | undefined
  /** The daemon listens for hooks from here on. */
  listensWith(listen: ListenForHooks): void
}

export interface WholeAgentLinks {
  sandboxes(): Sandboxes
  settingsFor(name: string, worktree: string): Promise<SessionSettings>
  /** The folder of Baton's own program, for a launcher that needs it. */
  programFolder: string | undefined
}

/** Where the sandbox shows the socket for hooks. */
const HOOKS = '/.baton/hooks'

/** Builds what runs whole agents in the sandbox. */
export function composeWholeAgents(
  { home, env, stateDir, sessions, fault }: Ground,
  links: WholeAgentLinks,
): ComposedWholeAgents {
  const listening = Promise.withResolvers<ListenForHooks>()
  const open = new Map<string, { close(): Promise<void> }>()
  const folderOf = (name: string) => join(stateDir, 'sandbox', 'agents', name)
  const { launcher } = stateFolder(stateDir)
  const hooksShown = (name: string) => ({
    mounts: [
      { kind: 'read-only', path: HOOKS, source: join(folderOf(name), 'hooks') },
      ...[launcher, join(dirname(launcher), 'baton-status-line')].flatMap(path =>
        ownMount('read-only', path),
      ),
      ...(links.programFolder ? ownMount('read-only', links.programFolder) : []),
    ] satisfies Mount[],
    environment: { BATON_ENDPOINT: `unix:${HOOKS}/socket` },
  })
  const wholeAgents = new WholeAgents({
    sandboxes: {
      openAgent: (name, call) => links.sandboxes().openAgent(name, call),
      end: name => links.sandboxes().end(name),
    },
    settingsFor: links.settingsFor,
    load: async () => readText(join(stateDir, KEPT)),
    save: text => systemSmallFiles.write(stateDir, KEPT, text),
    async listenHooks(name) {
      const folder = join(folderOf(name), 'hooks')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if (!open.has(name)) open.set(name, await (await listening.promise)(folder, () => callerOf(name)))
      return hooksShown(name)
    },
    async closeHooks(name) {
      await open.get(name)?.close()
      open.delete(name)
      await rm(folderOf(name), { recursive: true, force: true })
    },
    isKnown: async session => (await sessions.find(session)) !== undefined,
    realpath: path => (existsSync(path) ? realpath(path) : undefined),
    clock: systemClock,
    ids: systemIds,
    fault,
  })

  const callerOf = (name: string): ContainedCaller | undefined => {
    const found = wholeAgents.find(name)
    return found && callerFor(found)
  }
  const callerFor = ({ name, agent, pid, place }: WholeAgent): ContainedCaller => ({
    agent,
    pid,
    place,
    admit: event => wholeAgents.admit(name, event),
  })

  const logins = new Map<string, OutsideLogin>()
  const loginFile = (name: string) => join(folderOf(name), 'login.json')
  /** Again from what the daemon kept that started the agent. */
  const keptLogin = ({ name, agent }: WholeAgent): OutsideLogin | undefined => {
    const kept = KeptLogin.safeParse(parseJson(readOwn(loginFile(name))))
    const containment = containmentOf(agent)
    const found = kept.success && containment ? loginFor(containment, home, kept.data) : undefined
    return found && !('reason' in found) ? found : undefined
  }

  return {
    agents: wholeAgents,
    listensWith: listening.resolve,
    callerOf,
    loginOf(name) {
      const agent = wholeAgents.find(name)
      if (!agent) return void logins.delete(name)
      const login = logins.get(name) ?? keptLogin(agent)
      if (login) logins.set(name, login)
      return login
    },
    async contain({ agent, launch, hosted, cwd, env: given }) {
      const whole = { ...env, ...given, ...launch.env }
      const { title } = AGENTS[agent]
      const containment = containmentOf(agent)
      if (!containment)
        throw new BatonError('usage', `Baton cannot run ${title} in the sandbox as a whole`, {
          remedy: `Leave --sandbox out, or name one of: ${containable().join(', ')}.`,
        })
      if (hosted && !containment.hosted)
        throw new BatonError('usage', `Baton cannot host ${title} in the sandbox as a whole`, {
          remedy: `Run it in tmux: baton run --sandbox --agent ${typedName(agent)}`,
        })
      if (hasOwnProxy(whole))
        throw new BatonError('usage', `${title} would reach no model: a proxy is set (HTTPS_PROXY)`, {
          remedy: 'Leave --sandbox out, or unset the proxy. In the sandbox, the only proxy is Baton’s.',
        })
      const login = loginFor(containment, home, whole)
      if ('reason' in login)
        throw new BatonError('usage', `${title} cannot run in the sandbox as a whole: ${login.reason}`, {
          remedy:
            'The login must stay outside. Use an API key or a login that the guide on the sandbox lists, or leave --sandbox out.',
        })
      const worktree = realpath(findWorktreeRoot(cwd))
      const place = { home, env: whole, project: worktree, read: readOwn, isSecret: isSecretVariable }
      const files = [...containment.files(place), ...login.files]
      const elsewhere = files.find(({ kind, path }) => kind.startsWith('private') && !isInside(path, home))
      if (elsewhere)
        throw new BatonError('usage', `${title} keeps ${elsewhere.path} outside your home folder`, {
          remedy: 'In the sandbox, its folder has to be below your home folder. Leave --sandbox out.',
        })
      const program = programOf(launch.program, whole.PATH ?? '', cwd, launch.remedy)
      const { programVariable: variable } = launch
      const named =
        variable && whole[variable] ? programOf(whole[variable], whole.PATH ?? '', cwd) : undefined
      const programs = named ? [program, named] : [program]
      const { agent: made, ...prepared } = await wholeAgents.start({
        agent,
        argv: [program, ...(containment.args ?? []), ...launch.args],
        worktree,
        cwd: realpath(cwd),
        path: whole.PATH ?? '',
        hosts: hostsOfLogin(login),
        shown: async (name, privateHome) => {
          logins.set(name, login)
          const kept = pick(whole, variable => login.variables.includes(variable))
          await systemSmallFiles.write(folderOf(name), 'login.json', JSON.stringify(kept))
          const texts = new TextFiles(join(folderOf(name), 'shown'))
          return {
            mounts: [...programs.flatMap(programMounts), ...files.flatMap(file => mountsOf(file, texts))],
            files: new Map(
              files.flatMap(file =>
                file.kind === 'private' ? [[file.path.slice(home.length + 1), file.text] as const] : [],
              ),
            ),
            transcripts: files.flatMap(file => {
              if (file.kind === 'writable-folder') return [{ inside: file.path, outside: file.path }]
              if (file.kind !== 'private-transcripts') return []
              return [{ inside: file.path, outside: join(privateHome, file.path.slice(home.length)) }]
            }),
          }
        },
        environment: { ...login.environment, ...(variable && named ? { [variable]: named } : {}) },
        env: pick(whole, (name, value) => REGISTRIES.test(name) && !value.includes('@')),
      })
      return {
        name: made.name,
        launch: { ...prepared, ...(launch.env ? { env: launch.env } : {}) },
        started: where => wholeAgents.started(made.name, where),
        end: () => wholeAgents.end(made.name),
      }
    },
  }
}

const KEPT = 'sandbox/agents.json'

/** Variables that name package registries; none of them is a secret. */
const REGISTRIES =
  /^(npm_config_registry|PIP_(EXTRA_)?INDEX_URL|UV_(INDEX_URL|DEFAULT_INDEX)|GOPROXY|GOSUMDB|GONO(SUMDB|PROXY)|GOPRIVATE|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

/** The agents that can run in the sandbox as a whole, as people type them. */
const containable = (): string[] =>
  agents.flatMap(({ adapter, containment }) => (containment ? [typedName(adapter.name)] : []))

const typedName = (agent: AgentName): string =>
  agents.find(({ adapter }) => adapter.name === agent)?.adapter.aliases[0] ?? agent

const KeptLogin = z.record(z.string(), z.string())

const containmentOf = (agent: AgentName): AgentContainment | undefined =>
  agents.find(({ adapter }) => adapter.name === agent)?.containment

const loginFor = (
  containment: AgentContainment,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
) => containment.outsideLogin({ home, env, read: readOwn }, { for: 'agent', now: systemClock.now })

const pick = (
  env: Readonly<Record<string, string | undefined>>,
  isWanted: (name: string, value: string) => boolean,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && isWanted(pair[0], pair[1]),
    ),
  )

/** Files that the sandbox shows in place of the user's own. */
class TextFiles {
  readonly #folder: string
  #count = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  write(text: string): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const path = join(this.#folder, String(this.#count++))
    writeFileSync(path, text, { mode: 0o600 })
    return realpath(path)
  }
}

function mountsOf(file: OwnFile, texts: TextFiles): Mount[] {
  switch (file.kind) {
    case 'read-only':
    case 'writable':
      return ownMount(file.kind, file.path)
    case 'read-only-text':
      return [{ kind: 'read-only', path: file.path, source: texts.write(file.text) }]
    case 'writable-folder':
      mkdirSync(file.path, { recursive: true, mode: 0o700 })
      return ownMount('writable', file.path)
    case 'private-folder':
    case 'private':
    case 'private-transcripts':
      // Below the home folder, which is private.
      return []
  }
}

function readOwn(path: string): string | undefined {
  const text = readText(path)
  return text === 'unreadable' ? undefined : text
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
