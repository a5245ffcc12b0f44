import { contentWords } from '../supersession.ts'
import { isDryRun } from './session-commands.ts'

/** Words that say who speaks or how, not what about. */
const FRAME = new Set(
  [
    'user said says ask asked asks want wants wanted told confirmed approved agreed prefer prefers preferred request requested require requires decided decision instructed allowed may might explicitly',
    'person customer client owner maintainer reviewer decide chose chosen choose picked settled because since reason keep kept going went approach better',
    'kullanıcı istiyor istemiyor istedi söyledi utilizador usuário usuario quer quiere pidió pediu utilisateur veut demande utente vuole użytkownik chce gebruiker wil',
    'nutzer benutzer anwender sagte gesagt möchte will wollte bat bestätigt entschieden weil wir ich',
  ]
    .join(' ')
    .split(' ')
    .map(word => word.slice(0, 6)),
)

/** How much of a statement one text must hold. A decision may be put into other words; what the user said is closer. */
const ENOUGH = { user: 0.6, decision: 0.5, run: 1, all: 1, failure: 0.6 } as const

/** What is said of a command that went well, next to its own words. */
const WENT_WELL = new Set(
  'ran run runs running passed passes pass succeeded successful successfully clean green fine ok okay check checks checked checker linted lint linter type types typed executed without no any nothing found findings finding complaints complaint warnings warning errors error problems problem issues issue reported reports fix complete completed finished lief läuft durch ausgeführt gestartet geprüft fehlerfrei ohne fehler warnungen keine lancé lancée exécuté rien trouvé erreur aucune ejecutado sin errores executado sem erros'
    .split(' ')
    .map(word => word.slice(0, 6)),
)

const WENT_WRONG = new Set(
  'test tests spec case still fails fail failed failing failure red broken rot noch immer schlägt fehl fehlgeschlagen échoue échouent rouge toujours encore falla sigue rojo falha ainda vermelho'
    .split(' ')
    .map(word => word.slice(0, 6)),
)

/** Texts that may support a statement. */
export class Sayings {
  readonly #texts: readonly string[]
  #words: readonly ReadonlySet<string>[] | undefined

  constructor(texts: readonly string[]) {
    this.#texts = texts
  }

  /** Whether these texts say it more exactly than the others: as much of it, and no other amount. */
  isCloser(statement: string, others: Sayings): boolean {
    const amounts = amountsIn(statement)
    if (amounts.length === 0) return false
    const wanted = new Set(amounts)
    const exact = (text: string) => amountsIn(text).every(each => wanted.has(each))
    const here = this.#supporting(statement)
    return here.some(exact) && !others.#supporting(statement).some(exact)
  }

  /** Whether one of these texts holds more of the statement's words than each of the others does. */
  saysMore(statement: string, others: Sayings): boolean {
    const most = (texts: readonly string[]) => Math.max(0, ...texts.map(text => shareOf(statement, text)))
    return (
      this.#texts.length > 0 &&
      most(this.#texts) > most(others.#texts.filter(text => !this.#texts.includes(text)))
    )
  }

  /** Whether the statement puts one thing before another, and a text puts them the other way round. */
  preferOther(statement: string): boolean {
    const stated = preferencesIn(statement)
    return stated.some(([wanted, other]) =>
      this.#texts.some(text =>
        preferencesIn(text).some(([first, second]) => first === other && second === wanted),
      ),
    )
  }

