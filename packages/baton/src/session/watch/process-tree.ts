import type { Spawn } from '@batonpass/contract/watch'
import type { RunningProcess } from '../../ports/processes.ts'

/** Everything that descends from a process, itself left out. */
export function descendants(table: readonly RunningProcess[], root: number): RunningProcess[] {
  const byParent = Map.groupBy(table, ({ parent }) => parent)
  const found: RunningProcess[] = []
  const seen = new Set([root])
  for (const queue = [root]; queue.length > 0; ) {
    for (const child of byParent.get(queue.pop() ?? -1) ?? []) {
      if (seen.has(child.pid)) continue
      seen.add(child.pid)
      found.push(child)
      queue.push(child.pid)
    }
  }
  return found
}

/** Those that still run: the same number with another birth is another process. */
export function stillRunning(spawns: readonly Spawn[], table: readonly RunningProcess[]): Spawn[] {
  const born = new Map(table.map(({ pid, born }) => [pid, born]))
  return spawns.filter(
    spawn => spawn.pid !== null && spawn.born !== null && born.get(spawn.pid) === spawn.born,
  )
}
