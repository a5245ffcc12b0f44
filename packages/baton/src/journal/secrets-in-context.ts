/**
 * Secrets that only their place gives away: after "password is", after `-u user:`, in a webhook's address. Every repetition is
 * bounded, as in secrets.ts. The named group `value` is the secret; `what` names it in the placeholder.
 */
interface ContextRule {
  what: string
  pattern: RegExp
  /** Whether the value may be an ordinary word: then it must look like a secret. */
  prose?: true
}

/** A value ends at blanks and at what surrounds it; it never starts like an option, a variable or a placeholder. */
const VALUE = '(?<value>(?![-$<{\\[(*%/])[^\\s"\'`<>|;()\\[\\]{}]{3,200})(?=[\\s"\'`<>|;)\\]}]|$)'
const QUOTE = '["\'`“„]?'
const NAMES =
  '(?:pass(?:word|wort|phrase|code|wd)s?|kennw(?:ort|örter)|pwd?|pin(?:[ -]?code)?|geheimzahl|(?:api|access|secret)[ -]?key|api-schlüssel|secret|token|zugangscode)'
const LINK = '(?:is|was|are|being|ist|lautet|lauten|war|heißt|heisst|:|as|to)'

const ACCOUNT = '(?:credentials?|log-?ins?|zugangsdaten|anmeldedaten|account)'

const RULES: readonly ContextRule[] = [
  // "The password for the database is X", "pw: X", "das Passwort lautet X"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(
      `(?<![\\w-])${NAMES}(?:\\s(?:for|of|to|on|für|von|vom|zu|zum|zur|des|der|auf|im|in)\\s[^\\n.,;:=]{0,80}?)?\\s{0,3}${LINK}(?::|\\s)\\s{0,3}${QUOTE}${VALUE}`,
      'giu',
    ),
  },
  // "with the password X", "Mit dem Token X"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(`(?<![\\w-])${NAMES}\\s{1,3}${QUOTE}${VALUE}`, 'giu'),
  },
  // "Use X as the passphrase", "X ist das Passwort"
  {
    what: 'password',
    prose: true,
    pattern: new RegExp(
      `(?<=^|[\\s"'\`])${VALUE}["'\`”]?\\s{1,3}(?:as|is|als|ist)\\s(?:(?:the|a|my|our|your|das|die|der|mein|meine|unser)\\s)?(?:\\w{1,20}\\s)?${NAMES}(?![\\w-])`,
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
  'passw|passp|passc|\\bpwd?\\b|kennw|\\bpin\\b|pin[ -]?code|geheimzahl|[_ -]key|api-schl|apikey|secret|token|zugang|credential|log-?in|anmelde|account|sshpass|mongo|unzip|zip\\s|7z\\s|rar\\s|mosquitto|helm|mysql|mariadb|redis-cli|ldap|curl|wget|http|xh\\s|smbclient|pass:|sudo|hooks\\.|discord|-pass|-auth|sskey|webhook'

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

function isSecret(value: string, whole: string, prose: true | undefined): boolean {
  if (value.length < 3 || /^(?:\[?redacted|true|false|null|none|https?:)/i.test(value)) return false
  if (!prose) return true
  if (/^\d{4,8}$/.test(value)) return /\bpin\b|pin[ -]?code|geheimzahl|passcode/i.test(whole)
  // A commit or a digest is not a password, a path or a call is not either.
  if (/^[0-9a-f]{7,64}$/.test(value) || /[/=]/.test(value) || /^\w+(?:\.\w+)+$/.test(value)) return false
  return value.length >= 5 && looksMixed(value)
}

const looksMixed = (value: string): boolean =>
  /\p{L}/u.test(value) &&
  (/\d/.test(value) || /[!#$%&*@^~+]/.test(value)) &&
  !/^\d+(?:ms|s|px|kb|mb|gb|%|th|nd|rd|st)$/i.test(value)
