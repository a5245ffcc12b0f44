import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import type { GitLogin } from '../../ports/git-work.ts'
import type { LeaseName } from '../../ports/lease.ts'
import { hardenedGit } from './hardened.ts'
import { failed, isMoved, networkGit } from './network.ts'
import { remoteOf } from './work.ts'

const FOLDER = 'refs/baton/claims'

/** The contents of a claim's ref: the message of an empty commit. */
const Payload = z.object({
  claim: z.string().min(1).max(100),
  agent: z.string().max(200),
  host: z.string().max(200),
  taken_at: z.iso.datetime(),
  until: z.iso.datetime(),
  token: z.number().int().positive(),
  /** Which clock the times are from. */
  clock: z.enum(['forge', 'machine']).default('machine'),
})
export type Payload = z.infer<typeof Payload>

/** A claim's ref as it is on the remote. */
export interface Seen {
  commit: string
  payload: Payload
}

/** The login to use if git itself cannot log in. */
type LoginFor = (folder: string) => Promise<GitLogin | undefined>

/** Claims as refs on the remote, `refs/baton/claims/42`. A push that expects the ref to be absent (or unchanged) is atomic. */
export class LeaseRefs {
  readonly #loginFor: LoginFor

  constructor(loginFor: LoginFor) {
    this.#loginFor = loginFor
  }

  async readRef(name: LeaseName): Promise<Seen | undefined> {
    const [from, ref] = [await remoteIn(name.folder), refOf(name)]
    const listed = await this.#git(name.folder, ['ls-remote', from, ref])
    if (listed.code !== 0) throw failed(['ls-remote'], listed.err)
    const commit = /^([0-9a-f]{40,64})\t/.exec(listed.out)?.[1]
    if (!commit) return undefined
    return { commit, payload: await this.#readPayload(name, commit) }
  }

  /** All that can be read. */
  async listRefs({
    repository,
    folder,
  }: Pick<LeaseName, 'repository' | 'folder'>): Promise<[LeaseName, Payload][]> {
    const listed = await this.#git(folder, ['ls-remote', await remoteIn(folder), `${FOLDER}/*`])
    if (listed.code !== 0) throw failed(['ls-remote'], listed.err)
    const found = listed.out.matchAll(/^([0-9a-f]{40,64})\trefs\/baton\/claims\/([1-9]\d{0,8})$/gm)
    const all: [LeaseName, Payload][] = []
    for (const [, commit = '', issue = ''] of found) {
      const name = { repository, folder, issue: Number(issue) }
      const payload = await this.#readPayload(name, commit).catch(() => undefined)
      if (payload) all.push([name, payload])
    }
    return all
  }

  /** Moves the ref from the commit that was seen to this content. False if the ref has changed since. */
  async writeRef(name: LeaseName, seen: Seen | undefined, payload: Payload, now: number): Promise<boolean> {
    return this.#moveRef(name, seen?.commit, await commitPayload(name, payload, now))
  }

  async deleteRef(name: LeaseName, seen: Seen): Promise<boolean> {
    return this.#moveRef(name, seen.commit, undefined)
  }

  async #moveRef(name: LeaseName, from: string | undefined, to: string | undefined): Promise<boolean> {
    const ref = refOf(name)
    const args = ['push', '--porcelain', '--no-verify', `--force-with-lease=${ref}:${from ?? ''}`]
    const pushed = await this.#git(name.folder, [...args, await remoteIn(name.folder), `${to ?? ''}:${ref}`])
    if (pushed.code === 0) return true
    if (isMoved(pushed)) return false
    throw failed(['push'], `${pushed.out}\n${pushed.err}`)
  }

  async #readPayload({ folder, issue }: LeaseName, commit: string): Promise<Payload> {
    const have = await hardenedGit(['cat-file', '-e', commit], { cwd: folder, ok: [0, 1, 128] })
    if (have.code !== 0) {
      const args = ['fetch', '--no-tags', '--no-write-fetch-head', '--quiet']
      const got = await this.#git(folder, [...args, await remoteIn(folder), refOf({ issue })])
      if (got.code !== 0) throw failed(['fetch'], got.err)
    }
    const shown = await hardenedGit(['cat-file', 'commit', commit], { cwd: folder, ok: [0, 128] })
    const text = shown.stdout.toString('utf8')
    const parsed = Payload.safeParse(jsonIn(text.slice(text.indexOf('\n\n') + 2)))
    if (parsed.success) return parsed.data
    throw new BatonError('claim_held', `${refOf({ issue })} on the remote is not a Baton claim`, {
      remedy: 'Check what it is, then remove it with `git push origin :REF`.',
    })
  }

  /** Tries git's own login first, then the forge's token. */
  async #git(folder: string, args: readonly string[]) {
    const first = await networkGit(args, { cwd: folder, lenient: true })
    if (first.code === 0 || !NEEDS_LOGIN.test(`${first.out}${first.err}`)) return first
    const login = await this.#loginFor(folder)
    return login ? networkGit(args, { cwd: folder, lenient: true, login }) : first
  }
}

const NEEDS_LOGIN = /could not read Username|Authentication failed|error: 40[13]|terminal prompts disabled/i

const refOf = ({ issue }: Pick<LeaseName, 'issue'>): string => `${FOLDER}/${issue}`

async function remoteIn(folder: string): Promise<string> {
  const name = await remoteOf(folder)
  if (name) return name
  throw new BatonError(
    'git_failed',
    'This repository has no remote, so other machines could not see the claim',
    {
      remedy:
        'Add one with `git remote add origin ADDRESS`, or share a database between your machines (store.url).',
    },
  )
}

async function commitPayload({ folder: cwd }: LeaseName, payload: Payload, now: number): Promise<string> {
  const tree = await hardenedGit(['mktree'], { cwd })
  const at = `${Math.floor(now / 1000)} +0000`
  const who = { NAME: 'Baton', EMAIL: 'baton@localhost', DATE: at }
  const env = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap(role =>
      Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
    ),
  )
  const input = `${JSON.stringify(payload, null, 2)}\n`
  const made = await hardenedGit(['commit-tree', tree.stdout.toString().trim()], { cwd, env, input })
  return made.stdout.toString().trim()
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
