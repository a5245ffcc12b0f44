import { type Counts, countsIn } from '../../session/transcript/test-report.ts'
import { absentActionIn, type OutsideAction } from './outside-actions.ts'

/** A sentence that says one thing about git, the last test run or a variable, and nothing else: evidence answers it as a whole. */
export type StateFact =
  | { of: 'head'; subject: string }
  | { of: 'unfinished'; operations: string[]; is: boolean }
  | { of: 'stash'; is: boolean }
  | { of: 'branch'; name: string }
  | { of: 'no-tags' }
  | { of: 'nothing-pushed' }
  | { of: 'no-remote' }
  | { of: 'nothing-outside'; action: OutsideAction }
  | { of: 'failing'; least: number; most: number | undefined }
  | { of: 'counts'; tool: string; counts: Counts; numbers: number[] }
  | { of: 'variable'; name: string; value: string }

/** What the sentence says, clause by clause; nothing if a part of it has no such form. */
export function readStates(sentence: string): StateFact[] {
  const whole = readState(sentence)
  if (whole) return [whole]
  const parts = sentence.slice(0, MAX_LENGTH).split(/,? (?:so|and|but) |[,;] /)
  const facts = parts.flatMap(part => readState(part) ?? [])
  return parts.length > 1 && facts.length === parts.length ? facts : []
}

function readState(sentence: string): StateFact | undefined {
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
  const loose = readOperation(text)
  if (loose) return loose
  const branch = BRANCH.exec(text)?.[1]
  if (branch !== undefined) return { of: 'branch', name: branch }
  if (NO_TAGS.test(text)) return { of: 'no-tags' }
  const stash = STASH.exec(text)
  if (stash) return { of: 'stash', is: !/^(?:no|nothing)$/i.test(stash.slice(1).find(Boolean) ?? '') }
  if (NOTHING_PUSHED.test(text)) return { of: 'nothing-pushed' }
  if (NO_REMOTE.test(text)) return { of: 'no-remote' }
  const action = absentActionIn(text)
  if (action) return { of: 'nothing-outside', action }
  const kept = readStash(text)
  if (kept) return kept
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
  /^there (?:is|are) (an?|one|no) (?:git )?stash(?:es)?(?: entry)?$|^(?:(no|some|the) )?changes are stashed$|^(something|nothing) is (?:still )?(?:stashed|in (?:the|git) stash)$|^(?:the )?(?:working tree|repository|clone) has (no|a) stash$/i
/** The branch that is checked out, when the sentence says nothing else. */
const BRANCH =
  /^(?:still|(?:everything|all work|the work|work|all of this|this) (?:is|happens|happened)|we(?:['’]re| are)|i['’]?m|i am|we work|i work|wir sind|wir arbeiten|estamos|nous sommes|siamo) (?:still |now |currently |noch |immer noch |jetzt )?(?:all )?(?:on|auf|en|sur|su) (?:the )?(?:branch )?`?((?:main|master|trunk|develop)|(?<=`)[\w./-]{2,100}|[\w.-]+\/[\w./-]{1,100})`?$/i
const NO_TAGS =
  /^(?:nobody|no one|none of us) has tagged anything(?: yet)?$|^nothing (?:is|was|has been) tagged(?: yet)?$|^there (?:is|are) no tags?(?: yet)?$|^no tags? (?:exists?|was (?:made|set|created))$/i
const NOTHING_PUSHED =
  /^(?:(?:nothing (?:was|is|has been)|no commits? (?:was|were|is|are)) pushed|(?:i|we) (?:did not push|didn['’]t push|have not pushed|haven['’]t pushed|never pushed) anything)(?: (?:yet|so far|anywhere|in this session|to (?:the remote|origin)))*$/i
const NO_REMOTE =
  /^(?:(?:the|this) (?:git )?(?:repository|repo|clone|project) has|there is) no (?:git )?remote(?: configured)?$|^no (?:git )?remote is (?:configured|set(?: up)?)$/i

/** The word "stash" is git's in every language; what else a short sentence about it says is whether something is in it. */
function readStash(text: string): StateFact | undefined {
  if (!/(?<!\p{L})stash(?:es|ed)?(?!\p{L})/iu.test(text) || text.split(/\s+/).length > 7) return undefined
  if (/\d|[`/]|(?<!\p{L})(?:drop|pop|appl|clear|restor|gelösch|verworf|should|must|soll|muss)/iu.test(text))
    return undefined
  const isEmpty = DENIED.test(text) || EMPTY.test(text)
  return isEmpty || HOLDS.test(text) ? { of: 'stash', is: !isEmpty } : undefined
}
const EMPTY =
  /(?<!\p{L})(?:empty|nothing|leer|nichts|vide|rien|vací[oa]|nada|vazi[oa]|vuot[oa]|niente|boş|puste)(?!\p{L})/iu
const HOLDS =
  /(?<!\p{L})(?:something|etwas|holds?|contains?|liegt|liegen|enthält|contient|quelque chose|hay|algo|contiene|há|contém|qualcosa|var|coś)(?!\p{L})/iu

