import { expect, it, vi } from 'vitest'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { ShownProofs } from '../../src/proof/shown-proofs.ts'
import { fakeProofs } from '../world/fake-proofs.ts'
import { scratch } from '../world/scratch.ts'

class Silent extends Error {}

it('shows a proof in its pull request as soon as the forge answers again, and only the newest', async () => {
  const folder = scratch('shown-')
  const proofs = fakeProofs()
  const shown: string[] = []
  const faults: unknown[] = []
  const forge = { answer: 'silent' as 'silent' | 'yes' | 'no', now: 0 }
  // A new one each time, as after a restart of the daemon.
  const open = () =>
    new ShownProofs({
      async show(project, pull, { id }) {
        if (forge.answer === 'silent') throw new Silent()
        if (forge.answer === 'no') throw new Error('no token')
        shown.push(`${project} #${pull} ${id}`)
      },
      proofOf: id => proofs.get(id),
      mayPass: cause => cause instanceof Silent,
      files: systemSmallFiles,
      stateDir: folder.path,
      clock: { now: () => forge.now, elapsed: () => forge.now },
      fault: (_, cause) => void faults.push(cause),
    })
  const [first, second] = [
    await proofs.start({ project: '/a', commit: '1'.repeat(40) }),
    await proofs.start({ project: '/a', commit: '2'.repeat(40) }),
  ]
  await open().show('/a', 7, first)
  await open().show('/a', 7, second)
  await open().tick()
  forge.now += 15_000
  await open().tick()
  expect(shown).toEqual([])
  forge.answer = 'yes'
  forge.now += 15 * 60_000
  await open().tick()
  await open().tick()
  expect(shown).toEqual([`/a #7 ${second.id}`])
  // What will not pass is reported at once, and later only once.
  forge.answer = 'no'
  await expect(open().show('/a', 8, first)).rejects.toThrow('no token')
  forge.answer = 'silent'
  await open().show('/a', 8, first)
  forge.answer = 'no'
  forge.now += 15 * 60_000
  await open().tick()
  await open().tick()
  expect(faults).toHaveLength(1)
  folder.remove()
})

it('never replaces a newer proof by an older one that waited for the forge', async () => {
  const folder = scratch('shown-')
  const proofs = fakeProofs()
  const shown: string[] = []
  let now = 0
  const looks: (() => void)[] = []
  let isSilent = true
  const all = new ShownProofs({
    async show(_, __, { id }) {
      if (isSilent) throw new Silent()
      if (looks.length === 0) await new Promise<void>(resolve => looks.push(resolve))
      shown.push(id)
    },
    proofOf: id => proofs.get(id),
    mayPass: cause => cause instanceof Silent,
    files: systemSmallFiles,
    stateDir: folder.path,
    clock: { now: () => now, elapsed: () => now },
    fault: () => {},
  })
  const older = await proofs.start({ project: '/a', commit: '1'.repeat(40) })
  const newer = await proofs.start({ project: '/a', commit: '2'.repeat(40) })
  await all.show('/a', 7, older)
  isSilent = false
  now += 15_000
  const tick = all.tick()
  await vi.waitFor(() => expect(looks).toHaveLength(1), { timeout: 30_000 })
  const newest = all.show('/a', 7, newer)
  looks[0]?.()
  await Promise.all([tick, newest])
  expect(shown).toEqual([older.id, newer.id])
  folder.remove()
})
