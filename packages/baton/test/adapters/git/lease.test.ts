import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitLeases } from '../../../src/adapters/git/lease.ts'
import { leaseContract } from '../../contracts/lease.contract.ts'
import { plainGit, scratch } from '../../world/scratch.ts'

const env = { ...process.env, ...plainGit }
const git = (...args: string[]) => execFileSync('git', args, { env, encoding: 'utf8', stdio: 'pipe' })

function world() {
  const folder = scratch('bl-')
  const bare = join(folder.path, 'origin.git')
  git('init', '-q', '--bare', '--template=', '-b', 'main', bare)
  let now = Date.parse('2026-01-01T00:00:00Z')
  let clones = 0
  return {
    bare,
    folder,
    /** `off`: its clock is wrong by that much. `knows`: the forge has told it so. */
    async machine({ off = 0, knows = false } = {}) {
      const path = join(folder.path, `clone-${++clones}`)
      git('clone', '-q', bare, path)
      const clock = { now: () => now + off, elapsed: () => now }
      const offsetFor = async () => (knows ? -off : undefined)
      return { folder: path, leases: gitLeases({ clock, offsetFor }) }
    },
    async pass(ms: number) {
      now += ms
    },
    async close() {
      folder.remove()
    },
  }
}

leaseContract('leases as refs on the remote', async () => world())

test.each([
  ['ten minutes, and no one knows', { off: 10 * 60_000 }, { off: 0 }],
  ['the holder is ten minutes behind', { off: 0 }, { off: -10 * 60_000 }],
  ['three days, but the forge has told both', { off: 3 * 86_400_000, knows: true }, { off: 0, knows: true }],
])('a living holder is not taken for dead by a clock that is off: %s', async (_, reader, holder) => {
  const here = world()
  const [a, b] = [await here.machine(holder), await here.machine(reader)]
  const name = { repository: 'r', issue: 42, folder: a.folder }
  const ttl = 60 * 60_000
  await a.leases.take(name, { claim: 'clm_a', agent: 'ann', host: 'x' }, ttl)
  await here.pass(ttl - 1000)
  const seen = await b.leases.find({ ...name, folder: b.folder })
  expect(seen).toMatchObject({ dead: false, claim: 'clm_a' })
  // Silent for long, it is dead whatever the clocks say.
  await here.pass(60 * 60_000)
  expect(await b.leases.find({ ...name, folder: b.folder })).toMatchObject({ dead: true })
  await here.close()
})

test('the ref names its owner, host and time for everybody, and lies outside of branches', async () => {
  const here = world()
  const { leases, folder } = await here.machine()
  const name = { repository: 'r', issue: 42, folder }
  const taken = await leases.take(name, { claim: 'clm_a', agent: 'ann-1', host: 'laptop' }, 60_000)
  expect(taken.held).toBe(true)
  const shown = git('-C', here.bare, 'log', '-1', '--format=%B', 'refs/baton/claims/42')
  expect(JSON.parse(shown)).toMatchObject({
    claim: 'clm_a',
    agent: 'ann-1',
    host: 'laptop',
    taken_at: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T00:01:00.000Z',
  })
  expect(git('-C', here.bare, 'branch', '--list')).toBe('')
  await here.close()
})

test('a repository without a remote, or with one that is gone, is named and never means "free"', async () => {
  const here = world()
  const { leases, folder } = await here.machine()
  const name = { repository: 'r', issue: 42, folder }
  const owner = { claim: 'clm_a', agent: 'ann-1', host: 'laptop' }
  git('-C', folder, 'remote', 'set-url', 'origin', join(here.folder.path, 'nowhere.git'))
  await expect(leases.take(name, owner, 60_000)).rejects.toMatchObject({ code: 'git_failed' })
  await expect(leases.find(name)).rejects.toMatchObject({ code: 'git_failed' })
  git('-C', folder, 'remote', 'remove', 'origin')
  await expect(leases.take(name, owner, 60_000)).rejects.toThrow(/no remote/)
  await here.close()
})

test('a ref that someone else put there is not taken for a free issue', async () => {
  const here = world()
  const { leases, folder } = await here.machine()
  git(
    '-C',
    folder,
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@y',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'hello',
  )
  git('-C', folder, 'push', '-q', 'origin', 'HEAD:refs/baton/claims/42')
  const owner = { claim: 'clm_a', agent: 'ann-1', host: 'laptop' }
  await expect(leases.take({ repository: 'r', issue: 42, folder }, owner, 60_000)).rejects.toMatchObject({
    code: 'claim_held',
  })
  await here.close()
})
