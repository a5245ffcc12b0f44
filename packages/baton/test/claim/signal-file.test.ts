import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemSmallFiles } from '../../src/adapters/system/small-files.ts'
import { readSignal, SignalFiles, written } from '../../src/claim/signal-file.ts'
import { type Scratch, scratch } from '../world/scratch.ts'
import { claimFile } from './sample.ts'

let folder: Scratch
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())
const signals = new SignalFiles(systemSmallFiles)
const path = () => join(folder.path, '.agent-claim.json')

describe('.agent-claim.json', () => {
  test('is written in the seed’s form and read back, unknown keys kept', async () => {
    const file = { ...claimFile(), note: 'mine' }
    await signals.create(folder.path, file)
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toEqual(file)
    expect(Object.keys(JSON.parse(readFileSync(path(), 'utf8'))).slice(0, 11)).toEqual(
      Object.keys(claimFile()),
    )
    expect(await signals.read(folder.path)).toMatchObject({ kind: 'claim', file })
    await signals.change(folder.path, now => ({ ...now, phase: 'done' }))
    expect(await signals.read(folder.path)).toMatchObject({ file: { note: 'mine', phase: 'done' } })
    expect(readdirSync(folder.path)).toEqual(['.agent-claim.json'])
  })

  test('is never written over another claim', async () => {
    await signals.create(folder.path, claimFile())
    await expect(signals.create(folder.path, claimFile({ issue_number: 43 }))).rejects.toMatchObject({
      trouble: 'busy',
    })
    expect(await signals.read(folder.path)).toMatchObject({ file: { issue_number: 42 } })
  })

  test('obeys whoever edits it meanwhile: a change is applied to what stands there', async () => {
    await signals.create(folder.path, claimFile())
    let first = true
    await signals.change(folder.path, now => {
      if (first) writeFileSync(path(), written({ ...now, status: 'Blocked' }))
      first = false
      return { ...now, pr_number: 107 }
    })
    expect(await signals.read(folder.path)).toMatchObject({ file: { status: 'Blocked', pr_number: 107 } })
  })

  test('that is gone is not brought back by a change', async () => {
    expect(await signals.change(folder.path, now => now)).toBeUndefined()
    expect(await signals.read(folder.path)).toEqual({ kind: 'absent' })
  })

  test.each([
    [
      'another version',
      { ...claimFile(), schema_version: 2 },
      /schema_version 2, but this Baton supports only 1/,
    ],
    ['no version', { ...claimFile(), schema_version: undefined }, /schema_version missing/],
    ['a version as text', { ...claimFile(), schema_version: '1' }, /schema_version "1"/],
    ['an unknown phase', { ...claimFile(), phase: 'merged' }, /phase is not valid/],
    ['a strange number', { ...claimFile(), issue_number: -1 }, /issue_number is not valid/],
    ['a summary of two lines', { ...claimFile(), summary: 'a\nb' }, /summary is not valid/],
    ['no object', [1], /schema_version missing/],
  ])('with %s is refused, not misread', (_, value, why) => {
    expect(readSignal(JSON.stringify(value))).toMatchObject({
      kind: 'unreadable',
      why: expect.stringMatching(why),
    })
  })

  test('never fails on any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        expect(readSignal(text).kind).toBe('unreadable')
      }),
    )
  })

  test('behind a link is not followed', async () => {
    writeFileSync(join(folder.path, 'elsewhere.json'), written(claimFile()))
    symlinkSync('elsewhere.json', path())
    expect(await signals.read(folder.path)).toMatchObject({
      kind: 'unreadable',
      why: expect.stringContaining('is a link'),
    })
  })
})
