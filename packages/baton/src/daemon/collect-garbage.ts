import { getHeapStatistics } from 'node:v8'

/** Below this it is not worth a pause of some 20 ms. */
const MIN_BYTES = 4 * 1024 * 1024
const SHARE = 0.15

export interface Heap {
  used(): number
  /** Collects everything that nobody holds; only there with `--expose-gc`. */
  collect: (() => void) | undefined
}

const ownHeap: Heap = { used: () => getHeapStatistics().used_heap_size, collect: globalThis.gc }

/**
 * Collects garbage whenever a good part of the heap may be garbage. Left alone, the engine lets the old generation
 * grow to several times its need before it looks, and a daemon that runs all day keeps what it once took.
 */
export function garbageCollector({ used, collect }: Heap = ownHeap): () => void {
  // The first look finds what starting left.
  let kept = 0
  return () => {
    if (!collect || used() - kept < Math.max(MIN_BYTES, kept * SHARE)) return
    collect()
    kept = used()
  }
}
