import { createHash } from 'node:crypto'
import type { Check, CheckResult, Proof } from '@batonpass/contract/proof'
import { visible } from '@batonpass/contract/visible'
import { REASON_TRAILER } from './justified-tests.ts'

/** A reason why work is not proven that the agent can do something about. */
export interface Problem {
  /** In one sentence. */
  what: string
  /** What the check printed, shortened. */
  output?: string | undefined
  /** How often the same failure may occur before Baton stops sending it back, and how the run ends then. */
  most: number
  end: 'stalled' | 'unproven'
  /** It is about what the agent reported, not about the work. */
  isReport?: boolean
}

/** The same failure of a command this many times in a row ends the run. */
const SAME_FAILURES = 3
/** What an agent may be right about, or cannot change, goes back to it once. */
const ONCE = 2
const MAX_SHOWN = 3
const MAX_OUTPUT = 4000

/** What an agent can fix about a proof. Empty: nothing, for example because there is no sandbox, or a test is flaky. */
export function problemsOf({ checks, results, setupResult, why }: Proof): Problem[] {
  if (why === 'cancelled') return []
  if (setupResult && setupResult.status !== 'passed')
    return [problemOf(setupResult, `the setup (${setupResult.name})`, ONCE, 'unproven')]
  return results
    .filter(({ status }) => ['failed', 'timed-out', 'changed'].includes(status))
    .map(result => {
      const kind = kindOf(checks, result)
      if (checks.some(check => check.name === result.name && check.kind === 'diff' && check.keepsTests))
        return problemOf({ ...result, output: result.note ?? REASON_HINT }, result.name, ONCE, 'unproven')
      const isCommand = (kind === 'run' || kind === 'forge') && result.status !== 'changed'
      return isCommand
        ? problemOf(result, result.name, SAME_FAILURES, 'stalled')
        : problemOf(result, result.name, ONCE, 'unproven')
    })
}

/** How an agent explains weaker tests that its issue asks for. */
const REASON_HINT = `If the issue itself asks for this, say why in the last lines of a commit message: "${REASON_TRAILER}: the reason". Baton then lets a reviewer compare it with the issue. Otherwise bring the tests back.`

/** What the agent reported although the evidence contradicts it. */
export const reportProblems = (contradictions: readonly string[]): Problem[] =>
  contradictions.map(what => ({ what, most: ONCE, end: 'unproven', isReport: true }))

const kindOf = (checks: readonly Check[], { name }: CheckResult) =>
  checks.find(check => check.name === name)?.kind

const problemOf = (
  { status, why, output }: CheckResult,
  name: string,
  most: number,
  end: Problem['end'],
): Problem => ({
  what: `${name} ${why ?? status}`,
  ...(output ? { output } : {}),
  most,
  end,
})

/** Digest of the problems of the work, without numbers: durations, line numbers and temporary names change with every run. */
function signatureOf(problems: readonly Problem[]): string {
  const ofWork = problems.filter(({ isReport }) => !isReport)
  const text = ofWork.map(({ what, output = '' }) => `${what}\n${output}`).join('\n')
  const hash = createHash('sha256').update(text.replaceAll(/[0-9a-f]*\d[0-9a-f]*/gi, '0'))
  return hash.digest('base64url').slice(0, 12)
}

/** How often failed checks went back to an agent, and how often in a row with the same failure. */
interface Failures {
  count: number
  same: number
  failure: string
}

/** Adds a failure. `worn`: a problem that may not go back to the agent again. */
export function countFailure(
  known: Failures | undefined,
  problems: readonly Problem[],
): Failures & { worn: Problem | undefined } {
  const failure = signatureOf(problems)
  const same = known?.failure === failure ? known.same + 1 : 1
  const count = (known?.count ?? 0) + 1
  return { count, same, failure, worn: problems.every(({ most }) => same >= most) ? problems[0] : undefined }
}

/** The problems with the output of each, quoted: repositories write it. */
export function describeProblems(problems: readonly Problem[]): string {
  const shown = problems.slice(0, MAX_SHOWN)
  return visible(
    [
      ...shown.flatMap(({ what, output }) => [`\n- ${what}`, ...(output ? [quoted(output)] : [])]),
      ...(problems.length > shown.length ? [`\n- and ${problems.length - shown.length} more`] : []),
    ].join('\n'),
  )
}

const quoted = (output: string): string => {
  const text =
    output.length <= MAX_OUTPUT
      ? output
      : `${output.slice(0, MAX_OUTPUT / 2)}\n…\n${output.slice(-MAX_OUTPUT / 2)}`
  return text.replaceAll(/^/gm, '  > ')
}
