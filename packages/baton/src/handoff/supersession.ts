import { withoutAnswerNote } from './journal-answers.ts'
import { wordsIn } from './words.ts'

/** The instructions in force, and those that a later one replaced. */
export interface InForce {
  inForce: string[]
  replaced: string[]
  /** For each replaced instruction the one that replaced it. */
  replacedBy: ReadonlyMap<string, string>
}

/**
 * Finds instructions that a later one replaces. It says so ("actually", "instead", "no longer") and speaks of the same things; or one
 * of its clauses says the same with another amount; or one of its clauses denies the earlier one.
 */
export function findReplaced(instructions: readonly string[]): InForce {
  const gone = new Map<number, number>()
  const read = instructions.map(readInstruction)
  for (const [later, text] of read.entries()) {
    let best: { at: number; score: number } | undefined
    for (let at = 0; at < later; at++) {
      const earlier = read[at]
      if (!earlier || gone.has(at) || earlier.text.length > MAX_LENGTH) continue
      if (hasOtherAmount(earlier, text) || isDenied(earlier, text)) gone.set(at, later)
      else if (text.cue) {
        const score = overlap(earlier.words, text.words)
        if (score >= MIN_OVERLAP && score >= (best?.score ?? 0)) best = { at, score }
      }
    }
    if (best) gone.set(best.at, later)
  }
  const inForce = instructions.filter((_, at) => !gone.has(at))
  const replacedBy = new Map(Array.from(gone, ([at, by]) => [instructions[at] ?? '', instructions[by] ?? '']))
  return { inForce, replaced: instructions.filter((_, at) => gone.has(at)), replacedBy }
}

/**
 * Instructions in force of which a later one speaks again: the same subject, and another amount, name or direction, or nearly the
 * same words. No word has to say that the user changed their mind. Whether it replaces the earlier one or only adds to it, Baton
 * cannot tell, so both stay, and the later one counts where they differ. Maps the earlier to the later one.
 */
function findContested(instructions: readonly string[]): Map<string, string> {
  const read = instructions.map(text => ({ text, subject: readSubject(text) }))
  const uses = new Map<string, number>()
  for (const { subject } of read) for (const word of subject.words) uses.set(word, (uses.get(word) ?? 0) + 1)
  const isRare = (word: string) => (uses.get(word) ?? 0) <= Math.max(3, read.length / 8)
  const contested = new Map<string, string>()
  for (const [at, earlier] of read.entries())
    for (const later of read.slice(at + 1))
      if (speaksAgain(earlier.subject, later.subject, isRare)) contested.set(earlier.text, later.text)
  return contested
}

/** What to write behind an instruction that a later one speaks of again; nothing for the others. */
export function contestedNotes(instructions: readonly string[]): (text: string) => string {
  const contested = findContested(instructions)
  return text => {
    const later = contested.get(text)?.replaceAll(/\s+/g, ' ')
    if (later === undefined) return ''
    return ` (earlier: where it differs from “${later.length > 80 ? `${later.slice(0, 80)}…` : later}”, that one counts)`
  }
}

interface Subject {
  words: ReadonlySet<string>
  amounts: readonly string[]
  names: readonly string[]
  denied: boolean
  changes: boolean
}

function readSubject(whole: string): Subject {
  const text = withoutAnswerNote(whole).slice(0, MAX_LENGTH)
  const names = [...text.matchAll(PROPER)].map(([name]) => name.toLowerCase())
  return {
    words: whole.length > MAX_LENGTH ? new Set() : topicWords(text.replaceAll(AMOUNT, ' ')),
    amounts: [...text.matchAll(AMOUNT)].map(([amount]) => amount.toLowerCase()),
    names,
    denied: NOT.test(text),
    changes: CUE.test(text),
  }
}

