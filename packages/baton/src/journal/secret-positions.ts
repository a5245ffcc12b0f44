import { namesSecret, snakeCase } from './secrets-in-settings.ts'

/**
 * The position right behind a secret's name: `the token is X`, `password of the router: X`. What is there counts as the secret even if
 * it has the form of a word, a hash or a ticket. Every repetition is bounded, as in secrets.ts.
 */
export type Position = 'sign' | 'verb' | undefined

/** How a clause leads from the end of a secret's name to a value: by a sign, by a verb such as "is", or not at all. */
export function positionBehind(clause: string, nameEnd: number, at: number): Position {
  if (at < nameEnd || at - nameEnd > LONGEST_GAP) return undefined
  const between = clause.slice(nameEnd, at)
  return BY_SIGN.test(between) ? 'sign' : BY_VERB.test(between) ? 'verb' : undefined
}

/** Whether a value right behind a secret's name is the secret although it looks like a hash, an id, a ticket or a path. */
export function isSecretForm(value: string, kind: string): boolean {
  // `kimchi_jjigae3`, `pastel.de.nata8`: a name in code has such a form, too, but it names what it holds.
  if (kind === 'password' && /^[\p{L}\d]+(?:[._][\p{L}\d]+)+$/u.test(value))
    return (
      (/\d$/.test(value) || value.split(/[._]/).length > 2) &&
      /\p{L}/u.test(value) &&
      !namesSecret(value) &&
      !isFile(value)
    )
  if (/^(?:[\da-f]{16,128}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.test(value))
    return /\d/.test(value) && /[a-f]/i.test(value)
  return kind !== 'pin' && /^[\p{L}\d][\p{L}\d-]{1,60}#\d{1,7}$/u.test(value)
}

const isFile = (value: string): boolean =>
  /\.(?:[a-z]{1,4}|json|toml|lock|local|internal|example)$/.test(value)

/** An ordinary word as a password: `password: swordfish`, `the password is swordfish.` What people say about passwords is none. */
export function isPlainWord(value: string, position: Position, after: string): boolean {
  if (value.length < 4 || TYPE.test(value)) return false
  if (/^\p{L}[\p{L}-]*-\p{L}+$/u.test(value) && /\p{Lu}/u.test(value)) return true
  if (!ENDS.test(after)) return false
  return position === 'sign' || (/^[\p{L}-]{4,40}$/u.test(value) && !SAID_OF_PASSWORDS.test(value))
}

/** A code for a keypad: groups of digits, perhaps with its signs. At least four digits. */
export const isKeypadCode = (value: string): boolean =>
  /^(?=(?:\D{0,3}\d){4})[*#]{0,2}\d{1,8}(?:[-.*#]\d{1,8}){0,5}[*#]{0,2}$/.test(value) &&
  !/^(?:19|20)\d\d-\d\d?-\d\d?$/.test(value)

/** Such a code with its signs counts anywhere: nothing else ends like that. */
export const hasKeypadSigns = (value: string): boolean =>
  /^[*\d][\d*]{3,20}#$/.test(value) && isKeypadCode(value)

/**
 * Whether the words before a value say what kind of name it is: a model, a version, the number of a user. A value with the signs of
 * passwords is not such a name, as in "wifi password, router: …". `behindName` is what is between a secret's name and the value:
 * "PIN number 4711" and "the token of the box is called X" give the secret itself.
 */
export const isLabelled = (before: string, value: string, behindName?: string): boolean =>
  ((!PASSWORD_SIGN.test(value) || VERSION.test(value)) && LABEL.test(before)) ||
  (!PASSWORD_SIGN.test(value) &&
    NAMES_THING.test(behindName ?? before) &&
    !NAMES_SECRET.test(behindName ?? '')) ||
  (/^\d+$/.test(value) && NUMBERED.test(before))

/**
 * Whether a value is that of a setting whose name says that it identifies something: `price_id = "…"`, `"etag": "…"`,
 * `"job": "job_01…"`. A name that is also a word ("server", "version") must be a key: at the start of the line, in quotes or behind a
 * brace, with nothing but the value behind it.
 */
export function isIdSetting(line: string, at: number, value: string): boolean {
  const from = Math.max(0, at - LONGEST_SETTING)
  const { start, quoted, key = quoted ?? '' } = SETTING.exec(line.slice(from, at))?.groups ?? {}
  if (key === '' || SECRET_PART.test(snakeCase(key))) return false
  if (IN_SECRET.test(line.slice(from, at))) return false
  if (/(?:[_-]ids?|\p{Ll}Ids?)$/u.test(key) || value.startsWith(`${key}_`)) return true
  const isKey = quoted !== undefined || start === '{' || (start !== undefined && from === 0)
  return isKey && ID_KEY.test(key) && SETTING_ENDS.test(line.slice(at + value.length, at + value.length + 8))
}
const LONGEST_SETTING = 80
/** In an object that a secret's name stands for, even an id may be the secret: `"token": {"id": "…"}`. */
const IN_SECRET =
  /(?:token|secret|password|credential)s?["']?\s{0,3}[:=]\s{0,3}\{\s{0,3}["']?(?:id|hash)["']?\s{0,3}[:=]\s{0,3}["']?$/i
const SETTING =
  /(?:["'](?<quoted>[\p{L}_][\p{L}\d_.-]{0,40})["']|(?:(?<start>^|\{)\s{0,8}(?:-\s)?|(?<![\p{L}\d_.-]))(?<key>[\p{L}_][\p{L}\d_.-]{0,40}))\s{0,3}[:=]\s{0,3}["']?(?:W\/)?\\?["']?$/u
const SETTING_ENDS = /^\\?["']?["']?\s{0,3}(?:[,;}\])#]|$)/
const ID_KEY =
  /^(?:id|e?tag|sha|sha\d{3}|hash|digest|checksum|revision|version|region|fingerprint|server|host|database)$/
const SECRET_PART =
  /(?:^|[-_.])(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|auth|credential|otp|pin)s?(?=$|[-_.])/

const PASSWORD_SIGN = /[!$%&*^~+§#]/
/** `^18.2.0-canary5`, `2.4.1+b7`. */
const VERSION = /^[\^~]?v?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+.][\w.-]{1,20})?$/

const LONGEST_GAP = 60
const OF =
  'of|for|to|on|in|at|from|für|fürs|vom|von|zum|zur|des|der|de|du|da|do|dos|das|del|della|di|per|para|pour|voor|van|von|till|til|för|dla|do|для|от|к'
/** "of the router": a few words behind a preposition. */
const OF_WHAT = `(?:\\s{1,2}(?:${OF}|d['’]\\S{1,20}|l['’]\\S{1,20})(?:\\s{1,2}[^\\s:=：,.;]{1,20}){0,4})?`
const QUOTE = '["\'`“„«「]?'
/** A verb that names a thing, or its number. */
const CALLED =
  "is (?:called|named)|heißt|heet|heter|hedder|s['’]appelle|se llama|si chiama|se chama|nazywa się"
const NUMBER_WORD = '(?:nummer|(?<!phone )numbers?|numéro|número|numero)'
const NUMBER_END =
  '(?:\\s{1,2}(?:no\\.?|nr\\.?|is|ist|es|é|è|est|the|der|die|das|den|o|a|el|la|le)){0,3}\\s{0,2}[:=：#]?'
const NAMES_THING = new RegExp(
  `(?<!\\p{L})(?:(?:${CALLED})\\s|\\p{L}{0,20}${NUMBER_WORD}${NUMBER_END})\\s{0,2}["'\`„“«]?$`,
  'iu',
)
const NAMES_SECRET = new RegExp(
  `^(?!.*\\d)${OF_WHAT}(?:,?[\\s-]{1,2}(?:\\p{L}{1,4}\\s){0,2}${NUMBER_WORD}${NUMBER_END}|\\s{1,2}\\p{L}{0,20}nummer${NUMBER_END}|\\s{1,2}(?:${CALLED})\\s)\\s{0,2}["'\`„“«]?$`,
  'iu',
)
const BY_SIGN = new RegExp(`^${OF_WHAT}\\s{0,2}[:=：]\\s{0,2}${QUOTE}$`, 'iu')
const BY_VERB = new RegExp(
  `^${OF_WHAT}(?:,?\\s{1,2}(?:is|ise|هي|هو|ist|lautet|heißt|est|c['’]est|es|è|é|jest|är|er|on|to|este|to jest|это)\\s{1,2}(?:now\\s|jetzt\\s|nun\\s|ahora\\s|agora\\s)?${QUOTE}|\\s{0,2}(?:은|는|이|가|は|が|是|为|為)\\s{0,2}${QUOTE})$`,
  'iu',
)

/** What forms and schemas say about a password. */
const TYPE =
  /^(?:string|str|text|number|int|integer|bool|boolean|any|unknown|bytes|varchar|required|optional|hidden|missing|empty|unset|invalid|wrong|expired|erforderlich|requis|obligatorio)$/i
const ENDS = /^["'`”“»」]?[.,!;]?\s{0,4}(?:$|[&|])|^["'`”“»」]|^[.,!;]\s/
const SAID_OF_PASSWORDS =
  /^(?:.{1,30}(?:ed|ing|able|ible|ory|ive|ful|less|ous|lich|bar|ig|isch|iert|ado|ada|ido|ida|é|ée|atoire|orio|oria)|plain(?:text)?|clear(?:text)?|weak|strong|long|short|secret|same|there|here|fine|okay|correct|good|bad|sent|kept|lost|gone|public|mandatory|shown|known|unknown|null|none|nothing|what|this|that|these|those|mine|yours|ours|only|also|always|never|still|again|right|safe|secure|part|plain-text|case-sensitive|read|seen|sein|nicht|noch|auch|immer|falsch|richtig|leer|gleich|geheim|pflicht|sicher|faux|vide|correct|incorrect|vacía|vacia|falsa|mala|igual|correcta|correcto|segura|seguro)$/iu
const LABEL =
  /(?<![\p{L}\d])(?:models?|modell|modelo|modello|modèle|firmware|version|versión|versão|serial|serie|série|seriennummer|device|board|chip|gateway|router|printer|drucker|camera|kamera|sensor|probe|image|branch|commit|tag|release|ticket|issue|order|bestellung|pedido|commande|sku|cpu|gpu|build|revision|region|bucket|job|volume|機種|型番|型号|model[iı])(?:\s{1,2}(?:number|nummer|no\.?|nr\.?|id|ids|name|is|ist|es|é|è|est|the|der|die|das|den|o|a|el|la|le|called|named|look like|like)){0,3}\s{0,2}[:=：#は]?\s{0,2}$/iu
const NUMBERED =
  /(?<![\p{L}\d])(?:users?|port|line|zeile|page|room|row|step|id|nutzer|benutzer|utilisateur|usuario)\s{0,2}[:=#]?\s{0,2}$/iu
