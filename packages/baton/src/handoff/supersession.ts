/** The instructions in force, and those that a later one replaced. */
export interface InForce {
  inForce: string[]
  replaced: string[]
  /** For each replaced instruction the one that replaced it. */
  replacedBy: ReadonlyMap<string, string>
}

/**
 * Finds instructions that a later one replaces: it says so ("actually", "instead", "no longer") and speaks of the same things, or
 * it is the same sentence with another value.
 */
export function findReplaced(instructions: readonly string[]): InForce {
  const gone = new Map<number, number>()
  for (const [later, text] of instructions.entries()) {
    const cue = CUE.test(text) && !ADDS.test(text)
    const words = cue ? contentWords(text) : new Set<string>()
    let best: { at: number; score: number } | undefined
    for (let at = 0; at < later; at++) {
      const earlier = instructions[at] ?? ''
      if (gone.has(at) || earlier.length > MAX_LENGTH) continue
      if (isSameFrame(earlier, text)) gone.set(at, later)
      else if (cue) {
        const score = overlap(contentWords(earlier), words)
        if (score >= MIN_OVERLAP && score >= (best?.score ?? 0)) best = { at, score }
      }
    }
    if (best) gone.set(best.at, later)
  }
  const inForce = instructions.filter((_, at) => !gone.has(at))
  const replacedBy = new Map(Array.from(gone, ([at, by]) => [instructions[at] ?? '', instructions[by] ?? '']))
  return { inForce, replaced: instructions.filter((_, at) => gone.has(at)), replacedBy }
}

/** A long text is a specification: a later remark changes a part of it, not all of it. */
const MAX_LENGTH = 400
const MIN_OVERLAP = 0.33
const ADDS = /\b(?:also|additionally|in addition|as well|too|auch|zusätzlich|außerdem)\b/iu

const CUE =
  /\b(?:actually|instead|no longer|not any ?more|forget|scratch that|change of plan|changed my mind|never ?mind|ignore (?:what|that|my|the)|on second thought|rather|correction|drop (?:the|that)|revert that|undo that|stop (?:using|doing)|switch(?:ing)? to|from now on|now (?:use|called|named)|replace[sd]?|wrong,|sorry,|i meant|make that|different(?:ly)?|is now|are now|has to be .* now|must now|should now)\b|(?:\bdoch\b|stattdessen|\bstatt\b|vergiss|nicht mehr|lieber|planänderung|korrektur|ab jetzt|ab sofort|anders|verwirf|geändert|umentschieden|\bsondern\b)/iu

/** The same words in the same order, except for numbers and quoted or code-like values. */
function isSameFrame(a: string, b: string): boolean {
  if (a === b || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return false
  const [frameA, frameB] = [frameOf(a), frameOf(b)]
  return frameA.values > 0 && frameA.text === frameB.text && frameA.text.split(' ').length >= 3
}

function frameOf(text: string): { text: string; values: number } {
  let values = 0
  const frame = text
    .toLowerCase()
    .replaceAll(/\b\d+(?:[.,:]\d+)*\s?(?:ms|s|kb|mb|gb|%|px)?\b/g, () => {
      values++
      return '#'
    })
    .replaceAll(/[^\p{L}\p{N}#]+/gu, ' ')
    .trim()
  return { text: frame, values }
}

function overlap(earlier: ReadonlySet<string>, later: ReadonlySet<string>): number {
  if (earlier.size === 0 || later.size === 0) return 0
  let shared = 0
  for (const word of earlier) if (later.has(word)) shared++
  return shared / Math.min(earlier.size, later.size)
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  'the a an and or of to in on for with at by from is are be it its this that these those i we you my our use using please must should will can do not no as than then so if all any each into only also now actually instead rather der die das den dem des ein eine einen einem einer und oder von zu im in auf für mit bei aus ist sind sein es dies diese ich wir du mein unser nutze nimm bitte muss soll wird kann nicht kein keine als dann so wenn alle nur auch jetzt doch lieber statt'.split(
    ' ',
  ),
)

/** The words that carry meaning, shortened so that forms of one word are equal. */
export function contentWords(text: string): Set<string> {
  const words =
    text
      .replace(CUE, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  return new Set(words.filter(word => !STOP_WORDS.has(word)).map(word => word.slice(0, 6)))
}
