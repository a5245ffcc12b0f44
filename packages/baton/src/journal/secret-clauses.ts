import {
  hasKeypadSigns,
  isIdSetting,
  isKeypadCode,
  isLabelled,
  isPlainWord,
  isSecretForm,
  positionBehind,
} from './secret-positions.ts'
import { findCommandSecrets, labelOf, type PlacedSecret } from './secrets-in-commands.ts'
import { findSettingSecrets } from './secrets-in-settings.ts'
import { isDigest, isIdentifier, isKnownName, isStrong, kindsOf } from './value-forms.ts'

/**
 * Secrets that no phrase announces. A clause that names a secret, in whatever words and order, must not carry a value next to the
 * name: every token in it that is neither a word nor a known kind of name (a path, a version, a commit, an address) counts as the
 * secret. A token with small and capital letters, digits and signs counts anywhere. Every repetition is bounded, as in secrets.ts.
 */
export function secretValuesIn(text: string): string[] {
  return [...new Set(findSecretValues(text).map(({ value }) => value))]
}

export function withoutSecretValues(text: string): string {
  let clean = ''
  let read = 0
  for (const { value, at, what } of findSecretValues(text).sort((a, b) => a.at - b.at)) {
    if (at < read) continue
    clean += `${text.slice(read, at)}[redacted: ${what}]`
    read = at + value.length
  }
  return read === 0 ? text : clean + text.slice(read)
}

/** What a secret is called. One word of the concept per language is enough: how a sentence is built around it does not matter. */
const PASSWORD = [
  '(?<!(?:first|second|third|final|last|next|each|one|single|two|this|every|compiler|optimizer|render|st|nd|rd|th)[ -])pass(?= (?:is|ist|=) )|pass(?:word|wort|phrase|code|wd|key)s?|assword|passord|p(?:ass)?wo?r?ds?|pwd?|psw|mdp|kennw(?:ort|örter)|losung(?:swort)?|codewort|parol(?:[aăe]\\p{L}{0,6})?|parool',
  'mots? de passe|contraseñas?|contrasenya|contrasinal|clave|senhas?|palavras?-passe|wachtwoord(?:en)?|lösenord|adgangskode|kodeord',
  'salasana\\p{L}{0,4}|hasł(?:o|a|em)|hesl[oa]|jelsz[óo]\\w{0,3}|lozink[aeu]|gesl[oa]|slaptažod\\w{1,4}|lykilorð|şifre(?!le)\\p{L}{0,6}|mật khẩu|kata sandi|kata laluan|pasahitza',
  'парол[ьяюеи]\\w{0,2}|κωδικ\\S{1,3}|סיסמ\\S{1,2}|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|パスワード|パスフレーズ|合言葉|密码|密碼|口令|비밀번호|비번|암호',
].join('|')
const KEY = [
  'secrets?|tokens?|credentials?|creds?|geheimnis|jeton|ficha de acceso|トークン|(?:暗号|暗号化|アクセス|秘密|共有|認証)キー|秘密鍵|令牌|密钥|密鑰|金鑰|秘钥|토큰|токен',
  '(?:api|access|secret|app|auth|session|encryption|signing|private|master|network|wifi|wlan|wpa|licen[sc]e|activation|registration|product|shared|client|account|admin|storage|deploy|service|bot)[ _-]?(?:key|schlüssel)|\\p{L}{3,20}-?schlüssel|apikey|clés? (?:secrète|d.api|api|privée|d.accès)|llave|chave',
  'zugangs(?!code)\\p{L}{3,12}|anmeldedaten|zugang|identifiants|credencia(?:les|is)|credenziali|認証情報|凭证|凭据|webhook|bearer|jwt|seed phrase|(?:recovery|backup|rescue|scratch) codes?|wiederherstellungscodes?|(?:notfall|backup)-?codes?|codes? de (?:récupération|secours)|códigos? de (?:recuper\\p{L}{3,8}|respaldo)|codici di (?:recupero|backup)|herstelcodes?|kod[yów]{1,2} (?:odzyskiwania|zapasowe)|リカバリーコード|恢复代码|mnemonic|sshpass|htpasswd',
].join('|')
const PIN = [
  'pin|pin[ -]?(?:code|nummer)|passcode|geheimzahl|(?:zugangs|tür|tor|alarm|sicherheits|freischalt|entsperr|zahlen|geräte|bestätigungs|key|toegangs|dørs|dør|port)code|otp|2fa|mfa|tan',
  '(?:access|door|gate|entry|alarm|security|safe|unlock|verification|one-time|sms|guest) (?:code|pin|number)|combination',
  'code (?:secret|pin|d.accès|(?:du |des |de (?:la |l.)?|d.)\\p{L}{3,15})|(?:door |gate |safe |key )?keypad|safe combination|código (?:de (?:acceso|seguridad|la \\p{L}{3,15})|secreto)|codice (?:segreto|di \\p{L}{3,15})|暗証番号|認証コード|验证码|门禁|핀번호',
].join('|')
/** A noun for any code: only digits right behind it count, and not those of errors, post and countries. */
const CODE =
  '(?<!(?:error|exit|status|return|response|result|http|sql|mysql|zip|postal|post|country|area|currency|language|lang|product|item|color|source|event|reason|signal|iso|hs|sort|swift|tax|hata|posta|çıkış|durum|the|this|that|our|your|of|new|old|more|dead|machine|byte|legacy)[ -])(?:(?:[4-9]|four|five|six|eight)[ -]digits?|code|kod(?:u|em|en|et)?|koodi(?:lla)?|código|codice|код(?:ом)?|コード|코드)'
