import { type Counts, countsIn } from '../../session/transcript/test-report.ts'

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
