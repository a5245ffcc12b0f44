import { describe, expect, it } from 'vitest'
import type { ChangedFile } from '../../src/ports/checkouts.ts'
import { deriveChecks } from '../../src/proof/derive-checks.ts'
import { weakenedTests } from '../../src/proof/read-weakened.ts'
import type { Change } from './changes/edit.ts'
import { HONEST_HELPERS, WEAK_HELPERS } from './changes/helpers-and-tables.ts'
import { HONEST_JAVASCRIPT } from './changes/honest-javascript.ts'
import { HONEST_OTHERS, REFUSED } from './changes/honest-others.ts'
import { WEAK_JAVASCRIPT } from './changes/weak-javascript.ts'
import { WEAK_OTHERS } from './changes/weak-others.ts'
import { compareHere, treeOf } from './memory-tree.ts'

const NEVER = new AbortController().signal

/** What a proof finds: weaker tests, and checks that no longer do what they did. */
async function findings({ before, after }: Change): Promise<string[]> {
  const trees = { base: treeOf(before), commit: treeOf(after) }
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(path => before[path] !== after[path])
    .map((path): ChangedFile => {
      const status = before[path] === undefined ? 'added' : after[path] === undefined ? 'removed' : 'changed'
      return { path, status, addedLines: 1, removedLines: 1 }
    })
  const tree = (_: string, commit: string) => (commit === 'base' ? trees.base : trees.commit)
  const about = { project: '/app', base: 'base', commit: 'commit' }
  const weakened = await weakenedTests(
    { checkouts: { tree }, compareTests: compareHere },
    about,
    changes,
    NEVER,
  )
  const now = await deriveChecks(trees.commit, 1)
  const changed = (await deriveChecks(trees.base, 1)).filter(
    ({ command, definition }) => now.find(check => check.command === command)?.definition !== definition,
  )
  return [...weakened, ...changed.map(({ command }) => `${command} changed`)]
}

describe('A change that makes checks weaker', () => {
  it.each([...WEAK_JAVASCRIPT, ...WEAK_OTHERS, ...WEAK_HELPERS, ...REFUSED])(
    'is found: %s',
    async (_, change) => {
      expect(await findings(change)).not.toEqual([])
    },
  )

  it.each([...HONEST_JAVASCRIPT, ...HONEST_OTHERS, ...HONEST_HELPERS])('is not: %s', async (_, change) => {
    expect(await findings(change)).toEqual([])
  })
})