const ACCOUNT =
  'log-?ins?|log in|logged in|signs? in|log on|user(?:name)?|account|anmeld(?:en|ung)|einloggen|benutzer(?:name)?|nutzer|konto|connecte[rz]?|utilisateur|identifiant|iniciar sesión|usuario|cuenta|utente|accesso|usuário|conta|ログイン|アカウント|ユーザー名?|登录|登陆|账号|帐号|用户名?|로그인|계정|логин'
/** One of these is in every clause that names a secret: a quick test before the slow ones. */
const PASSWORD_STEMS =
  'pass|assw|pw|psw|mdp|kennw|parol|parool|contras|clave|senha|palavra|wachtw|lösen|adgang|kodeord|salasana|hasł|hesl|jelsz|lozin|gesl|slapta|lykil|şifre|mật|kata |losung|codewort|парол|κωδικ|סיסמ|كلمة|पास|รหัส|パス|合言|密|口令|비밀|비번|암호'
const OTHER_STEMS =
  'secret|token|cred|geheim|jeton|ficha|トーク|令牌|金鑰|秘|恢复|リカバ|odzysk|zapasow|herstel|recuper|récup|respaldo|secours|토큰|токен|key|schlüss|clé|llave|chave|zugang|anmeld|identif|認証|凭|webhook|bearer|jwt|seed|mnemon|pin\\b|code|código|codice|otp|2fa|mfa|tan\\b|combin|暗証|验证|门禁|핀|log|sign|user|account|konto|connec|nutzer|utilis|inici|usu|cuenta|utente|accesso|conta|ログ|アカ|ユー|登|账|帐|用户|로그|계정|логин|auth|keypad|kod|код|コード|코드|digit|代码|キー|鍵|pin[-_=:]'
