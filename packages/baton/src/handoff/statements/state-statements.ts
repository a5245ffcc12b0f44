import { type Counts, countsIn } from '../../session/transcript/test-report.ts'
import type { Evidence } from '../evidence.ts'

/** A sentence that says one thing about git, the last test run or a variable, and nothing else: evidence answers it as a whole. */
export type StateFact =
  | { of: 'head'; subject: string }
  | { of: 'unfinished'; operations: string[]; is: boolean }
  | { of: 'stash'; is: boolean }
  | { of: 'nothing-pushed' }
  | { of: 'no-remote' }
  | { of: 'failing'; least: number; most: number | undefined }
  | { of: 'counts'; tool: string; counts: Counts; numbers: number[] }
  | { of: 'variable'; name: string; value: string }

/** What the sentence says; undefined if it has no such form, or says anything more. */
export function readState(sentence: string): StateFact | undefined {
  const text = sentence.slice(0, MAX_LENGTH).trim().replace(/[.!]$/, '')
  const subject = HEAD.exec(text)?.[1]
  if (subject !== undefined) return { of: 'head', subject: subject.trim() }
  const operation = UNFINISHED.exec(text)
  if (operation)
    return {
      of: 'unfinished',
      operations: operation[2]?.toLowerCase().match(OPERATION) ?? [],
      is: operation[1]?.toLowerCase() !== 'no',
    }
  const stash = STASH.exec(text)
  if (stash) return { of: 'stash', is: (stash[1] ?? stash[2])?.toLowerCase() !== 'no' }
  if (NOTHING_PUSHED.test(text)) return { of: 'nothing-pushed' }
  if (NO_REMOTE.test(text)) return { of: 'no-remote' }
  return readFailing(text) ?? readVariable(text) ?? readCounts(text)
}

const MAX_LENGTH = 300
const HEAD =
  /^(?:the )?(?:last|latest|newest|most recent|head|top) commit(?: (?:is|was|says|reads))?:? ["“„'`«](.{1,200})["”“'`»]$/i
const OPERATION = /merge|rebase|cherry-pick|revert|bisect/g
const ONE = '(?:an? |the )?(?:merge|rebase|cherry-pick|revert|bisect)'
const UNFINISHED = new RegExp(
  `^(?:there (?:is|are) )?(?:(an?|the|no) )?(?:unfinished )?(${ONE}(?:(?:,|,? or|,? and) ${ONE}){0,4}) (?:(?:is|are) )?(?:still |currently )?(?:in progress|unfinished|under way|pending)$`,
  'i',
)
const STASH =
  /^there (?:is|are) (an?|one|no) (?:git )?stash(?:es)?(?: entry)?$|^(?:(no|some|the) )?changes are stashed$/i
const NOTHING_PUSHED =
  /^(?:nothing (?:was|is|has been)|no commits? (?:was|were|is|are)) pushed(?: (?:yet|so far|anywhere|in this session|to (?:the remote|origin)))*$/i
const NO_REMOTE =
  /^(?:(?:the|this) (?:git )?(?:repository|repo|clone|project) has|there is) no (?:git )?remote(?: configured)?$|^no (?:git )?remote is (?:configured|set(?: up)?)$/i

const AMOUNTS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const FAILING = new RegExp(
  `^(at least |only |exactly )?(${AMOUNTS.join('|')}|\\d{1,4}|an?|some|several) (?:unit |integration |end-to-end )?(?:tests?|specs?|examples?|(?:test )?cases?) (?:(?:is|are) )?(?:still |currently )?(?:red|failing|broken|fails?|failed)$`,
  'i',
)

function readFailing(text: string): StateFact | undefined {
  const [, limit = '', word = ''] = FAILING.exec(text) ?? []
  if (word === '') return undefined
  const at = AMOUNTS.indexOf(word.toLowerCase())
  const amount = at >= 0 ? at : /^\d/.test(word) ? Number(word) : undefined
  const isOpen = amount === undefined || /least/i.test(limit)
  return { of: 'failing', least: amount ?? 1, most: isOpen ? undefined : amount }
}

const VARIABLE =
  /^`?([A-Z][A-Z\d]*(?:_[A-Z\d]+)*)`?(?: (?:is|set|to|now|equals|has|the|value|ist|auf|gesetzt|est|défini|à|está|em|en|vale|es|é|jest|ustawione|na|ayarlı)){1,4} [`"'“]?([^\s`"'”]{1,200})[`"'”]?$/

function readVariable(text: string): StateFact | undefined {
  const [, name = '', value = ''] = VARIABLE.exec(text) ?? []
  return name.length >= 3 && name.includes('_') ? { of: 'variable', name, value } : undefined
}

/** The summary of a test run, as runners print it: "rspec: 18 examples, 1 failure", "0 failures in the last run". */
function readCounts(text: string): StateFact | undefined {
  const [, tool = '', rest = ''] = /^(?:([\p{L}\d][\p{L}\d ./_-]{0,40}): )?(.+)$/u.exec(text) ?? []
  const summary = rest.replace(/ (?:in|on|of) (?:the|its) (?:last|latest|most recent) (?:test )?run$/i, '')
  const counts = countsIn(summary)
  const numbers = (summary.match(/\d+/g) ?? []).map(Number)
  if (!counts || numbers.length === 0 || /\b(?:not|no)\b/i.test(summary)) return undefined
  return { of: 'counts', tool, counts, numbers }
}

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
    case 'nothing-pushed':
      return againstNothingPushed(evidence)
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

const PUSHES =
  /\bgit\b[^;&|]*\bpush\b|\bgh\s+pr\s+create\b|\bglab\s+mr\s+create\b|\bhub\s+(?:push|pull-request)\b/

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
  const { test, facts } = transcript ?? {}
  if (!test) return 'no test run was seen in this session'
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
