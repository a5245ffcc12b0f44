import { describe, expect, test } from 'vitest'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { OwnModelCalls } from '../../src/session/own-model-calls.ts'

describe('own calls', () => {
  test('a marker lives from issue to release, whatever else is under way', () => {
    const calls = new OwnModelCalls(systemIds)
    const one = calls.issue()
    const two = calls.issue()
    expect([one, two].map(call => calls.isLive(call.marker))).toEqual([true, true])

    one.release()
    one.release()

    expect([one, two].map(call => calls.isLive(call.marker))).toEqual([false, true])
  })

  test('no other word is a marker', () => {
    const calls = new OwnModelCalls(systemIds)
    const { marker } = calls.issue()

    for (const word of ['', marker.slice(1), `${marker} `, marker.toUpperCase(), '__proto__'])
      expect(calls.isLive(word)).toBe(false)
  })

  test('a marker fits into a header of the envelope and is long enough not to be guessed', () => {
    const { marker } = new OwnModelCalls(systemIds).issue()

    expect(marker).toMatch(/^[0-9a-z]{40}$/)
  })
})
