/**
 * The shapes of secrets. Every expression runs in linear time on hostile text: nothing repeats
 * without bound, and what repeats far cannot start again inside what it has just read.
 * Each begins with a literal or stands on one by looking back, which the regex engine finds fast.
 */
export type SecretRule = (text: string, mark: string) => string

export const secretRules: readonly SecretRule[] = [
  withoutPrivateKeys,
  ...vendorKeys().map(replacing),
  // A token starts only where no token character stands before it: `eyJeyJeyJ…` is read once, not once per `eyJ`.
  replacing(/(?<![\w-])eyJ[\w-]{8,16000}\.eyJ[\w-]{8,64000}(?:\.[\w-]{0,4000})?/g),
  // Telegram: some letter beyond F tells a bot's token from a number with a hash behind it.
  replacing(/(?<![\w-])\d{6,12}:(?=[\w-]{0,40}[G-Zg-z_-])[A-Z][\w-]{29,200}/g),
  replacing(
    /(authorization["'\\]{0,4}\s{0,8}[:=]\s{0,8}["'\\]{0,4}(?:bearer|basic|token|bot|apikey)\s{1,8})[^\s"'\\,;<>()[\]{}$]{6,4000}/gi,
  ),
  replacing(/\b(bearer\s{1,8})(?=[A-Za-z._~+/=-]{0,200}\d)[\w.~+/=-]{16,4000}/gi),
  // The part before @ may hold no slash, so that an address later in the text is not joined to this one.
  replacing(/(:\/\/[^\s/?#:@"'<>\\]{0,200}:)(?!\[redacted\]@|[${<])[^\s/?#@"'<>\\]{1,400}(?=@)/g),
  withoutAssigned,
]

/**
 * False where no rule can find anything. One look instead of two dozen: nearly every text, and every key, holds none
 * of these. What a rule needs stands here, too: it finds nothing in a text without it.
 */
export function mayHoldSecret(text: string): boolean {
  return SIGN.test(text)
}
const SIGN =
  /[:=]|PRIVATE KEY|eyJ|bearer\s|sk-|[sr]k_|gh[pousr]_|github_pat_|glpat-|xox|xapp-|A(?:KIA|SIA)|AIza|npm_|hf_|pypi-|SG\.|xai-|ya29\./i

/** Keys that their vendors gave a prefix. */
function vendorKeys(): RegExp[] {
  return [
    'sk-(?:ant-[\\w-]{16,400}|(?:proj|svcacct|admin|or-v1|lf)-[\\w-]{16,400}|[A-Za-z0-9]{32,400})',
    '[sr]k_(?:live|test)_[A-Za-z0-9]{16,400}',
    'gh[pousr]_[A-Za-z0-9]{30,400}',
    'github_pat_\\w{22,400}',
    'glpat-[\\w-]{20,400}',
    'xox[abeoprs]-[A-Za-z0-9-]{10,400}',
    'xapp-[A-Za-z0-9-]{20,400}',
    'A(?:KIA|SIA)[A-Z0-9]{16,400}',
    'AIza[\\w-]{35,400}',
    'npm_[A-Za-z0-9]{36,400}',
    'hf_[A-Za-z]{30,400}',
    'pypi-[\\w-]{50,400}',
    'SG\\.[\\w-]{16,100}\\.[\\w-]{16,400}',
    'gsk_[A-Za-z0-9]{40,400}',
    'xai-[A-Za-z0-9]{40,400}',
    'ya29\\.[\\w-]{20,4000}',
  ].map(shape => new RegExp(`(?<![A-Za-z0-9])${shape}`, 'g'))
}

/** What an expression keeps in its first group stands before the secret and stays. */
function replacing(pattern: RegExp): SecretRule {
  return (text, mark) =>
    text.replace(pattern, (_, kept: unknown) => (typeof kept === 'string' ? kept + mark : mark))
}

const NAME =
  '(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|credentials?)'
const ASSIGNED = new RegExp(
  `(?<=(${NAME})(?:_\\w{0,24})?["'\\\\]{0,3}\\s{0,4})` +
    '(?:=>|[:=])(?!=)\\s{0,4}' +
    `(?:\\\\?["'\`]([^\\s"'\`\\\\]{4,4000})(?=["'\`\\\\])|([^\\s"'\`\\\\,;&|<>]{4,4000}))`,
  'gi',
)

/** `password=…`, `"token": "…"`, `API_KEY: …`: named as secret, and not plainly a piece of code. */
function withoutAssigned(text: string, mark: string): string {
  return text.replace(
    ASSIGNED,
    (whole, name: string, quoted: string | undefined, bare: string | undefined, at: number) => {
      const value = quoted ?? bare ?? ''
      if (value.startsWith(mark) || isReference(value)) return whole
      const sign = whole.slice(0, whole.length - value.length)
      if (quoted !== undefined) return isQuotedSecret(name, quoted) ? sign + mark : whole
      // A closing bracket ends the call around it, not the value.
      const core = value.replace(/[)\]}]{1,8}$/, '')
      const before = /[?&]?[\w.-]{0,64}$/.exec(text.slice(Math.max(0, at - 65), at))?.[0] ?? ''
      return isBareSecret(name, core, sign, before) ? sign + mark + value.slice(core.length) : whole
    },
  )
}

// A quoted word may be a label; beside "password" it is more often the thing itself.
function isQuotedSecret(name: string, value: string): boolean {
  return isPassword(name) ? value.length >= 6 || /\d/.test(value) : looksRandom(value)
}

function isBareSecret(name: string, value: string, sign: string, before: string): boolean {
  // On a command line, in a query or in an environment file nothing else than a value can follow.
  const plain = /^[-?&]/.test(before) || (sign === '=' && /^[A-Z0-9_]+$/.test(before))
  if (plain) return value.length >= 4 && !/^(?:true|false|null|none)$/i.test(value)
  if (/[()[\]{}]/.test(value) || /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false
  return isPassword(name) ? value.length >= 6 && hasBoth(value) : looksRandom(value)
}

/** `$VAR`, `<password>`, `env:NAME`, a path: says where the secret is, and is none. */
export function isReference(value: string): boolean {
  return /^(?:\$|%|\*{3}|<|\{\{|env:|process\.env|os\.environ|https?:|(?:~|\.{1,2})?\/[\w.-]{1,64}\/)/.test(
    value,
  )
}

function isPassword(name: string): boolean {
  return /^p(?:ass|wd)/i.test(name)
}

function looksRandom(value: string): boolean {
  return value.length >= 12 && hasBoth(value)
}

function hasBoth(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value)
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/g
const MAX_KEY_LENGTH = 20_000

/** A whole private key; where its end was cut off, the lines of base64 that follow. */
function withoutPrivateKeys(text: string, mark: string): string {
  if (!text.includes('PRIVATE KEY')) return text
  const ends = [...text.matchAll(END)].map(found => found.index + found[0].length)
  let clean = ''
  let read = 0
  let end = 0
  for (const begin of text.matchAll(BEGIN)) {
    if (begin.index < read) continue
    const body = begin.index + begin[0].length
    while ((ends[end] ?? Number.POSITIVE_INFINITY) < body) end++
    const whole = ends[end]
    const stop = whole !== undefined && whole - body <= MAX_KEY_LENGTH ? whole : endOfBase64(text, body)
    if (stop === body) continue
    clean += text.slice(read, begin.index) + mark
    read = stop
  }
  return clean + text.slice(read)
}

function endOfBase64(text: string, from: number): number {
  const lines = /(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,200}){1,400}/y
  lines.lastIndex = from
  return lines.test(text) ? lines.lastIndex : from
}