  #supporting(statement: string): string[] {
    return this.#texts.filter(text => new Sayings([text]).support(statement, 'user'))
  }

  /** Whether one of the texts speaks of the same things: most words that carry meaning are in it. */
  support(statement: string, kind: keyof typeof ENOUGH): boolean {
    const frame = kind === 'run' ? WENT_WELL : kind === 'failure' ? WENT_WRONG : FRAME
    const words = [...contentWords(statement)].filter(word => !frame.has(word))
    if ((kind === 'run' || kind === 'failure') && words.length === 0) return false
    if (words.length === 0 || this.#texts.some(text => text.includes(statement))) return true
    const isDry = isDryRun(statement) || /dry[- ]run/i.test(statement)
    this.#words ??= this.#texts.map(contentWords)
    const amounts = kind === 'decision' ? [] : amountsIn(statement)
    const names = kind === 'user' ? namesIn(statement) : []
    return this.#words.some(
      (known, i) =>
        words.filter(word => known.has(word)).length / words.length >= ENOUGH[kind] &&
        names.every(name => known.has(name)) &&
        (isDry || !isDryRun(this.#texts[i] ?? '')) &&
        (amounts.length === 0 || holdsAll(this.#texts[i] ?? '', amounts)),
    )
  }
}

/** The one name in a statement: what is said of something else does not support it. German writes all nouns like names. */
function namesIn(statement: string): string[] {
  if (/(?<!\p{L})(?:der|die|das|dem|den|und|ist|nicht|wir|ein)(?!\p{L})/iu.test(statement)) return []
  const names = [...statement.matchAll(/(?<=\p{L}[,’'"]?\s)\p{Lu}\p{Ll}{3,40}(?!\p{L})/gu)].map(
    ([name]) => name,
  )
  const [word] = names.length === 1 ? contentWords(names[0] ?? '') : []
  return word === undefined || FRAME.has(word) ? [] : [word]
}

/** The same words with another amount say something else. */
const amountsIn = (text: string): string[] => [
  ...(text.match(/\d+/g) ?? []),
  ...(text.toLowerCase().match(NUMBER_WORD) ?? []).map(word => String(NUMBERS.get(word))),
]
/** Numbers in words. "One" is also an article in many languages. */
const NUMBERS = new Map(
  [
    'two deux zwei dos dois due iki 2',
    'three trois drei tres três tre üç 3',
    'four quatre vier cuatro quatro quattro dört 4',
    'five cinq fünf cinco cinque beş 5',
    'six sechs seis sei altı 6',
    'seven sept sieben siete sete sette yedi 7',
    'eight huit acht ocho oito otto sekiz 8',
    'nine neuf neun nueve nove dokuz 9',
    'ten dix zehn diez dez dieci on 10',
    'eleven onze elf once undici 11',
    'twelve douze zwölf doce doze dodici 12',
    'fifteen quinze fünfzehn 15',
    'twenty vingt zwanzig veinte vinte venti 20',
    'thirty trente dreißig treinta trinta trenta 30',
    'fifty cinquante fünfzig cincuenta cinquenta 50',
    'hundred cent hundert cien cem cento 100',
  ].flatMap(row => {
    const words = row.split(' ')
    const amount = Number(words.at(-1))
    // A word that means something else in English or German.
    return words
      .slice(0, -1)
      .flatMap((word): [string, number][] =>
        /^(?:on|elf|once|dos|due|sei)$/.test(word) ? [] : [[word, amount]],
      )
  }),
)
const NUMBER_WORD = new RegExp(`(?<![\\p{L}\\d-])(?:${[...NUMBERS.keys()].join('|')})(?![\\p{L}\\d-])`, 'gu')

/** How much of the statement the text holds, from 0 to 1. */
function shareOf(statement: string, text: string): number {
  const words = [...contentWords(statement)].filter(word => !FRAME.has(word))
  const known = contentWords(text)
  return words.length === 0 ? 0 : words.filter(word => known.has(word)).length / words.length
}

/** "use uv, not pip", "uv over pip", "uv instead of pip": what is put first, and before what. */
const preferencesIn = (text: string): [string, string][] =>
  [...text.toLowerCase().matchAll(PREFERENCE)].map(([, first = '', second = '']) => [first, second])
const PREFERENCE =
  /([\p{L}\d_.+-]{1,40}[\p{L}\d_+]),?\s(?:and\s|und\s|et\s|y\s|e\s)?(?:not|nicht|pas|no|não|non|over|instead of|rather than|statt|anstatt|plutôt que|au lieu de|au lieu d|en vez de|em vez de|invece di)\s([\p{L}\d_.+-]{1,40}[\p{L}\d_+])/gu

/** Whether two descriptions name the same work: most words of each are in the other, in whatever form and order. */
export function isSameWork(said: string, todo: string): boolean {
  const [a, b] = [said, todo].map(text => [...contentWords(text)].filter(word => !FRAME.has(word)))
  if (!a || !b || a.length < 2 || b.length < 2) return false
  const isSame = (one: string, other: string) =>
    one === other ||
    (Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one)))
  const share = (from: readonly string[], to: readonly string[]) =>
    from.filter(word => to.some(other => isSame(word, other))).length / from.length
  return share(a, b) >= SAME_WORK && share(b, a) >= SAME_WORK
}
const SAME_WORK = 0.74

function holdsAll(text: string, amounts: readonly string[]): boolean {
  const known = new Set(amountsIn(text))
  return amounts.every(amount => known.has(amount))
}
