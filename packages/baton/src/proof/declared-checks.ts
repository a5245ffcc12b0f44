import type { Check, CheckDeclaration, CheckSource } from '@batonpass/contract/proof'

/** Turns a `done_when` list into checks with names that are unique. */
export function checksFrom(
  declared: readonly CheckDeclaration[],
  source: CheckSource,
  where: string,
  minutes: number,
): Check[] {
  return uniquelyNamed(
    declared.map(each =>
      checkFrom(typeof each === 'string' ? { run: each, exit: 0 } : each, source, where, minutes),
    ),
  )
}

/** The checks, with a number after each name that another one has. */
export function uniquelyNamed(checks: readonly Check[]): Check[] {
  const taken = new Set<string>()
  return checks.map(check => {
    const name = uniqueName(check.name, taken)
    taken.add(name)
    return { ...check, name }
  })
}

function checkFrom(
  declared: Exclude<CheckDeclaration, string>,
  source: CheckSource,
  where: string,
  minutes: number,
): Check {
  const from = { source, where }
  if ('run' in declared) {
    const { run, exit, output } = declared
    const limit = declared.minutes ?? minutes
    const wanted = output === undefined ? {} : { output }
    return {
      ...from,
      kind: 'run',
      name: declared.name ?? run.slice(0, 80),
      command: run,
      exit,
      minutes: limit,
      ...wanted,
    }
  }
  if ('files' in declared) {
    const { exist = [], changed = [], unchanged = [] } = declared.files
    const words = [
      ...(exist.length > 0 ? [`${exist.join(', ')} exists`] : []),
      ...(changed.length > 0 ? [`${changed.join(', ')} changed`] : []),
      ...(unchanged.length > 0 ? [`${unchanged.join(', ')} unchanged`] : []),
    ]
    return {
      ...from,
      kind: 'files',
      name: declared.name ?? words.join('; ').slice(0, 80),
      exist,
      changed,
      unchanged,
    }
  }
  if ('forge' in declared) {
    const [checks, review] = [declared.forge.checks !== undefined, declared.forge.review !== undefined]
    const name = declared.name ?? (review ? (checks ? 'CI and approval' : 'approval') : 'CI')
    const minutes = declared.minutes ?? (review ? PERSON_MINUTES : FORGE_MINUTES)
    return { ...from, kind: 'forge', name, minutes, checks, review }
  }
  if ('review' in declared) {
    const { review: rubric, agent, model, minutes: limit = minutes } = declared
    const name = declared.name ?? `review: ${rubric.replaceAll(/\s+/g, ' ').trim()}`.slice(0, 80)
    const by = { ...(agent ? { agent } : {}), ...(model ? { model } : {}) }
    return { ...from, kind: 'review', name, rubric, minutes: limit, ...by }
  }
  if ('person' in declared) {
    const { person: question, name = question.slice(0, 80) } = declared
    return { ...from, kind: 'person', name, question, minutes: declared.minutes ?? PERSON_MINUTES }
  }
  const { max_lines: maxLines, only = [], tests } = declared.diff
  const words = [
    ...(maxLines === undefined ? [] : [`at most ${maxLines} changed lines`]),
    ...(only.length > 0 ? [`only ${only.join(', ')}`] : []),
    ...(tests ? [KEPT_TESTS] : []),
  ]
  const limits = {
    only,
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(tests ? { keepsTests: true } : {}),
  }
  return { ...from, kind: 'diff', name: declared.name ?? words.join('; ').slice(0, 80), ...limits }
}

/** How long Baton waits for CI, and for a person, by default. */
const FORGE_MINUTES = 60
const PERSON_MINUTES = 24 * 60

const KEPT_TESTS = 'no test weakened'

/** Work is measured by tests only if it left them as strong as they were: adds that check to those that run something, here or in CI. */
export function withKeptTests(checks: readonly Check[]): Check[] {
  const isMeasured = checks.some(({ kind }) => ['run', 'forge', 'review', 'task'].includes(kind))
  const isKept = checks.some(check => check.kind === 'diff' && check.keepsTests)
  if (!isMeasured || isKept) return [...checks]
  const where = 'the tests before the work'
  return [...checks, { kind: 'diff', name: KEPT_TESTS, source: 'derived', where, only: [], keepsTests: true }]
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  let number = 2
  while (taken.has(`${name} (${number})`)) number += 1
  return `${name} (${number})`
}
