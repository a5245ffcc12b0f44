import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import type { GitLogin } from '../../ports/git-work.ts'
import type { HeldLease, LeaseAttempt, LeaseName, LeaseOwner, Leases } from '../../ports/lease.ts'
import { hardenedGit } from './hardened.ts'
import { failed, isMoved, networkGit } from './network.ts'
import { remoteOf } from './work.ts'

const FOLDER = 'refs/baton/claims'

/** What a ref of a claim holds: the message of a commit without a tree. */
const Payload = z.object({
  claim: z.string().min(1).max(100),
  agent: z.string().max(200),
  host: z.string().max(200),
  taken_at: z.iso.datetime(),
  until: z.iso.datetime(),
  token: z.number().int().positive(),
  /** Whose clock the times are by. */
  clock: z.enum(['forge', 'machine']).default('machine'),
})
type Payload = z.infer<typeof Payload>

interface Seen {
  commit: string
  payload: Payload
}

/**
 * Leases as refs on the remote, `refs/baton/claims/42`: a push that expects the ref to be absent (or to be what was seen)
 * is atomic there. The remote has no clock for us: times are the forge's where it tells, else the holders' own, and a lease
 * counts as dead only when clocks that differ cannot be the reason.
 */
export function gitLeases(parts: {
  clock: Clock
  /** How to log in where git itself cannot. */
  loginFor?(folder: string): Promise<GitLogin | undefined>
  /** By how much the forge's clock is ahead of this machine's, where it has told. */
  offsetFor?(folder: string): Promise<number | undefined>
}): Leases {
  const time = async ({ folder }: Pick<LeaseName, 'folder'>): Promise<ClockReading> =>
    readClock(parts.clock.now(), await parts.offsetFor?.(folder))
  const refOf = ({ issue }: Pick<LeaseName, 'issue'>) => `${FOLDER}/${issue}`

  /** Once as git logs in by itself; then with the forge's token. */
  async function git(folder: string, args: readonly string[], refused: (text: string) => boolean) {
    const first = await networkGit(args, { cwd: folder, lenient: true })
    if (first.code === 0 || !refused(`${first.out}${first.err}`)) return first
    const login = await parts.loginFor?.(folder)
    return login ? networkGit(args, { cwd: folder, lenient: true, login }) : first
  }
  const needsLogin = (text: string) =>
    /could not read Username|Authentication failed|error: 40[13]|terminal prompts disabled/i.test(text)

  async function remote(folder: string): Promise<string> {
    const name = await remoteOf(folder)
    if (name) return name
    throw new BatonError('git_failed', 'This repository has no remote, so nobody else could see a claim', {
      remedy: 'Add one: git remote add origin ADDRESS. A fleet may share a database instead (store.url).',
    })
  }

  async function see(name: LeaseName): Promise<Seen | undefined> {
    const [from, ref] = [await remote(name.folder), refOf(name)]
    const listed = await git(name.folder, ['ls-remote', from, ref], needsLogin)
    if (listed.code !== 0) throw failed(['ls-remote'], listed.err)
    const commit = /^([0-9a-f]{40,64})\t/.exec(listed.out)?.[1]
    if (!commit) return undefined
    return { commit, payload: await read(name, commit) }
  }

  async function read({ folder, issue }: LeaseName, commit: string): Promise<Payload> {
    const have = await hardenedGit(['cat-file', '-e', commit], { cwd: folder, ok: [0, 1, 128] })
    if (have.code !== 0) {
      const args = ['fetch', '--no-tags', '--no-write-fetch-head', '--quiet']
      const got = await git(folder, [...args, await remote(folder), refOf({ issue })], needsLogin)
      if (got.code !== 0) throw failed(['fetch'], got.err)
    }
    const shown = await hardenedGit(['cat-file', 'commit', commit], { cwd: folder, ok: [0, 128] })
    const text = shown.stdout.toString('utf8')
    const parsed = Payload.safeParse(jsonIn(text.slice(text.indexOf('\n\n') + 2)))
    if (parsed.success) return parsed.data
    throw new BatonError('claim_held', `${refOf({ issue })} on the remote is no claim of Baton's`, {
      remedy: 'Look at it, then remove it by hand: git push origin :REF',
    })
  }

  async function write(name: LeaseName, payload: Payload): Promise<string> {
    const { folder: cwd } = name
    const tree = await hardenedGit(['mktree'], { cwd })
    const at = `${Math.floor((await time(name)).now / 1000)} +0000`
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

  /** Moves the ref from what was seen; false when it is not there any more. */
  async function move(name: LeaseName, from: string | undefined, to: string | undefined): Promise<boolean> {
    const ref = refOf(name)
    const args = ['push', '--porcelain', '--no-verify', `--force-with-lease=${ref}:${from ?? ''}`]
    const pushed = await git(
      name.folder,
      [...args, await remote(name.folder), `${to ?? ''}:${ref}`],
      needsLogin,
    )
    if (pushed.code === 0) return true
    if (isMoved(pushed)) return false
    throw failed(['push'], `${pushed.out}\n${pushed.err}`)
  }

  const payloadOf = (owner: LeaseOwner, ttlMs: number, after: number, { now, by }: ClockReading): Payload => {
    const { claim, agent, host } = owner
    const at = new Date(now).toISOString()
    const until = new Date(now + ttlMs).toISOString()
    return { claim, agent, host, taken_at: at, until, token: Math.max(now, after + 1), clock: by }
  }

  async function put(
    name: LeaseName,
    owner: LeaseOwner,
    ttlMs: number,
    seen: Seen | undefined,
  ): Promise<LeaseAttempt | undefined> {
    const payload = payloadOf(owner, ttlMs, seen?.payload.token ?? 0, await time(name))
    const done = await move(name, seen?.commit, await write(name, payload))
    return done ? { held: true, grip: { claim: owner.claim, token: payload.token } } : undefined
  }

  async function holding(name: LeaseName, payload: Payload): Promise<HeldLease> {
    const { claim, agent, host, token, taken_at } = payload
    const { now, by } = await time(name)
    const until = Date.parse(payload.until)
    const from = deadFrom({ until, by: payload.clock }, by)
    const { issue } = name
    return {
      issue,
      claim,
      agent,
      host,
      token,
      takenAt: Date.parse(taken_at),
      until,
      dead: from < now,
      deadFrom: from,
    }
  }
  const isOurs = (seen: Seen | undefined, grip: { claim: string; token: number }): seen is Seen =>
    seen?.payload.claim === grip.claim && seen.payload.token === grip.token

  async function prolong(name: LeaseName, seen: Seen, ttlMs: number): Promise<boolean> {
    const { now, by } = await time(name)
    const until = new Date(now + ttlMs).toISOString()
    return move(name, seen.commit, await write(name, { ...seen.payload, until, clock: by }))
  }

  async function take(name: LeaseName, owner: LeaseOwner, ttlMs: number, tries = 3): Promise<LeaseAttempt> {
    const seen = await see(name)
    if (seen && seen.payload.claim === owner.claim) {
      const grip = { claim: owner.claim, token: seen.payload.token }
      if (await prolong(name, seen, ttlMs)) return { held: true, grip }
    } else if (seen) return { held: false, by: await holding(name, seen.payload) }
    else {
      const taken = await put(name, owner, ttlMs, undefined)
      if (taken) return taken
    }
    // Somebody was faster, or let go in between: look again.
    if (tries > 1) return take(name, owner, ttlMs, tries - 1)
    throw new BatonError('daemon_busy', `The claim of #${name.issue} keeps changing`, {
      remedy: 'Try again.',
    })
  }

  return {
    kind: 'git',
    take: (name, owner, ttlMs) => take(name, owner, ttlMs),
    async takeOver(name, owner, ttlMs, expected) {
      const seen = await see(name)
      if (seen && seen.payload.claim !== owner.claim && seen.payload.token !== expected)
        return { held: false, by: await holding(name, seen.payload) }
      return (await put(name, owner, ttlMs, seen)) ?? take(name, owner, ttlMs)
    },
    holds: async (name, grip) => isOurs(await see(name), grip),
    async renew(name, grip, ttlMs) {
      const seen = await see(name)
      return isOurs(seen, grip) && (await prolong(name, seen, ttlMs))
    },
    async release(name, grip) {
      const seen = await see(name)
      return isOurs(seen, grip) && (await move(name, seen.commit, undefined))
    },
    async find(name) {
      const seen = await see(name)
      return seen && (await holding(name, seen.payload))
    },
    async list({ repository, folder }) {
      const listed = await git(folder, ['ls-remote', await remote(folder), `${FOLDER}/*`], needsLogin)
      if (listed.code !== 0) throw failed(['ls-remote'], listed.err)
      const found = listed.out.matchAll(/^([0-9a-f]{40,64})\trefs\/baton\/claims\/([1-9]\d{0,8})$/gm)
      const all: HeldLease[] = []
      for (const [, commit = '', issue = ''] of found) {
        const name = { repository, folder, issue: Number(issue) }
        const payload = await read(name, commit).catch(() => undefined)
        if (payload) all.push(await holding(name, payload))
      }
      return all
    },
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whose clock a time is by: the forge's, which all machines share, or a machine's own. */
export type ClockOwner = 'forge' | 'machine'

interface ClockReading {
  now: number
  by: ClockOwner
}

/** How far clocks may be apart before a living holder could look dead. The forge's tells whole seconds, a while ago. */
export const MARGIN_MS: Readonly<Record<ClockOwner, number>> = { forge: 2 * 60_000, machine: 15 * 60_000 }

/** From when on a lease counts as dead for whoever reads with such a clock: never by a difference of clocks alone. */
export const deadFrom = (lease: { until: number; by: ClockOwner }, reader: ClockOwner): number =>
  lease.until + MARGIN_MS[lease.by === 'forge' && reader === 'forge' ? 'forge' : 'machine']

/** The time as well as it can be had: by the forge where it has told how far this machine is off. */
export function readClock(now: number, offset: number | undefined): ClockReading {
  return offset === undefined ? { now, by: 'machine' } : { now: Math.round(now + offset), by: 'forge' }
}
