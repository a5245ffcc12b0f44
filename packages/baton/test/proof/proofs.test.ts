import { setImmediate as turn } from 'node:timers/promises'
import { Config } from '@batonpass/contract/config'
import { Proof, type ProofEntry } from '@batonpass/contract/proof'
import { expect, it, vi } from 'vitest'
import { SandboxNotStarted } from '../../src/ports/sandbox.ts'
import type { SmallFiles } from '../../src/ports/small-files.ts'
import { Proofs, type ProofsParts } from '../../src/proof/proofs.ts'
import { compareHere } from './memory-tree.ts'

const PROJECT = '/app'
/** A check that ends at once; all others wait for the test. */
const SHORT = 'short'

/** Proofs of one commit whose checks and file system the test controls. */
function world(
  commands: string[],
  {
    write,
    opens = [],
    removes = [],
    disk = new Map(),
    changes,
    unavailable,
  }: {
    /** Waits with the answer of git. */
    changes?: Promise<never[]>
    unavailable?: () => Promise<undefined>
    write?: WriteHook
    opens?: (boolean | 'broken')[]
    removes?: boolean[]
    disk?: Map<string, string>
  } = {},
) {
  const entries: ProofEntry[] = []
  const faults: string[] = []
  const started: string[] = []
  const tries: string[] = []
  const running = new Map<string, () => void>()
  let made = 0
  const files: SmallFiles = {
    read: async (_, name) =>
      disk.has(name) ? { kind: 'text', text: disk.get(name) ?? '', modifiedMs: 0 } : { kind: 'absent' },
    async write(_, name, text) {
      await write?.(name, text)
      disk.set(name, text)
    },
    append: async () => {},
    remove: async (_, name) => disk.delete(name),
    list: async (_, folder) =>
      [...disk.keys()]
        .filter(name => name.startsWith(`${folder}/`))
        .map(name => ({ name: name.slice(folder.length + 1), modifiedMs: 0 })),
  }
  const proofs = new Proofs({
    compareTests: compareHere,
    checkouts: {
      resolve: async () => 'a',
      findBase: async () => 'a',
      changes: async () => changes ?? [],
      tree: () => ({ paths: async () => [], read: async () => undefined }),
      make: async () => {},
      remove: async () => {
        if (removes.shift() === false) throw new Error('the disk is full')
      },
    },
    containment: {
      whyUnavailable: unavailable ?? (async () => undefined),
      open: async () => {
        tries.push('open')
        const opened = opens.shift()
        if (opened === false) throw new SandboxNotStarted('bubblewrap did not answer in time')
        if (opened === 'broken') throw new Error('There is no sandbox.')
        return {
          run: async (argv: string[]) => {
            const command = argv.at(-1)?.split('\n').at(-1) ?? ''
            started.push(command)
            if (command !== SHORT) await new Promise<void>(resolve => running.set(command, resolve))
            return { code: 0, stdout: 'ok\n', stderr: '' }
          },
          end: async () => {},
        }
      },
    },
    cache: { get: async () => undefined, put: async () => {} },
    clock: { now: () => Date.parse('2026-11-15T12:00:00Z') },
    ids: { id: (length: number) => String(made++).padStart(length, '0') },
    folderFor: (name: string) => `/tmp/${name}`,
    redact: (text: string) => text,
    configFor: async () => Config.parse({ proof: { done_when: commands } }),
    async journal(_: Proof, entry: ProofEntry) {
      await turn()
      entries.push(entry)
    },
    fault: (during: string) => void faults.push(during),
    files,
    stateDir: '/state',
  } as unknown as ProofsParts)
  const end = async (command: string) => {
    await vi.waitFor(() => expect(running.has(command)).toBe(true), { timeout: 30_000 })
    running.get(command)?.()
  }
  return { proofs, entries, faults, started, tries, end }
}

type WriteHook = (name: string, text: string) => Promise<void>

it('keeps the result of a check that ends while an older record is still being written', async () => {
  const written = { results: 0 }
  const write: WriteHook = async (_, text) => {
    const { running, results } = Proof.parse(JSON.parse(text))
    // The disk is slow just when the second check starts.
    if (running === 'long' && results.length === 0)
      for (let turns = 0; turns < 500 && written.results === 0; turns++) await turn()
    written.results = results.length
  }
  const { proofs, end, started } = world([SHORT, 'long'], { write })
  const { id } = await proofs.start({ project: PROJECT })
  await vi.waitFor(() => expect(started).toEqual([SHORT, 'long']), { timeout: 30_000 })
  // Nothing changes the record from here until the second check ends.
  await vi.waitFor(
    async () => expect((await proofs.get(id)).results).toMatchObject([{ name: SHORT, status: 'passed' }]),
    { timeout: 5000 },
  )
  await end('long')
  expect((await proofs.wait(id)).verdict).toBe('proven')
})

it('runs a proof once that starts while the daemon resumes those of a killed one', async () => {
  const { proofs, entries, started, end } = world(['only'])
  const starting = proofs.start({ project: PROJECT })
  // Its record is on disk, but it does not run yet.
  while ((await proofs.list()).length === 0) await turn()
  await proofs.resume()
  const { id } = await starting
  await end('only')
  expect((await proofs.wait(id)).verdict).toBe('proven')
  expect(started).toEqual(['only'])
  expect(entries.map(({ what }) => what)).toEqual(['started', 'ended'])
})

