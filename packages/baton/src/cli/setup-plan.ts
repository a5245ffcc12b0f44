import { diffOf } from './diff.ts'
import { type Io, printable } from './io.ts'

/** A settings file before and after, and what the change is for. */
export interface PlannedFile {
  path: string
  before: string | undefined
  after: string | undefined
  what: string
}

/** What a set-up would change, two lines for each file: short enough to be read before a yes. */
export async function setupPlan(files: readonly PlannedFile[], io: Io): Promise<string[]> {
  const lines = await Promise.all(
    files.map(async ({ path, before, after, what }) => {
      const { added, removed } = counted(await diffOf(path, before ?? '', after ?? ''))
      const counts = [
        before === undefined ? 'a new file' : '',
        added > 0 ? `${added} line${added === 1 ? '' : 's'} more` : '',
        removed > 0 ? `${removed} less` : '',
      ]
      return [`  ${tilde(path, io.home)}`, `    ${what}: ${counts.filter(Boolean).join(', ')}`]
    }),
  )
  return lines.flat().map(printable)
}

function counted(diff: string): { added: number; removed: number } {
  // The first two lines name the file.
  const lines = diff.split('\n').slice(2)
  const count = (sign: string) => lines.filter(line => line.startsWith(sign)).length
  return { added: count('+'), removed: count('-') }
}

/** As people write a path below their home. */
const tilde = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