/** One of these is in every text in which a rule here can match. */
export const SECRET_STEMS = `${PASSWORD_STEMS}|${OTHER_STEMS}|[a-z\\d][!$%&*^~+?§#]|\\d[a-z]{1,8}\\d|\\s-[uld]\\s{1,3}[a-z]|\\s/[a-z]{1,12}:|crypt|kinit|cookie|[?&](?:sig|x-)|:\\d{3,5}:`
const MAY_NAME_PASSWORD = new RegExp(PASSWORD_STEMS, 'i')
const MAY_NAME = new RegExp(`${PASSWORD_STEMS}|${OTHER_STEMS}`, 'i')
/** Without one of these, only a word that a password's name announces can be a value. */
const MAY_BE_VALUE = /\d|\p{L}[!#$%&*@^~+§]|[!#$%&*@^~+§]\p{L}/u
const NAMES = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\d_])(?<!redacted: )(?:(?<password>${PASSWORD})|(?<pin>${PIN})|(?<key>${KEY})|(?<account>${ACCOUNT})|(?<code>${CODE}))(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\d_])`,
  'giu',
)
/** In options, variables and settings the name is part of a word: `--db-password`, `SMTP_PASS`, `x-api-key:`. */
const IN_WORD =
  /(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api-?_?key|access-?_?key|auth|credential|otp|pin)s?(?=$|[-_=:]|stdin)/iu

const PLACEHOLDER = /\[redacted: [^\]\n]{0,200}\]/g
const CLAUSE = /[^\n]{1,4000}/g
/** Sentences end before a blank; a value may hold a full stop. */
const SENTENCE_END = /[.!?;]\s{1,8}(?=\p{L})|[。！？；]/gu
// A setting behind another one begins a new token: `Server=x;Pwd=y`.
const TOKEN =
  /(?:[;&](?![A-Za-z][\w ]{0,30}=)|[^\s"'`“”„«»「」『』（）()<>[\]{}|;&，。：、；！？\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]){1,400}/gu

