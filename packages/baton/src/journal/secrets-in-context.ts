/**
 * Secrets that only their place gives away: after "password is", after `-u user:`, in a webhook's address. Every repetition is
 * bounded, as in secrets.ts. The named group `value` is the secret; `what` names it in the placeholder.
 */
interface ContextRule {
  what: string
  pattern: RegExp
  /** Whether the value may be an ordinary word: then it must look like a secret. `strong`: its place says little, its form must. */
  prose?: true | 'strong'
}

/** A value ends at blanks and at what surrounds it; it never starts like an option, a variable or a placeholder. */
const VALUE = '(?<value>(?![-$<{\\[(*%/])[^\\s"\'`<>|;()\\[\\]{}]{3,200})(?=[\\s"\'`<>|;)\\]}]|$)'
const QUOTE = '["\'`“„]?'
/** The names of secrets in the languages that developers write most; a script without blanks needs none after the name. */
const NAMES = `(?:${[
  'pass(?:word|wort|phrase|code|wd)s?|kennw(?:ort|örter)|pwd?|pin(?:[ -]?code)?|geheimzahl|zugangscode|secret|token',
  '(?:api|access|secret|app|auth|session|encryption|signing|private|master|network|licen[sc]e|shared|client|account|admin)[ _-]?key|api-schlüssel|(?:haupt|lizenz|zugangs)schlüssel',
  'mots? de passe|code secret|clé (?:secrète|api|privée)|contraseñas?|clave(?: secreta)?|senhas?|parola(?: d.ordine)?|wachtwoord(?:en)?|lösenord|hasło|adgangskode|salasana|пароль|şifre',
  'パスワード|暗証番号|合言葉|密码|口令|비밀번호',
].join('|')})`
const LINK =
  // A word of its own: "test phone is" must not be read as "est phone".
  '(?:(?<!\\p{L})(?:is|was|are|being|ist|lautet|lauten|war|heißt|heisst|as|to|est|sera|es|será|é|è|jest|är|er)|:|：|=)'
/** In scripts without blanks, a particle or nothing stands between a name and its value. */
const CJK_LINK = '(?:は|が|を|:|：|是|为|는|은)?'

const ACCOUNT = '(?:credentials?|log-?ins?|zugangsdaten|anmeldedaten|account)'