/** Names inside a sentence: a path, an identifier, a word with a capital that does not begin the sentence. */
const PROPER =
  /[\w@.-]*[\w@][/\\@_][\w@./-]*|`[^`\n]{1,80}`|(?<=[\p{L},] )\p{Lu}[\p{L}\d-]+|\w+[-.]\w[\w.-]*/gu

function speaksAgain(earlier: Subject, later: Subject, isRare: (word: string) => boolean): boolean {
  const shared = [...earlier.words].filter(word => later.words.has(word))
  if (shared.length === 0 || !shared.some(isRare)) return false
  const part = shared.length / Math.min(earlier.words.size, later.words.size)
  const whole = shared.length / earlier.words.size
  const differ = (a: readonly string[], b: readonly string[]) =>
    a.length > 0 && b.length > 0 && b.some(one => !a.includes(one))
  if (differ(earlier.amounts, later.amounts) && part >= 0.3) return true
  if (earlier.denied !== later.denied && part >= 0.3) return true
  if (later.changes && part >= 0.2) return true
  if (differ(earlier.names, later.names) && part >= 0.5) return true
  return whole >= 0.6 && shared.length >= 2
}

/** A long text is a specification: a later remark changes a part of it, not all of it. */
const MAX_LENGTH = 400
const MIN_OVERLAP = 0.33
const ADDS =
  /\b(?:also|additionally|in addition|as well|too[.,]?$|auch|zusätzlich|außerdem|aussi|también|además)\b/imu

/** Words by which people change their minds. Scripts without word boundaries come last. */
const CUE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${[
    'actually|instead|no longer|no more|not any ?more|forget|scratch|scrap|ditch|change of plan|nevermind|never mind|after all',
    'chang(?:ed?|ing) (?:my|our|your|their|his|her|its) minds?|on (?:second thought|reflection)|thinking about it|come to think|having thought',
    'ignore (?:what|that|my|the)|rather|correction|corrected|drop (?:the|that)|revert that|undo that|stop (?:using|doing)|switch(?:ing)? to',
    'from (?:now|here) on|going forward|now (?:use|called|named)|replace[sd]?|wrong[,.:]|sorry,|my bad|my mistake|misread|i meant|make that',
    'different(?:ly)?|is now|are now|has to be .{1,60} now|must now|should now|is history|obsolete|outdated|superseded|hold on|wait,',
    'doch|stattdessen|statt|vergiss|nicht mehr|lieber|planänderung|korrektur|ab jetzt|ab sofort|anders|verwirf|geändert|umentschieden|sondern|vergessen wir|hat sich erledigt|hinfällig|nun doch',
    'finalement|plutôt|en fait|au lieu|oublie[zr]?|laisse(?:z)? tomber|changement|désormais|à la place|ne \\S+ plus',
    'mejor|en vez|en lugar|ya no|olvida(?:lo|te)?|cambio de planes?|en realidad|al final|a partir de ahora',
    'invece|anzi|piuttosto|na verdade|em vez|ao invés|já não|toch|in plaats|niet meer',
  ].join(
    '|',
  )})(?![\\p{L}\\p{N}])|やはり|やっぱり|変更|取り消|代わり|ではなく|じゃなく|今後は|改为|改成|换成|不再|而不是|대신|변경|вместо|больше не|передумал`,
  'iu',
)

interface Instruction {
  text: string
  cue: boolean
  words: ReadonlySet<string>
  clauses: readonly Clause[]
}

interface Clause {
  /** Words that carry meaning, without amounts. */
  words: ReadonlySet<string>
  amounts: readonly string[]
  denied: boolean
}

function readInstruction(text: string): Instruction {
  const short = text.length <= MAX_LENGTH
  return {
    text,
    cue: CUE.test(text) && !ADDS.test(text),
    words: new Set([...contentWords(text)].filter(word => !GENERIC.has(word))),
    // The question is not part of what the user wants.
    clauses: short ? clausesOf(withoutAnswerNote(text)) : [],
  }
}

/** Clauses end at punctuation before a blank, and at the punctuation of scripts without blanks. */
const clausesOf = (text: string): Clause[] =>
  text
    .split(/[.!?;:,–—]+(?:\s+|$)|\s+[–—-]\s+|[。！？、；]|\n+/u)
    .map(clause => {
      const amounts = [...clause.matchAll(AMOUNT)].map(([found]) => found.toLowerCase())
      const words = topicWords(clause.replaceAll(AMOUNT, ' '))
      return { words, amounts, denied: NOT.test(clause) }
    })
    .filter(({ words, amounts }) => words.size + amounts.length > 0)

