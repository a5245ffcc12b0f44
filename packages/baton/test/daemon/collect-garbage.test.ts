import { expect, test } from 'vitest'
import { garbageCollector } from '../../src/daemon/collect-garbage.ts'

const MB = 1024 * 1024

function heap(bytes: number, left = 30 * MB) {
  const heap = {
    bytes,
    swept: 0,
    used: () => heap.bytes,
    collect() {
      heap.swept++
      heap.bytes = left
    },
  }
  return heap
}

test('collects once the heap has grown by a good part, and counts from what was left', () => {
  const it = heap(30 * MB)
  const sweep = garbageCollector(it)
  sweep()
  expect(it.swept).toBe(1)
  it.bytes = 33 * MB
  sweep()
  expect(it.swept).toBe(1)
  it.bytes = 35 * MB
  sweep()
  sweep()
  expect(it.swept).toBe(2)
})

test('a large heap must grow by more before it is worth a look', () => {
  const it = heap(500 * MB, 400 * MB)
  const sweep = garbageCollector(it)
  sweep()
  it.bytes = 450 * MB
  sweep()
  expect(it.swept).toBe(1)
  it.bytes = 461 * MB
  sweep()
  expect(it.swept).toBe(2)
})

test('without the flag nothing happens', () => {
  const it = heap(30 * MB)
  const sweep = garbageCollector({ used: it.used, collect: undefined })
  it.bytes = 90 * MB
  expect(sweep).not.toThrow()
})
