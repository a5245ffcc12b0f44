import type { Check, CheckResult } from '@batonpass/contract/proof'

export type Verdict = { verdict: 'proven' } | { verdict: 'unproven'; why: string }

/** What the results of all checks come to. Proven means that there is a check, and that every check passed. */
export function judgeProof(
  checks: readonly Check[],
  results: readonly CheckResult[],
  setup: CheckResult | undefined,
): Verdict {
  const unproven = (why: string): Verdict => ({ verdict: 'unproven', why })
  if (checks.length === 0) return unproven('no checks')
  if (setup && setup.status !== 'passed') return unproven(`the setup ${setup.why ?? 'failed'}`)
  const missing = checks.find(({ name }) => !results.some(result => result.name === name))
  if (missing) return unproven(`${missing.name} did not run`)
  const order = ['failed', 'timed-out', 'changed', 'flaky', 'not-run'] as const
  for (const status of order) {
    const found = results.filter(result => result.status === status)
    const [first] = found
    if (!first) continue
    if (status === 'not-run') return unproven(first.why ?? `${first.name} did not run`)
    const more = found.length > 1 ? ` and ${found.length - 1} more` : ''
    return unproven(`${first.name}${more} ${first.why ?? status}`)
  }
  return { verdict: 'proven' }
}
