import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ClaimFile, ClaimList, type ClaimView } from '@batonpass/contract/claim'
import type { ClaudeHome } from './agents/claude.ts'
import { type BatonHere, batonIn } from './baton.ts'
import { type FakeBoardHandle, type FakeGitHub, fakeGitHub } from './github.ts'
import { asPerson } from './person.ts'
import { plainGit, type Scratch, scratch } from './scratch.ts'
import { until } from './wait.ts'

const run = promisify(execFile)

/** A clone of the fake GitHub's repository, with the real Baton in a private home beside it. */
export interface ClaimWorld extends AsyncDisposable {
  github: FakeGitHub
  board: FakeBoardHandle
  project: string
  baton: BatonHere
  git(...args: string[]): Promise<string>
  commit(file: string, text: string): Promise<void>
  /** The signal file as it stands; throws when there is none. */
  signal(): ClaimFile
  edit(change: Partial<ClaimFile>): void
  claims(): Promise<ClaimView[]>
  /** What a webhook sets off. */
  nudge(): Promise<void>
  /** A hook call of Claude Code in the project; gives its answer. */
  hook(event: string, more?: Record<string, unknown>): Promise<Record<string, unknown>>
  /** The answer to the one question that is open. */
  answer(option: 'yes' | 'no'): Promise<void>
  api(method: string, path: string, body?: unknown): Promise<unknown>
}

export const settingsFor = (github: FakeGitHub, more = ''): string =>
  `github:\n  token: ${github.token}\n  host: ${new URL(github.url).host}\n  api_url: ${github.apiUrl}\n${more}`

/** An agent's project as a clone of the fake GitHub's repository. */
export async function cloneInto(home: Pick<ClaudeHome, 'git'>, { repository }: FakeGitHub) {
  const repo = await home.git()
  await repo.git('remote', 'add', 'origin', repository.remote)
  await repo.git('fetch', '-q', 'origin')
  await repo.git('reset', '-q', '--hard', 'origin/main')
  return repo
}

export async function claimWorld(
  options: { github?: FakeGitHub; board?: FakeBoardHandle; settings?: string } = {},
): Promise<ClaimWorld> {
  const folder: Scratch = scratch('bq-')
  const github = options.github ?? (await fakeGitHub())
  const board = options.board ?? github.board({ owner: 'acme' })
  const project = join(folder.path, 'project')
  const env = { ...process.env, ...plainGit }
  await run('git', ['clone', '-q', github.repository.remote, project], { env })
  const git = async (...args: string[]) =>
    (await run('git', ['-C', project, ...args], { env })).stdout.trimEnd()
  await git('config', 'user.name', 'Dev')
  await git('config', 'user.email', 'dev@example.com')
  const baton = batonIn(join(folder.path, 'home'), project)
  baton.configure(settingsFor(github, options.settings))
  const file = join(project, '.agent-claim.json')
  const signal = () => ClaimFile.parse(JSON.parse(readFileSync(file, 'utf8')))
  const api = (method: string, path: string, body?: unknown) => callSocket(baton.stateDir, method, path, body)
  return {
    github,
    board,
    project,
    baton,
    git,
    api,
    signal,
    async commit(name, text) {
      writeFileSync(join(project, name), text)
      await git('add', '--', name)
      await git('commit', '-q', '-m', `Change ${name}`)
    },
    edit: change => writeFileSync(file, `${JSON.stringify({ ...signal(), ...change }, null, 2)}\n`),
    claims: async () => ClaimList.parse(JSON.parse(await baton.must('claims', '--json'))).claims,
    async nudge() {
      await api('POST', '/api/claims/nudge', { repository: 'acme/app' })
    },
    async hook(event, more = {}) {
      const payload = {
        session_id: SESSION,
        cwd: project,
        permission_mode: 'default',
        hook_event_name: event,
        ...more,
      }
      const { stdout, stderr } = await baton.run(['hook', 'claude'], { input: JSON.stringify(payload) })
      if (stderr) throw new Error(stderr)
      return JSON.parse(stdout)
    },
    async answer(option) {
      const open = await until(
        async () => {
          const { asks } = (await api('GET', '/api/asks')) as { asks: { id: string }[] }
          return asks[0]
        },
        { what: 'the question', timeout: 120_000, every: 100 },
      )
      await asPerson(baton, option === 'yes' ? 'allow' : 'deny', open.id)
    },
    async [Symbol.asyncDispose]() {
      await baton[Symbol.asyncDispose]()
      if (!options.github) await github.close()
      folder.remove()
    },
  }
}

export const SESSION = '11111111-2222-4333-8444-555555555555'

/** One request over the daemon's socket, as its own commands make it. */
export function callSocket(stateDir: string, method: string, path: string, body?: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = request({
      socketPath: join(stateDir, 'daemon.sock'),
      method,
      path,
      headers: { host: 'baton', 'content-type': 'application/json' },
    })
    call.once('error', reject)
    call.once('response', response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('close', () => {
        const text = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 500) >= 400) reject(new Error(text))
        else resolve(JSON.parse(text))
      })
    })
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