it('cancels a proof of a killed daemon, before or while it is resumed', async () => {
  const disk = new Map<string, string>()
  const { id } = await world(['only'], { disk }).proofs.start({ project: PROJECT })
  const left = disk.get(`proof/${id}.json`) ?? ''

  const before = world(['only'], { disk })
  expect(await before.proofs.cancel(id)).toMatchObject({ verdict: 'unproven', why: 'cancelled' })
  await before.proofs.resume()
  expect(before.started).toEqual([])
  expect(before.entries.map(({ what }) => what)).toEqual(['cancelled'])

  const meanwhile = world([SHORT], { disk: new Map([[`proof/${id}.json`, left]]) })
  const resumed = meanwhile.proofs.resume()
  // At the same time, whichever looks first.
  await vi.waitFor(async () => expect(await meanwhile.proofs.cancel(id)).toMatchObject({ why: 'cancelled' }))
  await resumed
  expect(meanwhile.started).toEqual([])
})

it('cancels a proof between its first record and its first check', async () => {
  const { proofs, entries, started } = world(['only'])
  const starting = proofs.start({ project: PROJECT })
  while ((await proofs.list()).length === 0) await turn()
  const [listed] = await proofs.list()
  expect(await proofs.cancel(listed?.id ?? '')).toMatchObject({ verdict: 'unproven', why: 'cancelled' })
  await starting
  expect(started).toEqual([])
  expect(entries.map(({ what }) => what)).toEqual(['started', 'cancelled'])
})

it('cancels a proof of a killed daemon although its checkouts cannot be removed, and once', async () => {
  const disk = new Map<string, string>()
  const { id } = await world(['only'], { disk }).proofs.start({ project: PROJECT })
  const { proofs, entries, faults } = world(['only'], { disk: new Map(disk), removes: [false] })
  const both = await Promise.all([proofs.cancel(id), proofs.cancel(id)])
  expect(both.map(({ why }) => why)).toEqual(['cancelled', 'cancelled'])
  expect((await proofs.get(id)).verdict).toBe('unproven')
  expect(entries.map(({ what }) => what)).toEqual(['cancelled'])
  expect(faults).toEqual(['removing checkouts'])
})

it('tries a sandbox again only if it did not start', async () => {
  const { proofs, tries } = world(['only'], { opens: ['broken'] })
  const { id } = await proofs.start({ project: PROJECT })
  expect((await proofs.wait(id)).results[0]?.why).toBe('could not run: There is no sandbox.')
  expect(tries).toHaveLength(1)
})

it.each([
  ['starts at the third try', [false, false, true], 'proven', undefined],
  ['never starts', [false, false, false], 'unproven', 'could not run: bubblewrap did not answer in time'],
])('a sandbox that %s', async (_, opens, verdict, why) => {
  const { proofs, end } = world(['only'], { opens })
  const { id } = await proofs.start({ project: PROJECT })
  if (verdict === 'proven') await end('only')
  const ended = await proofs.wait(id)
  expect(ended.verdict).toBe(verdict)
  expect(ended.results[0]?.why).toBe(why)
})

it('a checkout that does not start costs nothing if another one ran all checks', async () => {
  const { proofs, end, faults } = world(['a', 'b'], { opens: [false, true, false, false] })
  const { id } = await proofs.start({ project: PROJECT })
  await end('a')
  await end('b')
  expect((await proofs.wait(id)).verdict).toBe('proven')
  expect(faults).toEqual(['running checks'])
})

it('is another proof for who opens the pull request than for who does not, or pushes later', async () => {
  const { proofs } = world(['long', { forge: { checks: 'green' } }] as unknown as string[])
  const order = { project: PROJECT }
  const orders = [order, { ...order, opensPullRequest: true }, { ...order, isUnpushed: true }]
  const ids = []
  for (const each of [...orders, ...orders]) ids.push((await proofs.start(each)).id)
  expect(new Set(ids.slice(0, 3)).size).toBe(3)
  expect(ids.slice(3)).toEqual(ids.slice(0, 3))
})

it.each([
  ['is cancelled', 'cancelled'],
  ['ends because of an error', 'Baton could not run the checks'],
])('stays ended if it %s while git still answers', async (_, why) => {
  let answer: (changes: never[]) => void = () => {}
  const changes = new Promise<never[]>(resolve => {
    answer = resolve
  })
  let stop = () => {}
  const isReached = new Promise<void>(resolve => {
    stop = resolve
  })
  const declared = ['long', { files: { exist: ['a'] } }] as unknown as string[]
  const { proofs, started } = world(declared, {
    changes,
    unavailable: async () => {
      stop()
      // Long enough for a person to cancel it.
      for (let turns = 0; turns < 10; turns++) await turn()
      if (why !== 'cancelled') throw new Error('the disk is full')
      return undefined
    },
  })
  const { id } = await proofs.start({ project: PROJECT })
  await isReached
  const ending = why === 'cancelled' ? proofs.cancel(id) : proofs.wait(id)
  for (let turns = 0; turns < 100; turns++) await turn()
  answer([])
  expect(await ending).toMatchObject({ verdict: 'unproven', why })
  for (let turns = 0; turns < 100; turns++) await turn()
  expect(await proofs.get(id)).toMatchObject({ verdict: 'unproven', why })
  expect(started).toEqual([])
})
