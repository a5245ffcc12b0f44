import type { Proof } from '@batonpass/contract/proof'
import type { ChangedFile, Checkouts } from '../ports/checkouts.ts'
import type { CompareTests, FileChange } from '../ports/compare-tests.ts'
import { isAboutTests, isCi, isSettings, mayBeCalled, mayInherit, mayWeaken } from './relevant-files.ts'

const MAX_TEST_FILES = 500
const MAX_FILES = 3000
/** Files that are read at the same time. */
const READS = 8
const MAX_KEPT = 50
/** Characters of all files, before and after: they are in memory together. */
const MAX_TEXT = 50_000_000

interface WeakenedPorts {
  checkouts: Pick<Checkouts, 'tree'>
  compareTests: CompareTests
}

/** How the work made the tests weaker. */
export async function weakenedTests(
  { checkouts, compareTests }: WeakenedPorts,
  { project, base, commit }: Pick<Proof, 'project' | 'base' | 'commit'>,
  changes: readonly ChangedFile[],
  signal: AbortSignal,
): Promise<string[]> {
  const relevant = changes.filter(({ path }) => mayWeaken(path))
  const tests = relevant.filter(({ path }) => isAboutTests(path)).length
  if (tests > MAX_TEST_FILES) return [`${tests} test files changed, more than Baton compares`]
  if (relevant.length > MAX_FILES) return [`${relevant.length} files changed, more than Baton compares`]
  const [before, after] = [checkouts.tree(project, base), checkouts.tree(project, commit)]
  const read: FileChange[] = []
  const known = new Set(relevant.map(({ path }) => path))
  // Files that say what the change of another one means.
  const readKept = async (isOne: (path: string) => boolean, order: (path: string) => number) => {
    if (!relevant.some(({ path }) => isOne(path))) return
    const kept = (await after.paths()).filter(path => !known.has(path) && isOne(path))
    for (const path of kept.sort((a, b) => order(a) - order(b)).slice(0, MAX_KEPT)) {
      const text = await after.read(path)
      read.push({ path, before: text, after: text })
    }
  }
  // What CI runs is in its own files, and then in those that it calls.
  await readKept(
    path => isCi(path) || mayBeCalled(path),
    path => (isCi(path) ? 0 : 1),
  )
  // Settings that others take over are rarely deep in the tree.
  await readKept(mayInherit, path => path.split('/').length)
  let size = 0
  for (let from = 0; from < relevant.length && !signal.aborted; from += READS) {
    const some = await Promise.all(
      relevant.slice(from, from + READS).map(async ({ path, status }) => ({
        path,
        before: status === 'added' ? undefined : await before.read(path),
        after: status === 'removed' ? undefined : await after.read(path),
      })),
    )
    for (const { before, after } of some) size += (before?.length ?? 0) + (after?.length ?? 0)
    if (size > MAX_TEXT) return [`more than ${MAX_TEXT / 1e6} MB of text changed, more than Baton compares`]
    read.push(...some)
  }
  const isNewSettings = relevant.some(({ path, status }) => status === 'added' && isSettings(path))
  const folders = isNewSettings ? foldersOf(await before.paths()) : undefined
  return compareTests({ changes: read, folders }, signal)
}

/** All folders with files, each with a slash at its end; the folder of the project itself is empty. */
function foldersOf(paths: readonly string[]): string[] {
  const found = new Set([''])
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end + 1)
      if (found.has(folder)) break
      found.add(folder)
    }
  return [...found]
}