/** The same without the classes of other scripts, which take long. */
const ASCII_TOKEN = /(?:[;&](?![A-Za-z][\w ]{0,30}=)|[^\s"'`()<>[\]{}|;&]){1,400}/g
const ASCII = /^[\t -~]*$/

/** How many characters away from its name a value may be that has only two kinds of characters. */
const NEAR = 40
const NEAR_IN_COMMAND = 24
const ADJACENT = 12
const COMMAND = /(?:^|\s)--?[A-Za-z][\w-]*|^\s*(?:\$ |[A-Z_]{3,}=|export )/

function findSecretValues(text: string): PlacedSecret[] {
  const found: PlacedSecret[] = []
  for (const { 0: whole, index } of text.matchAll(CLAUSE)) {
    for (const each of [...findCommandSecrets(whole), ...findSettingSecrets(whole)])
      found.push({ ...each, at: each.at + index })
    // A placeholder names a secret, but what is next to it is not the secret.
    const line = whole.replaceAll(PLACEHOLDER, text => ' '.repeat(text.length))
    if (MAY_BE_VALUE.test(line) ? !MAY_NAME.test(line) && !HINT.test(line) : !MAY_NAME_PASSWORD.test(line))
      continue
    const isCommand = COMMAND.test(line)
    const isWhole = isCommand || line.search(NAMES) < 0
    // A command is one clause: what is piped into a program belongs to it.
    let from = 0
    for (const end of [...(isWhole ? [] : line.matchAll(SENTENCE_END)), undefined]) {
      const to = end ? end.index + end[0].length : line.length
      found.push(
        ...inClause(line.slice(from, to), isCommand).map(each => ({ ...each, at: each.at + index + from })),
      )
      from = to
    }
  }
  return found
}

/** Without a name, only a strong value counts; most clauses have nothing like one. */
const HINT = /[\p{L}\d][!$%&*^~+?§#][\p{L}\d]|\d[!$^§#]|[\w+/=.-]{20}/u

function inClause(clause: string, isCommand: boolean): PlacedSecret[] {
  const names: { from: number; to: number; kind: string; name: string }[] = []
  for (const { index, 0: name, groups = {} } of clause.matchAll(NAMES)) {
    const kind = Object.keys(groups).find(each => groups[each] !== undefined) ?? 'key'
    if (names.push({ from: index, to: index + name.length, kind, name }) >= MAX_NAMES) break
  }
  if (names.length === 0 && !isCommand && !HINT.test(clause) && !clause.includes('_')) return []
  const tokens = [...clause.matchAll(ASCII.test(clause) ? ASCII_TOKEN : TOKEN)].map(
    ({ 0: value, index }) => ({
      value,
      at: index,
    }),
  )
  for (const { value, at } of tokens) {
    const inWord = isCommand || value.includes('_') ? IN_WORD.exec(value) : null
    if (inWord) names.push({ from: at, to: at + value.length, kind: kindOfName(inWord[0]), name: inWord[0] })
  }
  names.sort((a, b) => a.from - b.from)
  const secret = names.filter(({ kind }) => kind !== 'account' && (kind !== 'code' || !isCommand))
  const spoken = secret.filter(({ kind }) => kind !== 'code')
  const isNamed = isCommand ? names.length > 0 : names.some(({ kind }) => kind !== 'code')
  let [next, nextSpoken] = [0, 0]
  return tokens.flatMap((token): PlacedSecret[] => {
    if (names.length === 0 && !MAY_BE_STRONG.test(token.value) && !token.value.includes('#')) return []
    if (isDigest(token.value.replace(/[.,:;]{1,4}$/, ''))) return []
    const part = valuePart(token.value)
    const value = part.text
    const [at, end] = [token.at + part.at, token.at + part.at + value.length]
    // Names and tokens are in order, so that a long clause takes no longer than its length.
    while (next < secret.length && (secret[next]?.from ?? 0) < at) next++
    while (nextSpoken < spoken.length && (spoken[nextSpoken]?.from ?? 0) < at) nextSpoken++
    const closest = secret[next - 1]
    if (value === '' || (closest && closest.to >= end && !part.assigned)) return []
    const behind = clause.slice(end, end + 20)
    const digits = isPin(value, behind)
    // The word "code" announces only what a keypad takes; to any other value it says nothing.
    const [before, after] =
      digits || isKeypadCode(value) ? [closest, secret[next]] : [spoken[nextSpoken - 1], spoken[nextSpoken]]
    const position = before ? positionBehind(clause, before.to, at) : undefined
    const isAnnounced = position !== undefined && before !== undefined && before.kind !== 'code'
    const keypad = digits || (isKeypadCode(value) && (isAnnounced || before?.kind === 'code'))
    const isSure = (!isCommand && hasKeypadSigns(value)) || (isAnnounced && isSecretForm(value, before.kind))
    if (!keypad && !isSure && (isKnownName(value) || clause[end] === '(')) return []
    const [left, right] = [before ? at - before.to : FAR, after ? after.from - end : FAR]
    const [distance, nearest] = left <= right ? [left, before] : [right, after]
    if (nearest?.kind === 'code')
      return isSure || (keypad && !/^(?:19|20)\d\d$/.test(value) && isCodeBehind(clause, before, at))
        ? [{ value, at, what: 'code' }]
        : []
    // A pin of a chip is written small, and its number comes first.
    const isPinName = nearest?.kind === 'pin' && (nearest === before || nearest.name !== 'pin')
    const near = distance <= (isCommand ? NEAR_IN_COMMAND : NEAR)
    const isStrongHere = !keypad && isStrong(value)
    const hit =
      isSure ||
      isStrongHere ||
      (isNamed &&
        kindsOf(value.replaceAll(/[-_.]/g, '')) >= 3 &&
        value.length >= 6 &&
        /\d/.test(value) &&
        !isIdentifier(value)) ||
      (near &&
        isWeak(value) &&
        (isAnnounced ||
          nearest?.kind !== 'pin' ||
          !/^pins?$/i.test(nearest.name) ||
          !CHIP_PIN.test(value))) ||
      (near && keypad && (isPinName || (nearest?.kind === 'password' && distance <= ADJACENT))) ||
      (before?.kind === 'password' && isWordBehind(clause, before.to, at, value))
    const isCertain = isSure || isStrongHere || isAnnounced
    const lead = clause.slice(Math.max(0, at - 60), at)
    if (
      !hit ||
      (!isCertain &&
        (isIdSetting(clause, at, value) ||
          isLabelled(lead, value, left <= 60 ? clause.slice(at - left, at) : undefined)))
    )
      return []
    return [{ value, at, what: nearest?.kind === 'pin' ? 'pin' : labelOf(nearest?.name ?? '') }]
  })
}
const kindOfName = (name: string): string =>
  /pin|otp/i.test(name) ? 'pin' : /pass|pwd/i.test(name) ? 'password' : 'key'

/** A pin of a chip: `GPIO27`, `PA_5`. */
const CHIP_PIN = /^[A-Z]{1,5}_?\d{1,3}$/

/** A clause with more names than this is not a sentence; reading them all would take long. */
const MAX_NAMES = 60
const FAR = Number.POSITIVE_INFINITY
const MAY_BE_STRONG = /^(?=\D{0,200}\d)(?=\P{L}{0,200}\p{L}).{7}/u

/** Digits right behind a word for a code: "code 4711", "kod kullan: 4711". */
const isCodeBehind = (clause: string, code: { to: number } | undefined, at: number): boolean =>
  code !== undefined &&
  /^\s{0,2}(?:\p{L}{1,10}\s{0,2})?[:=：]?\s{0,2}["'“„]?$/u.test(clause.slice(code.to, at))

/** An ordinary word behind the name of a password, or a quoted one a few words behind it. */
function isWordBehind(clause: string, from: number, at: number, value: string): boolean {
  const rest = clause.slice(at + value.length).slice(0, 20)
  const position = positionBehind(clause, from, at)
  if (position && isPlainWord(value, position, rest)) return true
  return (
    value.length >= 4 &&
    at >= from &&
    at - from <= NEAR &&
    /^(?:\s{1,2}\S{1,10}){0,2}\s{0,2}["'`“„«「]$/.test(clause.slice(from, at)) &&
    /^["'`”“»」]/.test(rest)
  )
}

/** The part of a token that may be a value: after `name=`, after a short option such as `-p`, without punctuation around it. */
function valuePart(token: string): { text: string; at: number; assigned: boolean } {
  const assigned = /^(?:--?)?[A-Za-z_][\w.-]{0,80}[=:](?!\/\/)/.exec(token)?.[0] ?? ''
  const option = assigned === '' ? (/^-[A-Za-z](?=[^-\s]{4})/.exec(token)?.[0] ?? '') : ''
  const lead = assigned || option
  const rest = token.slice(lead.length)
  const start = /^[.,:;*_#&-]{0,4}/.exec(rest)?.[0].length ?? 0
  const text = rest.slice(start).replace(/[.,:;?*…]{1,4}$/, '')
  return { text, at: lead.length + start, assigned: lead !== '' }
}

const isWeak = (value: string): boolean =>
  value.length >= 5 &&
  value.length <= 200 &&
  /\p{L}/u.test(value) &&
  /\d|\p{L}[!#$%&*@^~+§]|[!#$%&*@^~+§]\p{L}/u.test(value)

/** Digits alone; an amount has a unit behind it. */
const isPin = (value: string, after: string): boolean =>
  /^\d{4,10}$/.test(value) &&
  !/^\s{0,2}(?:[%×x]|(?:ms|s|sec|min|h|px|kb|mb|gb|bit|bits|bytes?|chars?|characters?|digits?|zeichen|stellen|times|rounds|iterations|rows|users|requests|tokens?)\b)/i.test(
    after,
  )

/** Whether a clause is about an account, a log-in or another machine. */
export const namesAccess = (clause: string): boolean => clause.search(ACCESS) >= 0
const ACCESS = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\d_])(?:${ACCOUNT}|ssh|vpn|rdp|ftp|wi-?fi|wlan|asks? for|get(?:s|ting)? in)(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\d_])|(?<![\\d.])(?:\\d{1,3}\\.){3}\\d{1,3}(?![\\d.])`,
  'iu',
)
