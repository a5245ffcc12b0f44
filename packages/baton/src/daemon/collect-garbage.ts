import { getHeapStatistics } from 'node:v8'

/** Less growth than this is not worth a pause of about 20 ms. */
const MIN_BYTES = 4 * 1024 * 1024
const SHARE = 0.15

export interface Heap {
  used(): number
  /** Node's garbage collection; available only with `--expose-gc`. */
  collect: (() => void) | undefined
}

const ownHeap: Heap = { used: () => getHeapStatistics().used_heap_size, collect: globalThis.gc }

/**
 * Collects garbage when a large part of the heap may be garbage. By itself, V8 lets the old generation grow to several
 * times what is in use, and a daemon that runs all day would keep that memory.
 */
export function garbageCollector({ used, collect }: Heap = ownHeap): () => void {
  // The first run collects what the start left.
  let kept = 0
  return () => {
    if (!collect || used() - kept < Math.max(MIN_BYTES, kept * SHARE)) return
    collect()
    kept = used()
  }
}
