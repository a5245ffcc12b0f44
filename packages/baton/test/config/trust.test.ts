import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { readPins, setPin } from '../../src/config/trust.ts'
import { configWorld } from './world.ts'

const yaml = 'permissions:\n  allow: ["^make test"] # checked\n'

test('any change of any byte ends the trust, and the old bytes bring it back', async () => {
  await using world = configWorld()
  const path = world.write('project/.baton.yaml', yaml)
  await world.trust('project/.baton.yaml')
  const original = readFileSync(path)
  const standing = async () => (await world.load()).files[0]?.standing
  expect(await standing()).toBe('trusted')
  await fc.assert(
    fc.asyncProperty(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), async (index, flip) => {
      const changed = Buffer.from(original)
      changed.writeUInt8(changed.readUInt8(index) ^ flip, index)
      writeFileSync(path, changed)
      const loaded = await world.load()
      expect(loaded.files[0]?.standing).toBe('untrusted')
      expect(loaded.config.permissions.allow).toEqual([])
    }),
    { numRuns: 60 },
  )
  writeFileSync(path, original)
  expect(await standing()).toBe('trusted')
})

test('trust belongs to one place: the same bytes elsewhere are not trusted', async () => {
  await using world = configWorld()
  world.write('project/.baton.yaml', yaml)
  await world.trust('project/.baton.yaml')
  world.write('other/.baton.yaml', yaml)
  world.places.project = join(world.path, 'other')
  expect((await world.load()).files[0]?.standing).toBe('untrusted')
})

test('the pins are private, and pins that others could write count for nothing', async () => {
  await using world = configWorld()
  world.write('project/.baton.yaml', yaml)
  await world.trust('project/.baton.yaml')
  const pins = join(world.places.stateDir, 'trust.json')
  expect(statSync(pins).mode & 0o777).toBe(0o600)
  chmodSync(pins, 0o666)
  const { notices, files, problems } = await world.load()
  expect(files[0]?.standing).toBe('untrusted')
  expect(problems).toEqual([])
  expect(notices[0]?.message).toContain('other users can write this file')
})

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"version":1}',
  '{"version":2,"files":{}}',
  '{"version":1,"files":{"/x":null}}',
])('damaged pins (%j) trust nothing and break nothing', async text => {
  await using world = configWorld()
  world.write('project/.baton.yaml', yaml)
  world.write('state/trust.json', text, 0o600)
  const { files, problems } = await world.load()
  expect(files[0]?.standing).toBe('untrusted')
  expect(problems).toEqual([])
})

test('pins set at the same time are all kept', async () => {
  await using world = configWorld()
  const hash = 'a'.repeat(64)
  const paths = Array.from({ length: 20 }, (_, index) => `/p${index}/.baton.yaml`)
  await Promise.all(paths.map(path => setPin(world.places.stateDir, path, hash, systemFiles)))
  const { pins } = await readPins(world.places.stateDir, systemFiles)
  expect([...pins.keys()].sort()).toEqual(paths.toSorted())
})

test('a lock left by a process that was killed is taken over', async () => {
  await using world = configWorld()
  // No process has this id: it is beyond what Linux and macOS give out.
  world.write('state/trust.json.lock', '99999999', 0o600)
  expect(await setPin(world.places.stateDir, '/p/.baton.yaml', 'b'.repeat(64), systemFiles)).toBe(true)
})
