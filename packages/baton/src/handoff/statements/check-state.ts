import type { TestSeen, TranscriptFacts } from '../../session/transcript/collect-facts.ts'
import type { Evidence } from '../evidence.ts'
import { changesOutside, LEAVES, PUSH } from './session-commands.ts'
import type { StateFact } from './state-statements.ts'

/** Why the evidence does not show it; undefined if it does. `environment`: what commands set up, oldest first. */
export function reasonAgainstState(
  fact: StateFact,
  evidence: Evidence,
  environment: readonly string[],
): string | undefined {
  const { git, lookedUp } = evidence
  switch (fact.of) {
    case 'head':
      if (lookedUp?.subject === undefined) return NOTHING_SHOWS
      return lookedUp.subject === fact.subject ? undefined : 'the last commit has another subject'
    case 'unfinished': {
      if (!git) return NOTHING_SHOWS
      const isNow = (name: string) => git.state?.some(text => text.startsWith(`A ${name} is in progress`))
      const wrong = fact.operations.find(name => Boolean(isNow(name)) !== fact.is)
      return wrong === undefined
        ? undefined
        : fact.is
          ? `no ${wrong} is in progress`
          : `a ${wrong} is in progress`
    }
    case 'stash': {
      if (!git) return NOTHING_SHOWS
      const has = git.state?.some(text => text.startsWith('git stash holds ')) === true
      return has === fact.is ? undefined : has ? 'git stash holds changes' : 'git stash holds nothing'
    }
    case 'branch':
      if (!git) return NOTHING_SHOWS
      return git.branch === fact.name || git.rebased === fact.name
        ? undefined
        : `the branch is \`${git.branch ?? 'none (detached HEAD)'}\``
    case 'no-tags':
      if (!lookedUp?.tags) return NOTHING_SHOWS
      return lookedUp.tags.length === 0 ? undefined : `there is a tag, ${lookedUp.tags[0]}`
    case 'nothing-pushed':
      return againstNothingPushed(evidence)
    case 'nothing-outside': {
      const { transcript, pr } = evidence
      if (!transcript) return NOTHING_SHOWS
      if (fact.action === 'pull request' && pr !== undefined) return `there is a pull request, ${pr}`
      const ran = [...transcript.outcomes.values()].filter(({ failed }) => failed !== true)
      const change = ran.find(({ command }) => changesOutside(command, fact.action))
      if (change) return `\`${change.command.slice(0, 100)}\` was run in this session`
      return ran.some(({ command }) => LEAVES[fact.action].test(command)) ? NOTHING_SHOWS : undefined
    }
    case 'no-remote':
      if (!lookedUp?.remotes) return NOTHING_SHOWS
      return lookedUp.remotes.length === 0 ? undefined : `there is a remote, ${lookedUp.remotes[0]}`
    case 'failing':
    case 'counts':
      return againstTestRun(fact, evidence)
    case 'variable': {
      const value = environment.flatMap(text => assignedIn(text, fact.name)).at(-1)
      if (value === undefined) return NOTHING_SHOWS
      return value === fact.value ? undefined : `the session set \`${fact.name}\` to something else`
    }
  }
}

export const NOTHING_SHOWS = 'nothing in the session shows this'

const assignedIn = (text: string, name: string): string[] =>
  [
    ...text.matchAll(
      /(?<![\w-])([A-Z][A-Z\d_]{2,80})=(?:"([^"\n]{0,200})"|'([^'\n]{0,200})'|([^\s"'`;&|]{1,200}))/g,
    ),
  ]
    .filter(found => found[1] === name)
    .map(([, , double, single, bare]) => double ?? single ?? bare ?? '')

const PUSHES = new RegExp(
  `${PUSH.source}|\\bgh\\s+pr\\s+create\\b|\\bglab\\s+mr\\s+create\\b|\\bhub\\s+(?:push|pull-request)\\b`,
)

function againstNothingPushed({ git, commits, transcript }: Evidence): string | undefined {
  if (!transcript) return 'no transcript shows what was pushed'
  for (const { command, failed } of transcript.outcomes.values())
    if (failed !== true && PUSHES.test(command)) return `\`${command.slice(0, 100)}\` was run in this session`
  return git?.ahead === 0 && commits.length > 0 ? 'the commits of this session are on the remote' : undefined
}

function againstTestRun(
  fact: Extract<StateFact, { of: 'failing' | 'counts' }>,
  { transcript }: Evidence,
): string | undefined {
  const { test, stillFailing = [] } = transcript ?? {}
  if (!test || !transcript) return 'no test run was seen in this session'
  const [failed] = stillFailing
  if (failed && fact.of === 'failing' && fact.most === 0)
    return `the last run of \`${failed.command.slice(0, 100)}\` failed`
  const reasons = [test, ...stillFailing].map(run => againstRun(fact, run, transcript))
  return reasons.includes(undefined) ? undefined : reasons[0]
}

function againstRun(
  fact: Extract<StateFact, { of: 'failing' | 'counts' }>,
  test: TestSeen,
  { facts }: TranscriptFacts,
): string | undefined {
  const ended = `the last run of \`${test.command.slice(0, 100)}\` ${test.passed ? 'passed' : 'failed'}`
  const named = facts?.failing?.length ?? 0
  const isPass = fact.of === 'failing' ? fact.most === 0 : isAllPassed(fact)
  if (isPass !== test.passed) return ended
  const failing = test.failing ?? (named > 0 ? named : undefined)
  if (fact.of === 'failing') {
    const { least, most } = fact
    if (test.failing === undefined) return most !== undefined && named > most ? ended : undefined
    return test.failing >= least && test.failing <= (most ?? test.failing)
      ? undefined
      : `${ended}: ${failing} failing`
  }
  const { tool, counts, numbers } = fact
  const command = test.command.toLowerCase()
  if (
    !tool
      .toLowerCase()
      .split(' ')
      .every(word => command.includes(word))
  )
    return ended
  if (counts.failed !== undefined && counts.failed !== (failing ?? (test.passed ? 0 : undefined)))
    return failing === undefined ? NOTHING_SHOWS : `${ended}: ${failing} failing`
  if (counts.passed !== undefined && test.passing !== undefined && counts.passed !== test.passing)
    return `${ended}: ${test.passing} passing`
  const all = test.passing === undefined ? 0 : test.passing + (failing ?? 0)
  const known = new Set([...(test.numbers ?? []), failing ?? 0, all])
  const total = (counts.passed ?? 0) + (counts.failed ?? 0)
  if (counts.passed !== undefined && test.passing === undefined && !known.has(total)) return NOTHING_SHOWS
  const others = numbers.filter(number => number !== counts.passed && number !== counts.failed)
  return others.every(number => known.has(number)) ? undefined : NOTHING_SHOWS
}

/** "0 failed", "5 of 5 ok". */
const isAllPassed = ({ counts, numbers }: Extract<StateFact, { of: 'counts' }>): boolean =>
  counts.failed === undefined ? counts.passed === Math.max(...numbers) : counts.failed === 0
