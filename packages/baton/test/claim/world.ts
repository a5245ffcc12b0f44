import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ClaimFile } from '@batonpass/contract/claim'
import { Config } from '@batonpass/contract/config'
import { systemGit } from '../../src/adapters/git/git.ts'
import { gitLeases } from '../../src/adapters/git/lease.ts'
import { gitPush } from '../../src/adapters/git/push.ts'
import { gitWork } from '../../src/adapters/git/work.ts'
import { gitHub } from '../../src/adapters/github/forge.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import type { AskOutcome } from '../../src/ask/ask-outcome.ts'
import { Claims } from '../../src/claim/claims.ts'
import { checkLease } from '../../src/claim/fence.ts'
import { FencedActions } from '../../src/claim/fenced-actions.ts'
import { makeReady } from '../../src/claim/make-ready.ts'
import type { ClaimPorts } from '../../src/claim/ports.ts'
import { ClaimRecords } from '../../src/claim/record.ts'
import { SignalFiles } from '../../src/claim/signal-file.ts'
import type { TypeResult } from '../../src/ports/driver.ts'
import type { Leases } from '../../src/ports/lease.ts'
import type { WritableForge } from '../../src/ports/writable-forge.ts'
import { type FakeGitHub, fakeGitHub } from '../world/github.ts'
import { plainGit, scratch } from '../world/scratch.ts'

const run = promisify(execFile)

/** Claims with real git, a real forge adapter and files, in one process; time and answers are the test's. */
export async function claimsWorld(
  options: {
    github?: FakeGitHub
    settings?: object
    name?: string
    /** How long an answer of GitHub is waited for, where none is to come. */
    patienceMs?: number
    /** Refs on the remote unless given. */
    leases?: Leases
  } = {},
) {
  const folder = scratch('bc-')
  const github = options.github ?? (await fakeGitHub())
  const project = join(folder.path, 'project')
  const env = { ...process.env, ...plainGit }
  await run('git', ['clone', '-q', github.repository.remote, project], { env })
  const git = async (...args: string[]) =>
    (await run('git', ['-C', project, ...args], { env })).stdout.trimEnd()
  await git('config', 'user.name', 'Dev')
  await git('config', 'user.email', 'dev@example.com')

  let now = Date.parse('2026-01-01T00:00:00Z')
  let token = github.token
  let forge: Promise<WritableForge> | undefined
  const clock = { now: () => now, elapsed: () => now }
  const state = {
    journal: [] as string[],
    announced: [] as string[],
    faults: [] as unknown[],
    typed: [] as string[],
    resumed: [] as string[],
    asked: [] as string[],
    terminal: 'gone' as TypeResult,
    paused: false,
    answers: [] as ((option: 'yes' | 'no') => void)[],
  }
  const host = new URL(github.url).host
  const config = Config.parse(options.settings ?? {})
  const open = () =>
    gitHub({
      repository: { host, owner: 'acme', name: 'app' },
      clock,
      token,
      apiUrl: github.apiUrl,
      retryPause: 0,
      paced: false,
      ...(options.patienceMs === undefined ? {} : { timeout: options.patienceMs }),
    })
  const leases = options.leases ?? gitLeases({ clock })
  const forgeHere = () => {
    forge ??= open()
    return forge
  }
  const ports: ClaimPorts = {
    records: new ClaimRecords(systemSmallFiles, join(folder.path, 'state')),
    signals: new SignalFiles(systemSmallFiles),
    files: systemSmallFiles,
    git: systemGit,
    work: gitWork,
    outside: new FencedActions({
      checkLease: record => checkLease(ports, record),
      claimAt: project => ports.records.at(project),
      forgeFor: forgeHere,
      push: gitPush,
    }),
    forgeFor: forgeHere,
    loginFor: async () => ({ url: github.repository.address, token }),
    dropForge: () => {
      forge = undefined
    },
    leases: () => leases,
    asks: {
      ask: (question, { signal }) =>
        new Promise<AskOutcome>(resolve => {
          state.asked.push(question.title)
          const ask = {} as AskOutcome['ask']
          signal.addEventListener('abort', () => resolve({ result: 'withdrawn', ask }))
          state.answers.push(option =>
            resolve({ result: 'answered', ask, option, by: { channel: 'test', who: 'dev' } }),
          )
        }),
      withdraw: async () => {},
    },
    config: async () => config,
    type: async (_, text) => {
      state.typed.push(text)
      return state.terminal
    },
    resume: async (_, text) => {
      state.resumed.push(text)
      return true
    },
    isAlive: () => false,
    journal: async (_, entry) =>
      void state.journal.push(`${entry.what}${entry.reason ? `: ${entry.reason}` : ''}`),
    announce: async (_, text) => void state.announced.push(text),
    redact: text => text.replaceAll('hunter2', '[redacted]'),
    fault: (_, cause) => void state.faults.push(cause),
    paused: () => state.paused,
    user: options.name ?? 'ann',
    host: 'laptop',
    clock,
    ids: systemIds,
  }
  const claims = new Claims(ports)
  const file = join(project, '.agent-claim.json')
  const signal = () => ClaimFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  return {
    ...state,
    state,
    github,
    project,
    git,
    ports,
    claims,
    signal,
    /** A daemon that was started anew: it knows what stands on disk. */
    restarted: () =>
      new Claims({ ...ports, records: new ClaimRecords(systemSmallFiles, join(folder.path, 'state')) }),
    hasSignal: () => existsSync(file),
    edit: (change: Partial<ClaimFile> | Record<string, unknown>) =>
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change })),
    write: (value: unknown) => writeFileSync(file, JSON.stringify(value)),
    drop: () => rmSync(file),
    pass: (ms: number) => {
      now += ms
    },
    setToken: (next: string) => {
      token = next
    },
    claim: (issue: number | 'next', more = {}) =>
      claims.claim({ project, issue, worktree: false, anyway: false, ...more }),
    async record() {
      const record = await claims.at(project)
      if (!record) throw new Error('no claim')
      return record
    },
    async stop() {
      const record = await claims.at(project)
      if (!record) throw new Error('no claim')
      return claims.stopped(record)
    },
    /** Time passes until the next look is due, and it is taken. */
    async tick(ms = 130_000) {
      now += ms
      await claims.tick()
    },
    async commit(text = 'work') {
      writeFileSync(join(project, 'work.txt'), text)
      await git('add', 'work.txt')
      await git('commit', '-q', '-m', 'Work')
    },
    /** What `baton claim ready` does. */
    handOff: () =>
      makeReady(
        {
          signals: ports.signals,
          git: systemGit,
          work: gitWork,
          outside: ports.outside,
          claimOf: folder => ports.records.at(folder),
          validate: async () => undefined,
        },
        project,
        { summary: 'Do it', validate: '', dryRun: false },
      ),
    async ready(issue: number) {
      writeFileSync(join(project, 'work.txt'), `for ${issue}`)
      await git('add', 'work.txt')
      await git('commit', '-q', '-m', 'Work')
      await git('push', '-q', '-u', 'origin', 'HEAD')
      writeFileSync(file, JSON.stringify({ ...signal(), phase: 'ready_for_pr', summary: 'Do the work' }))
    },
    async [Symbol.asyncDispose]() {
      claims.stop()
      if (!options.github) await github.close()
      folder.remove()
    },
  }
}
