import { join } from 'node:path'
import { AGENTS } from '@batonpass/contract/agents'
import { BatonError } from '@batonpass/contract/errors'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import { agents } from '../adapters/agents/agent-list.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemIds } from '../adapters/system/ids.ts'
import { readText } from '../adapters/system/read-text.ts'
import { realpath } from '../adapters/system/realpath.ts'
import type { OutsideLogin, OwnFile } from '../ports/agent.ts'
import type { ContainedRun } from '../ports/sandbox.ts'
import { hostsOfLogin } from '../sandbox/network/host-settings.ts'
import { hasOwnProxy } from '../sandbox/network/inside-environment.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Ground } from './ground.ts'
import type { InsideCalls } from './model.ts'
import { programMounts, programOf } from './program-mounts.ts'

export interface ComposedInsideCalls {
  calls: InsideCalls
  /** The login of a call that runs now, for the proxy. */
  loginOf(name: string): OutsideLogin | undefined
  environmentOf(name: string): NodeJS.ProcessEnv | undefined
}

/**
 * Builds what runs an agent's program in the sandbox for one answer. It sees a checkout, which it can only read, its own
 * program, and a placeholder for its login; it reaches its model's server, and the user's package registries to read.
 */
export function composeInsideCalls(
  { home, env, machine }: Pick<Ground, 'home' | 'env' | 'machine'>,
  sandboxes: () => Sandboxes,
): ComposedInsideCalls {
  const running = new Map<string, OutsideLogin>()
  const read = (path: string) => {
    const text = readText(path)
    return text === 'unreadable' ? undefined : text
  }
  return {
    loginOf: name => running.get(name),
    environmentOf: name => (running.has(name) ? env : undefined),
    async calls(agent, folder) {
      const known = agents.find(({ adapter }) => adapter.name === agent)
      const login = known?.outsideLogin?.({ home, env, read }, { for: 'answer', now: systemClock.now })
      if (!login) return { reason: `Baton does not know the login of ${AGENTS[agent].title}` }
      if ('reason' in login) return login
      if (hasOwnProxy(env)) return { reason: 'a proxy is set (HTTPS_PROXY)' }
      const status = await sandboxes().probe()
      if (!status.available) return { reason: status.reason }
      if (!status.capabilities.sharedLoopback) return { reason: 'the sandbox has no network here' }
      return async ({ program: name, args, env: own, input, withinMs, files }, signal) => {
        const checkout = realpath(folder)
        const program = programOf(name, env.PATH ?? '', checkout)
        const id = `answer_${systemIds.id(20)}`
        running.set(id, login)
        try {
          const { projects: _, ...settings } = machine().config.sandbox
          const nothing = { readable: [], writable: [], ports: [], requestedHosts: [] }
          const sandbox = await sandboxes().openOwn(id, {
            worktree: checkout,
            path: env.PATH ?? '',
            settings: { ...settings, ...nothing, hosts: hostsOfLogin(login) },
            mounts: [{ kind: 'read-only', path: checkout, source: checkout }, ...programMounts(program)],
            environment: { ...own, ...login.environment },
            homeFiles: new Map([...ownFiles(login.files, home), ...filesOfCall(files)]),
          })
          try {
            const started = systemClock.now()
            const argv = [...(files ? inFolder(join(home, FOLDER)) : []), program, ...args]
            const ran = await sandbox.run(argv, { input, timeoutMs: withinMs, signal })
            const isLate = systemClock.now() - started >= withinMs
            return { ...ran, why: whyEnded(ran, signal.aborted, isLate) }
          } finally {
            await sandbox.end()
          }
        } catch (cause) {
          throw cause instanceof BatonError
            ? cause
            : new BatonError('model_failed', `${AGENTS[agent].title} did not start in the sandbox`, { cause })
        } finally {
          running.delete(id)
        }
      }
    },
  }
}

/** In the home folder inside: an agent's own folder, without anything of the project. */
const FOLDER = 'answer'

const filesOfCall = (files: Readonly<Record<string, string>> | undefined): [string, string][] =>
  files
    ? [
        [`${FOLDER}/.empty`, ''],
        ...Object.entries(files).map(([path, text]): [string, string] => [`${FOLDER}/${path}`, text]),
      ]
    : []

const ownFiles = (files: readonly OwnFile[], home: string): [string, string][] =>
  files.flatMap(file =>
    file.kind === 'private' && isInside(file.path, home)
      ? [[file.path.slice(home.length + 1), file.text]]
      : [],
  )

/** Starts a program in a folder that exists only inside. */
const inFolder = (folder: string): string[] => [
  '/bin/sh',
  '-c',
  'cd "$1" && shift && exec "$@"',
  'sh',
  folder,
]

function whyEnded({ code }: ContainedRun, isAborted: boolean, isLate: boolean) {
  if (isAborted) return 'aborted'
  return code === undefined && isLate ? 'timed-out' : 'itself'
}
