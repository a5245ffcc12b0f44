import { contentWords } from '../supersession.ts'

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
const ENOUGH = { user: 0.6, decision: 0.5 } as const

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

  #supporting(statement: string): string[] {
    return this.#texts.filter(text => new Sayings([text]).support(statement, 'user'))
  }

  /** Whether one of the texts speaks of the same things: most words that carry meaning are in it. */
  support(statement: string, kind: keyof typeof ENOUGH): boolean {
    const words = [...contentWords(statement)].filter(word => !FRAME.has(word))
    if (words.length === 0 || this.#texts.some(text => text.includes(statement))) return true
    this.#words ??= this.#texts.map(contentWords)
    const amounts = kind === 'user' ? amountsIn(statement) : []
    const names = kind === 'user' ? namesIn(statement) : []
    return this.#words.some(
      (known, i) =>
        words.filter(word => known.has(word)).length / words.length >= ENOUGH[kind] &&
        names.every(name => known.has(name)) &&
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
const amountsIn = (text: string): string[] => text.match(/\d+/g) ?? []

function holdsAll(text: string, amounts: readonly string[]): boolean {
  const known = new Set(amountsIn(text))
  return amounts.every(amount => known.has(amount))
}
