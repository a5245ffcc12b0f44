import type { Check } from '@batonpass/contract/proof'
import type { ChangedFile } from '../ports/checkouts.ts'
import { matchesPath } from './path-pattern.ts'

/** Why a check of files or of the diff does not hold; undefined if it does. */
export function whyNotMet(
  check: Extract<Check, { kind: 'files' | 'diff' }>,
  paths: readonly string[],
  changes: readonly ChangedFile[],
  weakened: readonly string[] = [],
): string | undefined {
  const changed = changes.map(({ path }) => path)
  const has = (list: readonly string[], pattern: string) => list.some(path => matchesPath(pattern, path))
  if (check.kind === 'files') {
    const missing = check.exist.find(pattern => !has(paths, pattern))
    if (missing !== undefined) return `${missing} does not exist`
    const same = check.changed.find(pattern => !has(changed, pattern))
    if (same !== undefined) return `${same} did not change`
    const touched = changed.find(path => check.unchanged.some(pattern => matchesPath(pattern, path)))
    return touched === undefined ? undefined : `${touched} changed`
  }
  const outside =
    check.only.length > 0
      ? changed.find(path => !check.only.some(each => matchesPath(each, path)))
      : undefined
  if (outside !== undefined) return `${outside} changed`
  if (check.keepsTests && weakened.length > 0) return weakened.join('; ')
  const lines = changes.reduce(
    (sum, { addedLines, removedLines }) => sum + (addedLines ?? 0) + (removedLines ?? 0),
    0,
  )
  return check.maxLines !== undefined && lines > check.maxLines ? `${lines} lines changed` : undefined
}