/** A number that says how much or which version, not which issue: "fix issue 12" and "fix issue 13" are two tasks. */
const AMOUNT =
  /(?<![\p{L}\p{N}#/._-])(?<!\b(?:issue|issues|ticket|bug|pr|task|step|line|question|chapter|part|nr|no|number|aufgabe|schritt|zeile)\.? )\d[\p{L}\p{N}.,:-]*(?:\s?(?:ms|s|sec|seconds?|minutes?|min|hours?|h|days?|kb|mb|gb|%|px|rows?|times?))?(?![\p{L}\p{N}])|[一二三四五六七八九十百千万两]{1,8}(?=[件個个回分秒日天人行枚つ時时年月周台本度次份名条页倍元円])|(?<![\p{L}\p{N}])(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred|once|twice|thrice|hourly|daily|weekly|monthly|yearly|ein(?:e[nrs]?|mal)?|zwei(?:mal)?|drei(?:mal)?|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|stündlich|täglich|wöchentlich|monatlich|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|vingt|quotidien|uno|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|diario|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|uma?|dois|duas|três|quatro|sete|oito|dez|diári[oa])(?![\p{L}\p{N}])/giu
const NOT =
  /(?<!\p{L})(?:no|not|never|none|without|don['’]?t|doesn['’]t|nicht|nie|kein(?:e[nrms]?)?|ohne|pas|jamais|sans|nunca|jamás|sin|non|mai|não|niet|geen)(?!\p{L})|ない|ません|не /iu

/** The same clause with other amounts. Words of one clause may be missing in the other, but both may not differ. */
function hasOtherAmount(earlier: Instruction, later: Instruction): boolean {
  if (earlier.text === later.text || earlier.clauses.length !== 1) return false
  const [old] = earlier.clauses
  if (!old || old.amounts.length === 0) return false
  return later.clauses.some(clause => {
    if (clause.amounts.length === 0 || clause.denied !== old.denied) return false
    if (clause.amounts.every(amount => old.amounts.includes(amount))) return false
    const shared = count(old.words, clause.words)
    const [fewer, more] = [old.words.size, clause.words.size].toSorted((a, b) => a - b)
    return shared > 0 && shared === fewer && (shared === more || shared >= 2)
  })
}

/** A clause that denies what the earlier instruction wants, in nearly the same words. */
function isDenied(earlier: Instruction, later: Instruction): boolean {
  if (earlier.clauses.length !== 1 || later.clauses.length === 0) return false
  const [old] = earlier.clauses
  if (!old || old.denied || old.words.size === 0) return false
  const denies = later.clauses.some(({ denied }) => denied)
  if (!denies) return false
  return later.clauses.some(clause => {
    const shared = count(old.words, clause.words)
    // The denied clause itself; or one that repeats the whole of the earlier words, amounts included, next to a denied one.
    const same = shared / old.words.size >= MOST && shared >= Math.min(2, clause.words.size)
    if (clause.denied) return same && (shared >= 2 || clause.words.size === shared)
    return same && old.amounts.length > 0 && old.amounts.every(amount => clause.amounts.includes(amount))
  })
}
const MOST = 0.66

const count = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared
}

function overlap(earlier: ReadonlySet<string>, later: ReadonlySet<string>): number {
  return earlier.size === 0 || later.size === 0
    ? 0
    : count(earlier, later) / Math.min(earlier.size, later.size)
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  'the a an and or of to in on for with at by from under below above here there them is are be it its this that these those i we you my our use using please must should will can do not no as than then so if all any each into only also now actually instead rather der die das den dem des ein eine einen einem einer und oder von zu im in auf für mit bei aus ist sind sein es dies diese ich wir du mein unser nutze nimm bitte muss soll wird kann nicht kein keine als dann so wenn alle nur auch jetzt doch lieber statt le la les un une des du de et ou pour avec dans sur est sont il elle on nous je ne pas el los las una y o para con en es son que se al del lo no'.split(
    ' ',
  ),
)
/** Verbs that say that something is to be done, not what. */
const GENERIC: ReadonlySet<string> = new Set(
  'set make put keep write run add store take let get have has want need goes go mach setze stelle schreibe lege behalte mets fais garde utilise pon haz usa'
    .split(' ')
    .map(word => word.slice(0, 6)),
)

/** The words that carry meaning, shortened so that forms of one word are equal. */
export function contentWords(text: string): Set<string> {
  return new Set(
    wordsIn(text.replace(CUE, ' '))
      .filter(word => !STOP_WORDS.has(word))
      .map(word => word.slice(0, 6)),
  )
}

/** As `contentWords`, but a path or an address is one word: rules for two files are two rules. */
function topicWords(text: string): Set<string> {
  const names = text.match(NAME) ?? []
  const words = [...contentWords(text.replaceAll(NAME, ' '))].filter(word => !GENERIC.has(word))
  return new Set([...names.map(name => name.toLowerCase()), ...words])
}
const NAME = /[\w@.-]*[\w@][/\\@][\w@./-]*\w|\w+(?:\.\w+)*\.[a-z]{1,5}\b/gu