/** Git's words for these are the same in every language; whether one is unfinished is said in a few ways. */
function readOperation(text: string): StateFact | undefined {
  const operations = text.toLowerCase().match(OPERATION) ?? []
  if (
    operations.length !== 1 ||
    text.split(/\s+/).length > 9 ||
    /\d|(?<!`)\/|commit|(?<=\p{L})(?:merge|rebase|revert)|(?:merge|rebase|revert)\p{L}/iu.test(text)
  )
    return undefined
  const isOpen = IS_OPEN.test(text)
  const isDone = !isOpen && IS_DONE.test(text)
  if (isOpen === isDone) return undefined
  return {
    of: 'unfinished',
    operations: [...operations],
    is: isOpen !== DENIED.test(text.replace(IS_OPEN, ' ')),
  }
}
const IS_OPEN =
  /\b(?:in progress|ongoing|going on|under way|unfinished|half[- ]?(?:done|finished)|not (?:yet )?(?:finished|done|complete)|in the middle of|a medias|sin terminar|por terminar|en curso|em curso|a meio|en cours|pas terminé|in corso|non finito|w toku|nicht (?:fertig|abgeschlossen|beendet)|unfertig|läuft noch|im gange|niet klaar|bezig|devam ediyor|yarım|bitmedi|kesken)(?!\p{L})|途中|進行中|进行中|진행 ?중|未完/iu
const IS_DONE =
  /\b(?:done|finished|complete[d]?|over|resolved|terminad[oa]|acabad[oa]|concluíd[oa]|terminée?|finie?|finit[oa]|fertig|abgeschlossen|beendet|erledigt|zakończon[ya]|klaar|tamamlandı|bitti|valmis)(?!\p{L})|完了|完成|끝났/iu
const DENIED =
  /\b(?:no|not|none|without|nicht|kein(?:e[nrs]?)?|nenhum|não|ningún|aucune?|nessun[oa]?|żaden|geen|yok|değil)(?!\p{L})/iu

const AMOUNTS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const ONE_FAILS =
  /^(?:there (?:is|are) (?:still )?(?:a|one|some) (?:tests?|specs?|cases?) (?:that|which) (?:does not|do not|doesn['’]t|don['’]t) pass(?: yet)?|not (?:everything|all tests|every test) (?:is|are|passes|pass)(?: green)?(?: yet)?|the (?:test )?suite (?:still )?has a (?:red|failing) test|(?:falha|falla|échoue) (?:um|uno|un) (?:dos|de los|des) \d{1,4} test\p{L}*)$/iu
/** A short sentence about one test in a language with other words for it. */
const ONE_IS_RED =
  /^(?:il (?:reste|y a)(?: encore)? un|es gibt (?:noch )?einen?|queda un|hay un|há um|c['’]è un) (?:test|prueba|teste)s? (?:rouge|qui échoue|rot(?:en)?|roten test|rojo|que falla|vermelho|que falha|rosso|che fallisce)(?: (?:dans|in|en|em) \S{1,60})?$/iu
const FAILING = new RegExp(
  `^(at least |only |exactly )?(${AMOUNTS.join('|')}|\\d{1,4}|an?|some|several) (?:unit |integration |end-to-end )?(?:tests?|specs?|examples?|(?:test )?cases?) (?:(?:is|are) )?(?:still |currently )?(?:red|failing|broken|fails?|failed|not (?:yet )?(?:green|passing)|do(?:es)? not pass)(?: yet)?$`,
  'i',
)

function readFailing(text: string): StateFact | undefined {
  if (ONE_FAILS.test(text) || ONE_IS_RED.test(text)) return { of: 'failing', least: 1, most: undefined }
  const [, limit = '', word = ''] = FAILING.exec(text) ?? []
  if (word === '') return undefined
  const amount = amountOf(word)
  const isOpen = amount === undefined || /least/i.test(limit)
  return { of: 'failing', least: amount ?? 1, most: isOpen ? undefined : amount }
}

const VARIABLE =
  /^`?([A-Z][A-Z\d]*(?:_[A-Z\d]+)*)`?(?: (?:is|set|to|now|equals|has|the|value|ist|auf|gesetzt|est|défini|à|está|em|en|vale|es|é|jest|ustawione|na|ayarlı)){1,4} [`"'“]?([^\s`"'”]{1,200})[`"'”]?$/

function readVariable(text: string): StateFact | undefined {
  const [, name = '', value = ''] = VARIABLE.exec(text) ?? []
  return name.length >= 3 && name.includes('_') ? { of: 'variable', name, value } : undefined
}

const PASSING = new RegExp(
  `^(?:([\\p{L}\\d][\\p{L}\\d ./_-]{0,60}?)(?::| [—–-]) )?(\\d{1,4}|${AMOUNTS.join('|')}) of (?:the )?(\\d{1,4}|${AMOUNTS.join('|')}) (?:(?:[\\w-]+ ){0,2}(?:tests?|specs?|cases?) |are |is )?(?:pass(?:es|ed)?|green|ok)$`,
  'iu',
)
function amountOf(word: string): number | undefined {
  const at = AMOUNTS.indexOf(word.toLowerCase())
  return at >= 0 ? at : /^\d+$/.test(word) ? Number(word) : undefined
}

/** The summary of a test run, as runners print it: "rspec: 18 examples, 1 failure", "0 failures in the last run". */
function readCounts(text: string): StateFact | undefined {
  const [, named = '', some = '', all = ''] = PASSING.exec(text) ?? []
  const [passed, total] = [some, all].map(amountOf)
  // Without the name of a run, "all of them" is what the last run of any tests has to show.
  if (passed !== undefined && total !== undefined && (passed < total || (named !== '' && passed === total)))
    return { of: 'counts', tool: named, counts: { passed }, numbers: [passed, total] }
  const [, tool = '', rest = ''] = /^(?:([\p{L}\d][\p{L}\d ./_-]{0,40}): )?(.+)$/u.exec(text) ?? []
  const summary = rest.replace(/ (?:in|on|of) (?:the|its) (?:last|latest|most recent) (?:test )?run$/i, '')
  const counts = countsIn(summary)
  const numbers = (summary.match(/\d+/g) ?? []).map(Number)
  if (!counts || numbers.length === 0 || /\b(?:not|no)\b/i.test(summary)) return undefined
  return { of: 'counts', tool, counts, numbers }
}
