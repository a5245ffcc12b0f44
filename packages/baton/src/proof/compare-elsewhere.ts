import { z } from 'zod'
import type { CompareTests } from '../ports/compare-tests.ts'
import type { Programs } from '../ports/programs.ts'

const MINUTE_MS = 60_000
/** In seconds of the processor: if the daemon is killed, no one else ends a comparison. */
const MAX_CPU = 120
const MAX_HEAP_MB = 1024
const Findings = z.array(z.string())

/**
 * Compares tests in a process of its own, with the compilers that the daemon goes without: a repository may contain text that takes
 * long to read, and meanwhile the daemon would answer no hook.
 */
export function compareElsewhere(
  { run }: Programs,
  {
    node,
    program,
    withinMs = MINUTE_MS,
    fault,
  }: {
    node: string
    program: string
    withinMs?: number
    fault(during: string, cause: unknown): void
  },
): CompareTests {
  const script = `ulimit -t ${MAX_CPU}; exec "$0" "$@"`
  const flags = [`--max-old-space-size=${MAX_HEAP_MB}`, '--disable-warning=ExperimentalWarning']
  const args = ['-c', script, node, ...flags, program]
  return async ({ changes, folders }, signal) => {
    const input = `${JSON.stringify(folders ?? null)}\n`
    const lines = function* () {
      for (const change of changes) yield `${JSON.stringify(change)}\n`
    }
    const { why, code, stdout, stderr } = await run(
      { program: '/bin/sh', args, cwd: '/', env: {}, input, moreInput: lines(), withinMs },
      signal,
    )
    if (why === 'aborted') return ['the changed tests were not compared']
    if (why === 'timed-out') return ['the changed tests could not be compared within a minute']
    try {
      if (why === 'itself' && code === 0) return Findings.parse(JSON.parse(stdout))
    } catch {
      // As below.
    }
    fault('comparing tests', new Error(`${why}, exit code ${code}: ${stderr}`))
    return ['the changed tests could not be compared: the comparison failed']
  }
}
