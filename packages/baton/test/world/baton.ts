import { spawn } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EntryList } from '@batonpass/contract/api'
import { type Ask, AskList } from '@batonpass/contract/ask'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Entry, EntryBody } from '@batonpass/contract/journal'
import { Session } from '@batonpass/contract/session'
import { callDaemon } from '../../src/cli/daemon.ts'
import { stateFolder } from '../../src/config/state-folder.ts'
import type { ClaudeHome } from './agents/claude.ts'
import { until } from './wait.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** The real, built Baton in a private home: its own state folder, daemon and hooks. */
export interface BatonHere extends AsyncDisposable {
  home: string
  stateDir: string
  run(
    args: readonly string[],
    options?: { cwd?: string; input?: string; env?: Record<string, string> },
  ): Promise<Ran>
  /** Runs a command that must succeed, and gives its output. */
  must(...args: string[]): Promise<string>
  /**
   * What `GET path` of the daemon's API answers. For waiting: starting the command again and again takes the processor from the
   * agents that the test waits for.
   */
  read(path: string): Promise<unknown>
  /** The journal, oldest first; `query` as the options of `baton logs`: of a session the start of its id is enough. */
  entries(query?: { session?: string; project?: string; kind?: string }): Promise<Entry[]>
  /** The asks that are open, or all. */
  asks(options?: { all?: boolean }): Promise<Ask[]>
  events(): Promise<AgentEvent[]>
  /** Waits until the journal holds an entry of that kind that fits. */
  waitFor<K extends EntryBody['kind']>(
    kind: K,
    fits: (body: Extract<EntryBody, { kind: K }>) => boolean,
  ): Promise<Extract<EntryBody, { kind: K }>>
  /** The user's own configuration. */
  configure(yaml: string): void
}

/** Baton for a private home of Claude Code, with its hooks installed in the user's settings. */
export async function batonFor(home: ClaudeHome, { init = ['--agent', 'claude'] } = {}): Promise<BatonHere> {
  const here = batonIn(home.path, home.project)
  await here.must('init', ...init)
  return here
}

/** The built Baton (or the one of `cli`) in a home folder, without hooks. */
export function batonIn(home: string, cwd: string, cli = CLI): BatonHere {
  const stateDir = join(home, '.local/state/baton')
  mkdirSync(home, { recursive: true })
  // Any free port: many of these run at once.
  writeFileSync(join(home, '.baton.yaml'), 'daemon:\n  port: 0\n', { mode: 0o600 })

  const run: BatonHere['run'] = (args, options = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [cli, ...args], {
        cwd: options.cwd ?? cwd,
        env: { PATH: process.env.PATH, HOME: home, ...options.env },
      })
      const out: Buffer[] = []
      const err: Buffer[] = []
      child.stdout.on('data', chunk => out.push(chunk))
      child.stderr.on('data', chunk => err.push(chunk))
      child.stdin.on('error', () => {})
      child.stdin.end(options.input ?? '')
      child.once('error', reject)
      child.once('close', code =>
        resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
      )
    })

  const must: BatonHere['must'] = async (...args) => {
    const ran = await run(args)
    if (ran.code !== 0)
      throw new Error(`baton ${args.join(' ')} ended with ${ran.code}\n${ran.stdout}${ran.stderr}`)
    return ran.stdout
  }

  const read: BatonHere['read'] = path => callDaemon(stateFolder(stateDir), 'GET', path)

  const entries: BatonHere['entries'] = async ({ session, ...query } = {}) => {
    const wanted = new URLSearchParams({ order: 'desc', limit: '5000', ...query })
    if (session) {
      const path = `/api/sessions/${encodeURIComponent(session)}`
      wanted.set('session', Session.parse(await read(path)).id)
    }
    return EntryList.parse(await read(`/api/journal?${wanted}`)).entries.reverse()
  }

  return {
    home,
    stateDir,
    run,
    must,
    read,
    entries,
    async asks({ all = false } = {}) {
      return AskList.parse(await read(`/api/asks${all ? '?all=true' : ''}`)).asks
    },
    async events() {
      return (await entries({ kind: 'event' })).flatMap(({ body }) =>
        body.kind === 'event' ? body.event : [],
      )
    },
    async waitFor(kind, fits) {
      return await until(
        async () => {
          const bodies = (await entries({ kind })).map(entry => entry.body)
          return bodies.find(
            (body): body is Extract<EntryBody, { kind: typeof kind }> =>
              body.kind === kind && fits(body as never),
          )
        },
        { what: `a journal entry of kind ${kind}`, timeout: 120_000, every: 100 },
      )
    },
    configure(yaml) {
      // At one stroke: a daemon that runs would take half a file for the whole.
      const half = join(home, '.baton.yaml.half')
      writeFileSync(half, `daemon:\n  port: 0\n${yaml}`, { mode: 0o600 })
      renameSync(half, join(home, '.baton.yaml'))
    },
    async [Symbol.asyncDispose]() {
      await run(['down', '--force'])
    },
  }
}

/** Puts `baton` into a folder for the PATH of an agent, and names that folder. */
export function batonOnPath(home: string): string {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
  return bin
}
