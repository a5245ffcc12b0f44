import { createHash } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'
import type { AgentAdapter, AgentProfile, InstallTarget } from '../../ports/agent.ts'
import { type Place, refuseLocal } from './settings-install.ts'

/** A plugin of Baton's in an agent's plugin folder: one file that is ours alone. */
export interface PluginPlan {
  profile: AgentProfile
  path(place: Place): string
  /** The same file for a relative of the agent, and the files that show that it is on this machine. */
  also?(place: Place): { path: string; signs: readonly string[] } | undefined
  /** The plugin's code below the bridge: it calls `ask(event, payload)`. */
  body: string
}

/** Install, uninstall and installed for an agent that runs plugins. */
export function pluginInstall(plan: PluginPlan): Pick<AgentAdapter, 'install' | 'uninstall' | 'installed'> {
  const { profile } = plan
  const mark = `${MARK}${profile.name} `
  const form = createHash('sha256')
    .update(BRIDGE + plan.body + tables(profile))
    .digest('hex')
    .slice(0, 12)
  const isOurs = (text: string | undefined) => text?.startsWith(mark) === true
  const pathsIn = (place: Place, read: Read): string[] => {
    const also = plan.also?.(place)
    const there = also && [also.path, ...also.signs].some(path => read(path) !== undefined)
    return [plan.path(place), ...(there ? [also.path] : [])]
  }
  return {
    install(target, read) {
      refuseLocal(profile.title, target)
      const after = `${mark}${form} --source ${target.scope}\n${ABOUT}${settings(target, profile)}${BRIDGE}${plan.body}`
      return pathsIn(target, read).flatMap(path => {
        const before = read(path)
        if (before !== undefined && !isOurs(before)) {
          throw new BatonError('settings_unreadable', `${path}, line 1: this file is not Baton's.`, {
            remedy: 'Move it to another name, then run the command again. Baton changed nothing in it.',
          })
        }
        return after === before ? [] : [{ path, before, after }]
      })
    },
    uninstall: (target, read) =>
      pathsIn(target, read).flatMap(path => {
        const before = read(path)
        return isOurs(before) ? [{ path, before, after: undefined }] : []
      }),
    installed(target, read) {
      const texts = pathsIn(target, read).map(path => read(path))
      if (!texts.some(isOurs)) return 'no'
      const isNew = (text: string | undefined) =>
        text?.startsWith(`${mark}${form} --source ${target.scope}\n`) === true
      return texts.every(isNew) ? 'yes' : 'stale'
    },
  }
}

type Read = (path: string) => string | undefined

const MARK = '// baton-plugin '
const ABOUT = `// Written by \`baton init\`, taken away by \`baton uninstall\`; changes to it are lost. It tells Baton what the session does
// and brings back its answers.
`

/** A committed file names the launcher by the home folder: the next person's home is another. */
function settings({ launcher, home, scope }: InstallTarget, profile: AgentProfile): string {
  const folder = home.endsWith('/') ? home : `${home}/`
  const path =
    scope === 'project' && launcher.startsWith(folder)
      ? `join(homedir(), ${literal(launcher.slice(folder.length))})`
      : literal(launcher)
  // Without the launcher nothing runs. A committed file would lock out colleagues who have no Baton.
  const strict = scope === 'project' ? 'false' : 'true'
  return `import { spawn, spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'

const LAUNCHER = ${path}
const CALL = [${literal(profile.name)}]
const SOURCE = ${literal(scope)}
const STRICT = ${strict}
${tables(profile)}`
}

/** How long each call may take, and what holds when the launcher itself cannot be run. */
function tables({ hooks, safe, encode }: AgentProfile): string {
  const seconds = hooks.map(({ event, waits, seconds }) => [
    event,
    waits ? (seconds ?? 7290) : (seconds ?? 10) + 5,
  ])
  const answers = hooks.map(({ event }) => [event, encode(safe(event, 'bypass'), event)])
  return `const SECONDS = ${literal(Object.fromEntries(seconds))}
const SAFE = ${literal(Object.fromEntries(answers))}
`
}

const literal = (value: unknown): string => JSON.stringify(value)

/** Runs in Node and in Bun. The launcher has deadlines and safe answers of its own; these are for when it cannot run at all. */
const BRIDGE = `
const safe = event => (STRICT ? (SAFE[event] ?? {}) : {})

function ask(event, payload, signal) {
  return new Promise(resolve => {
    let timer
    let text = ''
    const end = answer => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(answer)
    }
    // No one waits for the answer any more: a question to a person is withdrawn.
    const stop = () => {
      child?.kill()
      end(safe(event))
    }
    let child
    try {
      child = spawn(LAUNCHER, [...CALL, event, '--source', SOURCE], { stdio: ['pipe', 'pipe', 'ignore'] })
    } catch {
      return end(safe(event))
    }
    timer = setTimeout(stop, (SECONDS[event] ?? 15) * 1000)
    signal?.addEventListener('abort', stop)
    child.on('error', () => end(safe(event)))
    child.stdin.on('error', () => {})
    child.stdout.on('data', chunk => {
      text += chunk
    })
    child.on('close', () => {
      try {
        end(JSON.parse(text))
      } catch {
        end(safe(event))
      }
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

// At the very end nothing can be waited for.
function tellLast(event, payload) {
  try {
    spawnSync(LAUNCHER, [...CALL, event, '--source', SOURCE], { input: JSON.stringify(payload), timeout: 3000, stdio: ['pipe', 'ignore', 'ignore'] })
  } catch {}
}
`
