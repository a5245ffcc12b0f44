export interface Passages {
  decisions: string[]
  deadEnds: string[]
  /** What the agent announced as its next step, if it did. */
  next: string | undefined
  other: string[]
}

const MAX_PASSAGE = 600

/** Sorts the passages of an agent's message by what their words show: a choice, an attempt that failed, a plan. */
export function sortPassages(message: string, keepShort = false): Passages {
  const found: Passages = { decisions: [], deadEnds: [], next: undefined, other: [] }
  for (const passage of passagesOf(message)) {
    if (NEXT.test(passage)) found.next = passage
    if (DEAD_END.test(passage)) found.deadEnds.push(passage)
    else if (DECISION.test(passage)) found.decisions.push(passage)
    else if (keepShort || weightOf(passage) >= MIN_OTHER) found.other.push(passage)
  }
  return found
}

const MIN_OTHER = 32

/** Length as a Latin text would have it: a sign of Chinese or Japanese says as much as three letters. */
const weightOf = (text: string): number =>
  text.length +
  2 * (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0)

/** Whether any passage may matter: a quick test before the slow one. */
export const mayDecide = (message: string): boolean => DECISION.test(message) || DEAD_END.test(message)

const DECISION =
  /\b(?:decid(?:e|ed|ing)|decision|chose|chosen|choose|choosing|opt(?:ed|ing)? for|settl(?:e|ed|ing) (?:on|for)|(?:go|going|went) (?:with|for)|instead of|rather than|in favou?r of|prefer(?:red)?|better to|approach|trade-?off|stick(?:ing)? (?:with|to)|let'?s (?:use|keep|go|do|make|put|not)|(?:i|we)(?:'ll| will| am going to|'m going to) (?:use|keep|make|put|leave|store|go|do|treat)|picked|because|design|convention|which is why|therefore|hence|so that|given that)\b|(?:entschieden|entscheid|wähl|gewählt|statt|lieber|bevorzug|nehmen|nehme|bleibe|bleiben bei|setzen auf|Ansatz|Variante|\bit is\.$|\bwins\b|j['’]ai (?:choisi|retenu|opté)|on (?:part|reste) sur|plutôt que|au lieu de|optado|decidid|en vez de|elegid|escogid|ことにし|採用|選択|選びま|決めま|采用|选择|决定|改用|fiquei com|optei|escolhi|ho scelto|salvo\b|gets? (?:cached|stored|split))/iu

const DEAD_END =
  /\b(?:(?:does|did|do|will|would|can|could|is) not (?:work|help|possible|load|fire|apply)|not work(?:ing|s)?|(?:doesn|didn|won|can|couldn|isn)['’]t|dead[ -]end|tried|attempt(?:ed)?|fail(?:s|ed|ing)?|revert(?:ing|ed|s)?|roll(?:ed|ing)? back|back(?:ed|ing)? out|went back|going back|gave up|giving up|abandon(?:ed|ing)?|no effect|impossible|cannot|breaks?|broke|refuses?|another way|different approach|turns? out|not an option|ruled out|discard(?:ed|ing)?|wrong track|(?:my |the )?first (?:idea|attempt|thought|try)|wasted)\b|(?:gescheitert|scheitert|klappt|funktioniert (?:so )?nicht|geht (?:so )?nicht|lässt sich|verwerf|verworfen|rückgängig|zurückgenommen|Sackgasse|Versuch|ohne Wirkung|half nicht|hilft nicht|brachte (?:nichts|gerade)|wieder draußen|\bis out\b|pointless|made no difference|(?:not|no) pursu|parked|clobber|abandon|ne (?:marche|fonctionne) pas|échou|essayé|en vain|probé|no funciona|fall[óa]|descart|intent[ée]|試し|効果がありません|失敗|できません|断念|うまくいき|尝试|试过|失败|不行|无效|耗尽|non (?:si può|funziona|serve)|não (?:serve|funciona)|non-starter|no good\b|took it out|not worth)/iu

const NEXT =
  /\b(?:next(?: up| step)?\b[^.]{0,40}\b(?:i|is|we|:)|next,? i|now only|now i (?:will|need|have)|remaining|left to do|still (?:to do|needs?|missing)|(?:i|we)(?:'ll| will) (?:now|next|then)|todo:)|(?:als nächstes|nächster schritt|jetzt (?:noch|nur)|fehlt noch|nächsten schritt|(?:je vais|ensuite je)|(?:ahora|a continuación|lo siguiente)|次に|接下来|下一步)/iu

/** Paragraphs and list items; a long one is cut at sentences. */
function passagesOf(message: string): string[] {
  return message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,2}[.)])\s)/)
    .flatMap(paragraph => {
      const text = paragraph
        .replaceAll(/\s+/g, ' ')
        .replace(/^\s*(?:[-*+]|\d{1,2}[.)]|#{1,6})\s+/, '')
        .trim()
      return text.length <= MAX_PASSAGE ? text : sentencesIn(text)
    })
    .filter(text => weightOf(text) >= MIN_PASSAGE)
}

/** Shorter words, such as "The tests fail.", carry no reason. */
const MIN_PASSAGE = 16

/** Groups of sentences that are each at most as long as a passage. */
function sentencesIn(text: string): string[] {
  const groups: string[] = []
  for (const sentence of text.split(/(?<=[.!?:])\s+/)) {
    const last = groups.at(-1)
    if (last !== undefined && last.length + sentence.length < MAX_PASSAGE / 2)
      groups[groups.length - 1] = `${last} ${sentence}`
    else groups.push(sentence.slice(0, MAX_PASSAGE))
  }
  return groups
}
