import type { FileChange } from '../ports/compare-tests.ts'
import { findWeakened } from '../proof/weakened-tests.ts'

/** The program that `proof/compare-elsewhere.ts` starts: reads lines of JSON, the folders and then each change, and prints the findings. */
const parsed: unknown[] = []
let line: string[] = []
for await (const chunk of process.stdin.setEncoding('utf8')) {
  const [end = '', ...others] = String(chunk).split('\n')
  line.push(end)
  for (const start of others) {
    parsed.push(JSON.parse(line.join('')))
    line = [start]
  }
}
const [folders, ...changes] = parsed as [string[] | null, ...FileChange[]]
process.stdout.write(JSON.stringify(findWeakened(changes, folders ? new Set(folders) : undefined)))
