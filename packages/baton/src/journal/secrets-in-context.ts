import { SECRET_STEMS, secretValuesIn, withoutSecretValues } from './secret-clauses.ts'

/**
 * Secrets that only their place gives away: after `-u user:`, in a webhook's address. Every repetition is
 * bounded, as in secrets.ts. The named group `value` is the secret; `what` names it in the placeholder.
 */
interface ContextRule {
  what: string
  pattern: RegExp
}

/** A value ends at blanks and at what surrounds it; it never starts like an option, a variable or a placeholder. */
const VALUE = '(?<value>(?![-$<{\\[(*%/])[^\\s"\'`<>|;()\\[\\]{}]{3,200})(?=[\\s"\'`<>|;)\\]}]|$)'
const QUOTE = '["\'`“„]?'
/** The name of a header that holds a secret. `key` alone also names caches and tables. */
const HEADER =
  '(?:(?:[a-z\\d]{1,30}-){1,6}(?:token|secret|auth|password|(?:api|access|auth|secret|private|signing|subscription|account|admin|functions|master)-?key)|x-(?:[a-z\\d]{1,30}-){0,5}key)'
const RULES: readonly ContextRule[] = [
  // A key as the argument of a log-in: "tool login KEY".
  {
    what: 'token',
    pattern:
      /(?<![\w-])(?:login|log-in|signin|authenticate|activate|auth(?:\s(?:login|add|set))?)\s{1,3}(?:--?[\w-]{1,40}\s{1,3}){0,4}["'`]?(?<value>(?=[A-Za-z_.-]{0,60}\d)(?=[\d_.-]{0,60}[A-Za-z])[\w.-]{16,400})(?=[\s"'`;|&)]|$)/gu,
  },
  // --password X, --token X
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])--?(?:\\w{1,20}-){0,4}(?:password|passwd|passphrase|passcode|pass|pwd|pin|token|bearer|secret|api-?key|(?:secret|secret-access|account|storage|shared|private-access)-key|auth)(?:\\s{1,3}|=)${QUOTE}${VALUE}`,
      'giu',
    ),
  },
  // Among settings in one argument: -o username=x,password=y
  {
    what: 'password',
    pattern: new RegExp(
      `(?<=[,;?&])(?:password|passwd|passphrase|pass|pwd|secret|token)=${QUOTE}${VALUE}`,
      'giu',
    ),
  },
  // Headers named after a secret: X-Vault-Token, X-Api-Key, PRIVATE-TOKEN. In prose, only a value that is not a word counts.
  {
    what: 'token',
    pattern: new RegExp(`(?<![\\w-])(?:-H|--header)[\\s=]{0,3}["']?${HEADER}:\\s{0,4}${VALUE}`, 'giu'),
  },
  {
    what: 'token',
    pattern: new RegExp(`(?<![\\w-])${HEADER}["']?:\\s{0,4}["']?(?=[^\\s\\d]{0,60}\\d)${VALUE}`, 'giu'),
  },
  // A setting as two attributes: <add key="ApiSecret" value="…"/>, "name": "DB_PASSWORD", "value": "…".
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])(?:key|name|id)["']?\\s{0,3}[:=]\\s{0,3}["']?[\\w.:-]{0,60}(?:password|passwd|passphrase|secret|token|pwd|api_?key|access_?key)["']?[,\\s]{1,40}["']?value["']?\\s{0,3}[:=]\\s{0,3}["']?${VALUE}`,
      'giu',
    ),
  },
  // .netrc; .pgpass: HOST:PORT:DATABASE:USER:PASSWORD, as a whole word, with a port of PostgreSQL.
  {
    what: 'password',
    pattern: new RegExp(
      `(?<![\\w-])machine\\s{1,4}\\S{1,200}\\s{1,8}login\\s{1,4}\\S{1,100}\\s{1,8}password\\s{1,4}${VALUE}`,
      'gu',
    ),
  },
  {
    what: 'password',
    pattern: new RegExp(
      `(?<=(?:^|[\\s"'\`])[\\w.*-]{1,100}:)(?:1?54\\d\\d|6432|\\*):(?:[A-Za-z_][\\w-]{0,60}|\\*):(?:[A-Za-z_][\\w.-]{0,60}|\\*):${VALUE}(?=[\\s"'\`]|$)`,
      'gu',
    ),
  },
  // The cookie of a log-in; the signature that opens a link.
  {
    what: 'cookie',
    pattern: new RegExp(
      `(?<![\\w-])cookie["']?:[^\\n]{0,400}?(?:sess(?:ion)?|sid|auth|token|jwt)[\\w.-]{0,20}=${VALUE}`,
      'giu',
    ),
  },
  {
    what: 'signature',
    pattern: /[?&](?:sig|signature|x-(?:amz|goog)-signature)=(?<value>[^\s"'`<>&#]{8,2000})/giu,
  },
  // A code in spoken digits: at least four, right behind a colon or a verb, and nothing is counted with them.
  { what: 'pin', pattern: spokenDigits() },
  // The words of a wallet: a phrase of 12 to 24, in fixed steps, behind its name.
  { what: 'seed phrase', pattern: seedPhrase() },
  // A phrase of several words behind its name.
  {
    what: 'passphrase',
    pattern:
      /(?<![\p{L}\d])(?:[Pp]ass[ -]?phrase|[Pp]hrase (?:de passe|secrète)|[Ff]rase (?:de paso|secreta|segreta)|パスフレーズ)(?:\s(?:of|for|to|für|vom|von|zum|zur|des|der|de|du|del|para|pour|per)\s[^\n:=]{1,40})?\s?[:=]\s{0,3}["“„']?(?<value>(?!(?:at|must|should|use|no|not|min|max|minimum|the|see|in|from|ask|is|set|mindestens|muss)\s)\p{L}[\p{L}\d'’-]{0,20}(?:\s[\p{L}\d'’-]{1,20}){1,9})(?=["”'.,;)]|\s{0,4}$)/gmu,
  },
  // A log-in by an address and a short option.
  {
    what: 'password',
    pattern: new RegExp(`\\s-u\\s{1,2}[\\w.+-]{1,64}@[\\w.-]{1,100}\\s{1,2}-p\\s{1,2}${QUOTE}${VALUE}`, 'gu'),
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

function spokenDigits(): RegExp {
  const digit =
    '(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|quattro|cinque|sette|otto|nove|um|dois|três|quatro|sete|oito)'
  return new RegExp(
    `(?<!\\p{L})(?:pin|(?:pass|key|tür|tor|zugangs|alarm)?code|keypad|combination|geheimzahl|código|codice)(?!\\p{L})[^\\n.!?]{0,60}?(?:[:=]|(?<!\\p{L})(?:is|ist|lautet|est|es|é|è))\\s{1,2}["'“„]?(?<value>${digit}(?:[\\s,-]{1,2}${digit}){3,11})(?!\\p{L}|[\\s,-]{1,3}\\p{L})`,
    'giu',
  )
}

function seedPhrase(): RegExp {
  const names =
    'seed|mnemonic|mnemonik|mnemónica|mnemônica|mnémonique|recovery phrase|recovery words|backup phrase|wallet words|secret phrase|wiederherstellungsphrase|wiederherstellungswörter|phrase de récupération|phrase secrète|frase de recuper|frase semilla|frase di recupero|semilla|semente|herstelzin|сид-?фраз|мнемоник'
  const name = names.replaceAll(/(?<=^|\|)\p{Ll}/gu, letter => `[${letter}${letter.toUpperCase()}]`)
  // Words of wallets have three to eight letters; those that hold a sentence together are not among them.
  const word =
    '(?!(?:the|and|for|are|was|not|you|with|from|have|has|had|our|but|were|which|must|its|their|should|would|could|does|gets|been|being|into|because|than|und|der|die|das|les|des|que|los|las)\\s)\\p{Ll}{3,8}'
  return new RegExp(
    `(?<![\\p{L}\\d_])(?:${name})[^\\n]{0,120}?(?:[:=“„"'\`(]|\\s(?:is|ist|lautet|est|es|é))\\s{0,3}["'“]?(?<value>${word}(?:\\s${word}){11}(?:(?:\\s${word}){3}){0,4})(?![\\p{L}\\d]|[ -]\\p{L})`,
    'gu',
  )
}

/** The signs by which `mayHoldSecret` knows that a rule here may match. */
export const CONTEXT_SIGN = `${SECRET_STEMS}|zip\\s|7z\\s|rar\\s|mosquitto|mongo|helm|mysql|signin|authentic|activate|auth\\s|mariadb|redis-cli|ldap|curl|wget|http|xh\\s|smbclient|sudo|recovery|wiederherst|semilla|semente|frase|phrase|herstelzin|сид|мнемон|\\s-p\\s|cookie|[?&](?:sig|x-)|:(?:\\d{3,5}|\\*):|hooks\\.|discord`

/** Replaces secrets by named placeholders. */
export function withoutContextSecrets(text: string): string {
  let clean = text
  for (const { what, pattern } of RULES)
    clean = clean.replace(pattern, (...found: unknown[]) => {
      const whole = String(found[0])
      const value = trimmed(groupValue(found))
      if (!isValue(value)) return whole
      const at = whole.lastIndexOf(value)
      return `${whole.slice(0, at)}[redacted: ${what}]${whole.slice(at + value.length)}`
    })
  return withoutSecretValues(clean)
}

/** The secrets that a text gives away: they must not stand elsewhere either. */
export function contextSecretsIn(text: string): string[] {
  const placed = RULES.flatMap(({ pattern }) =>
    [...text.matchAll(pattern)].map(found => trimmed(groupValue([...found, found.groups]))).filter(isValue),
  )
  return [...placed, ...secretValuesIn(text)].filter(
    value => value.length >= MIN_EVERYWHERE && (isMixed(value) || value.includes(' ')),
  )
}

/** A shorter value, or a word, would be found inside ordinary text. */
const MIN_EVERYWHERE = 6

const groupValue = (found: readonly unknown[]): string => {
  const groups = found.at(-1)
  return typeof groups === 'object' && groups !== null && 'value' in groups ? String(groups.value) : ''
}

const trimmed = (value: string): string => value.replace(/[.,:!?]{1,4}$/, '')

const isValue = (value: string): boolean =>
  value.length >= 3 && !/^(?:\[?redacted|true|false|null|none|https?:)/i.test(value)

const isMixed = (value: string): boolean =>
  /\p{L}/u.test(value) &&
  (/\d/.test(value) || /[!#$%&*@^~+]/.test(value)) &&
  !/^\d+(?:ms|s|px|kb|mb|gb|%|th|nd|rd|st)$/i.test(value)
