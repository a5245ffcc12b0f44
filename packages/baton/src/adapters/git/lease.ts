import { BatonError } from '@batonpass/contract/errors'
import { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import type { GitLogin } from '../../ports/git-work.ts'
import type { HeldLease, LeaseAttempt, LeaseName, LeaseOwner, Leases } from '../../ports/lease.ts'
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
type Payload = z.infer<typeof Payload>

interface Seen {
  commit: string
  payload: Payload
}

/**
 * Leases as refs on the remote, `refs/baton/claims/42`. A push that expects the ref to be absent (or unchanged) is atomic.
 * Git remotes have no clock, so times come from the forge if it reports one, else from the holder's machine. A lease counts
 * as dead only if a difference between clocks cannot be the reason.
 */
export function gitLeases(parts: {
  clock: Clock
  /** The login to use if git itself cannot log in. */
  loginFor?(folder: string): Promise<GitLogin | undefined>
  /** How far the forge's clock is ahead of this machine's, if the forge has reported it. */
  offsetFor?(folder: string): Promise<number | undefined>
}): Leases {
  const time = async ({ folder }: Pick<LeaseName, 'folder'>): Promise<ClockReading> =>
    readClock(parts.clock.now(), await parts.offsetFor?.(folder))
  const refOf = ({ issue }: Pick<LeaseName, 'issue'>) => `${FOLDER}/${issue}`

  /** Tries git's own login first, then the forge's token. */
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
    throw new BatonError(
      'git_failed',
      'This repository has no remote, so other machines could not see the claim',
      {
        remedy:
          'Add one with `git remote add origin ADDRESS`, or share a database between your machines (store.url).',
      },
    )
  }

  async function readLease(name: LeaseName): Promise<Seen | undefined> {
    const [from, ref] = [await remote(name.folder), refOf(name)]
    const listed = await git(name.folder, ['ls-remote', from, ref], needsLogin)
    if (listed.code !== 0) throw failed(['ls-remote'], listed.err)
    const commit = /^([0-9a-f]{40,64})\t/.exec(listed.out)?.[1]
    if (!commit) return undefined
    return { commit, payload: await readPayload(name, commit) }
  }

  async function readPayload({ folder, issue }: LeaseName, commit: string): Promise<Payload> {
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
    throw new BatonError('claim_held', `${refOf({ issue })} on the remote is not a Baton claim`, {
      remedy: 'Check what it is, then remove it with `git push origin :REF`.',
    })
  }

  async function writePayload(name: LeaseName, payload: Payload): Promise<string> {
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

  /** Moves the ref from the commit that was seen. False if the ref has changed since. */
  async function moveRef(
    name: LeaseName,
    from: string | undefined,
    to: string | undefined,
  ): Promise<boolean> {
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
    const done = await moveRef(name, seen?.commit, await writePayload(name, payload))
    return done ? { held: true, handle: { claim: owner.claim, token: payload.token } } : undefined
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
  const isOurs = (seen: Seen | undefined, handle: { claim: string; token: number }): seen is Seen =>
    seen?.payload.claim === handle.claim && seen.payload.token === handle.token

  async function extendLease(name: LeaseName, seen: Seen, ttlMs: number): Promise<boolean> {
    const { now, by } = await time(name)
    const until = new Date(now + ttlMs).toISOString()
    return moveRef(name, seen.commit, await writePayload(name, { ...seen.payload, until, clock: by }))
  }

  async function acquireLease(
    name: LeaseName,
    owner: LeaseOwner,
    ttlMs: number,
    tries = 3,
  ): Promise<LeaseAttempt> {
    const seen = await readLease(name)
    if (seen && seen.payload.claim === owner.claim) {
      const handle = { claim: owner.claim, token: seen.payload.token }
      if (await extendLease(name, seen, ttlMs)) return { held: true, handle }
    } else if (seen) return { held: false, by: await holding(name, seen.payload) }
    else {
      const taken = await put(name, owner, ttlMs, undefined)
      if (taken) return taken
    }
    // Another holder was faster or released the lease in between: check again.
    if (tries > 1) return acquireLease(name, owner, ttlMs, tries - 1)
    throw new BatonError('daemon_busy', `The claim of #${name.issue} keeps changing`, {
      remedy: 'Try again in a moment.',
    })
  }

  return {
    kind: 'git',
    take: (name, owner, ttlMs) => acquireLease(name, owner, ttlMs),
    async takeOver(name, owner, ttlMs, expected) {
      const seen = await readLease(name)
      if (seen && seen.payload.claim !== owner.claim && seen.payload.token !== expected)
        return { held: false, by: await holding(name, seen.payload) }
      return (await put(name, owner, ttlMs, seen)) ?? acquireLease(name, owner, ttlMs)
    },
    holds: async (name, handle) => isOurs(await readLease(name), handle),
    async renew(name, handle, ttlMs) {
      const seen = await readLease(name)
      return isOurs(seen, handle) && (await extendLease(name, seen, ttlMs))
    },
    async release(name, handle) {
      const seen = await readLease(name)
      return isOurs(seen, handle) && (await moveRef(name, seen.commit, undefined))
    },
    async find(name) {
      const seen = await readLease(name)
      return seen && (await holding(name, seen.payload))
    },
    async list({ repository, folder }) {
      const listed = await git(folder, ['ls-remote', await remote(folder), `${FOLDER}/*`], needsLogin)
      if (listed.code !== 0) throw failed(['ls-remote'], listed.err)
      const found = listed.out.matchAll(/^([0-9a-f]{40,64})\trefs\/baton\/claims\/([1-9]\d{0,8})$/gm)
      const all: HeldLease[] = []
      for (const [, commit = '', issue = ''] of found) {
        const name = { repository, folder, issue: Number(issue) }
        const payload = await readPayload(name, commit).catch(() => undefined)
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

/** Which clock a time is from: the forge's, which all machines share, or a machine's own. */
export type ClockOwner = 'forge' | 'machine'

interface ClockReading {
  now: number
  by: ClockOwner
}

/** Margin for clock differences, so that a live holder never looks dead. The forge's clock is coarse and was read a while ago. */
export const MARGIN_MS: Readonly<Record<ClockOwner, number>> = { forge: 2 * 60_000, machine: 15 * 60_000 }

/** When a lease counts as dead for a reader with this clock: never because of a clock difference alone. */
export const deadFrom = (lease: { until: number; by: ClockOwner }, reader: ClockOwner): number =>
  lease.until + MARGIN_MS[lease.by === 'forge' && reader === 'forge' ? 'forge' : 'machine']

/** The best available time: the forge's, if it has reported the difference to this machine. */
export function readClock(now: number, offset: number | undefined): ClockReading {
  return offset === undefined ? { now, by: 'machine' } : { now: Math.round(now + offset), by: 'forge' }
}