const RULES: readonly ContextRule[] = [
  // "The password for the database is X", "pw: X", "das Passwort lautet X"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(
      `(?<![\\p{L}\\d_-])${NAMES}(?![\\p{L}\\d])(?:\\s(?:for|of|to|on|für|von|vom|zu|zum|zur|des|der|auf|im|in|du|de|des|del|della|do|da|pour|para|per|van|voor|till|na|dla)\\s[^\\n.,;:=]{0,80}?)?\\s{0,3}${LINK}(?::|\\s)\\s{0,3}${QUOTE}${VALUE}`,
      'giu',
    ),
  },
  // "パスワードは X です", "密码：X"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(
      `(?:パスワード|暗証番号|合言葉|トークン|密码|口令|令牌|비밀번호|토큰)\\s{0,3}${CJK_LINK}\\s{0,3}[「『“"'\`]?(?<value>[\\x21-\\x7e]{3,200})`,
      'gu',
    ),
  },
  // "user ops / X", "Benutzer: dev, X"
  {
    what: 'password',
    prose: 'strong',
    pattern: new RegExp(
      `(?<![\\p{L}\\d_-])(?:user(?:name)?|login|benutzer(?:name)?|nutzer|utilisateur|identifiant|usuario|utente|ユーザー名?|用户名?)\\s{0,2}[:=]?\\s{0,2}${QUOTE}[\\w.@+-]{1,60}["'\`”]?\\s{0,2}[/|,:]\\s{0,2}${QUOTE}${VALUE}`,
      'giu',
    ),
  },
  // "the 8841 PIN" (a pin of a chip is written small), "4711 ist die PIN"
  {
    what: 'pin',
    pattern:
      /(?<![\w.-])(?<value>\d{4,8})["'`”]?\s{1,3}(?:(?:is|ist|est|es)\s(?:the|a|my|our|die|der|le|el)\s(?:\w{1,20}\s)?)?(?:PIN|Geheimzahl|passcode|code PIN)(?![\w-])/gu,
  },
  // "739102 (PIN)", "Kotum42!x (password)"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(
      `(?<=^|[\\s"'\`])${VALUE}["'\`”]?\\s{0,2}[([](?:(?:the|my|das|die|le|la|el)\\s)?${NAMES}[^()[\\]\\n]{0,40}[)\\]]`,
      'gimu',
    ),
  },
  // A key as the argument of a log-in: "tool login KEY".
  {
    what: 'token',
    pattern:
      /(?<![\w-])(?:login|log-in|signin|authenticate|activate|auth(?:\s(?:login|add|set))?)\s{1,3}(?:--?[\w-]{1,40}\s{1,3}){0,4}["'`]?(?<value>(?=[A-Za-z_.-]{0,60}\d)(?=[\d_.-]{0,60}[A-Za-z])[\w.-]{16,400})(?=[\s"'`;|&)]|$)/gu,
  },
  // "with the password X", "Mit dem Token X"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(`(?<![\\p{L}\\d_-])${NAMES}\\s{1,3}${QUOTE}${VALUE}`, 'giu'),
  },
  // "Use X as the passphrase", "X ist das Passwort"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(
      `(?<=^|[\\s"'\`])${VALUE}["'\`”]?\\s{1,3}(?:as|is|als|ist|est|comme|es|como|é|è)\\s(?:(?:the|a|my|our|your|das|die|der|mein|meine|unser|le|la|mon|notre|el|mi|nuestra)\\s)?(?:\\w{1,20}\\s)?${NAMES}(?![\\w-])`,
      'gimu',
    ),
  },
  // "Zugangsdaten für X: dev / Y", "credentials: me / Y"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(`(?<![\\w-])${ACCOUNT}(?![\\w-])[^\\n/|]{0,80}[/|]\\s{0,2}${QUOTE}${VALUE}`, 'giu'),
  },
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(`(?<![\\w-])${ACCOUNT}(?![\\w-])[^\\n/|:]{0,80}:\\s{0,2}${QUOTE}${VALUE}`, 'giu'),
  },
  // --password X, --token X
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])--?(?:\\w{1,20}-)?(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|auth)(?:\\s{1,3}|=)${QUOTE}${VALUE}`,
      'giu',
    ),
  },
  // Programs whose short option takes the password.
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])(?:sshpass|mongo(?:sh|dump|restore)?|docker\\slogin|podman\\slogin|az\\slogin|helm\\sregistry|unzip|zip|7z|rar|mosquitto_\\w{3})(?=\\s)[^\\n;|&]{0,200}?\\s-[pP]\\s{0,2}${QUOTE}${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])(?:mysql|mariadb)\\w{0,10}(?=\\s)[^\\n;|&]{0,200}?\\s-p${QUOTE}${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])(?:redis-cli)(?=\\s)[^\\n;|&]{0,200}?\\s-a\\s{1,2}${QUOTE}${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])ldap\\w{2,10}(?=\\s)[^\\n;|&]{0,200}?\\s-w\\s{1,2}${QUOTE}${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])(?:curl|wget|https?|xh)(?=\\s)[^\\n;|]{0,400}?\\s(?:-u|--user|-a|--auth|--proxy-user)(?:\\s{1,2}|=)?${QUOTE}[^\\s:"'\`]{1,100}:${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])smbclient(?=\\s)[^\\n;|]{0,200}?\\s-U\\s{0,2}${QUOTE}[^\\s%]{1,60}%${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])htpasswd\\s-\\w{0,6}b\\w{0,6}\\s\\S{1,200}\\s\\S{1,100}\\s${QUOTE}${VALUE}`,
      'gu',
    ),
  },
  { what: 'password', pattern: new RegExp(`(?<![\\w-])-?pass(?:in|out)?\\s?pass:${VALUE}`, 'gu') },
  {
    what: 'password',
    pattern: new RegExp(`(?<![\\w-])echo\\s${QUOTE}${VALUE}["']?\\s{0,2}\\|\\s{0,2}sudo\\s-S`, 'gu'),
  },
  // Addresses that let anyone post.
  {
    what: 'webhook',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[\w/.!#-]{8,200})/gu,
  },
  { what: 'webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<value>[\w/-]{8,200})/gu },
  { what: 'webhook', pattern: /\.webhook\.office\.com\/(?<value>[\w@/-]{8,300})/gu },
]

/** The signs by which `mayHoldSecret` knows that a rule here may match. */
export const CONTEXT_SIGN =
  'passw|passp|passc|\\bpwd?\\b|kennw|\\bpin\\b|pin[ -]?code|geheimzahl|key\\b|api-schl|apikey|secret|token|zugang|credential|log-?in|anmelde|account|sshpass|mongo|unzip|zip\\s|7z\\s|rar\\s|mosquitto|helm|mysql|mot de passe|mots de passe|contrase|clave|senha|parola|wachtw|lösen|hasło|adgangs|salasana|пароль|şifre|パスワ|暗証|合言葉|トークン|密码|口令|令牌|비밀|토큰|user|nutzer|utilisat|identifiant|usuario|utente|ユーザ|用户|code secret|clé |schlüssel|signin|authentic|activate|auth\\s|mariadb|redis-cli|ldap|curl|wget|http|xh\\s|smbclient|pass:|sudo|hooks\\.|discord|-pass|-auth|sskey|webhook'

/** Replaces secrets by named placeholders. */
export function withoutContextSecrets(text: string): string {
  let clean = text
  for (const { what, pattern, prose } of RULES)
    clean = clean.replace(pattern, (...found: unknown[]) => {
      const whole = String(found[0])
      const value = trimmed(groupValue(found))
      if (value === '' || !isSecret(value, whole, prose)) return whole
      const at = whole.lastIndexOf(value)
      return `${whole.slice(0, at)}[redacted: ${prose ? labelOf(whole) : what}]${whole.slice(at + value.length)}`
    })
  return clean
}

/** The secrets that a text gives away: they must not stand elsewhere either. */
export function contextSecretsIn(text: string): string[] {
  return RULES.flatMap(({ pattern, prose }) =>
    [...text.matchAll(pattern)].flatMap(found => {
      const value = trimmed(found.groups?.value ?? '')
      return value.length >= MIN_EVERYWHERE && isSecret(value, found[0], prose) && looksMixed(value)
        ? [value]
        : []
    }),
  )
}

const labelOf = (whole: string): string =>
  (/token|secret|key|pin/i.exec(whole)?.[0] ?? 'password').toLowerCase()

/** A shorter value would be found inside ordinary words. */
const MIN_EVERYWHERE = 6

const groupValue = (found: readonly unknown[]): string => {
  const groups = found.at(-1)
  return typeof groups === 'object' && groups !== null && 'value' in groups ? String(groups.value) : ''
}

const trimmed = (value: string): string => value.replace(/[.,:!?]{1,4}$/, '')

function isSecret(value: string, whole: string, prose: ContextRule['prose']): boolean {
  if (value.length < 3 || /^(?:\[?redacted|true|false|null|none|https?:)/i.test(value)) return false
  if (!prose) return true
  if (/^\d{4,8}$/.test(value)) return /\bpin\b|pin[ -]?code|geheimzahl|passcode/i.test(whole)
  // A commit or a digest is not a password, a path or a call is not either.
  if (/^[0-9a-f]{7,64}$/.test(value) || /[/=]/.test(value) || /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value))
    return false
  if (/^v?\d+(?:\.\w+)+$/.test(value)) return false
  return value.length >= 5 && looksMixed(value) && (prose !== 'strong' || kindsOf(value) >= 3)
}

/** How many of these a value has: small letters, capitals, digits, other signs. */
const kindsOf = (value: string): number =>
  [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter(kind => kind.test(value)).length

const looksMixed = (value: string): boolean =>
  /\p{L}/u.test(value) &&
  (/\d/.test(value) || /[!#$%&*@^~+]/.test(value)) &&
  !/^\d+(?:ms|s|px|kb|mb|gb|%|th|nd|rd|st)$/i.test(value)
