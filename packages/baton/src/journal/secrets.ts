import { CONTEXT_SIGN, withoutContextSecrets } from './secrets-in-context.ts'

/**
 * Patterns of secrets. Every expression runs in linear time on hostile text: every repetition is bounded,
 * and a long repetition cannot start again inside the text it has just matched. Each expression starts with
 * a literal or a lookbehind for one, which the regex engine finds fast.
 */
export type SecretRule = (text: string, mark: string) => string

export const secretRules: readonly SecretRule[] = [
  withoutPrivateKeys,
  ...vendorKeys().map(replacing),
  // A token must not follow another token character: `eyJeyJeyJ…` is then scanned once, not once per `eyJ`.
  replacing(/(?<![\w-])eyJ[\w-]{8,16000}\.eyJ[\w-]{8,64000}(?:\.[\w-]{0,4000})?/g),
  // Telegram: a letter beyond F distinguishes a bot token from a number followed by a hash.
  replacing(/(?<=(?:^|[^\w-])(?:bot)?)\d{6,12}:(?=[\w-]{0,40}[G-Zg-z_-])[A-Z][\w-]{29,200}/g),
  replacing(
    /(authorization["'\\]{0,4}\s{0,8}[:=]\s{0,8}["'\\]{0,4}(?:bearer|basic|token|bot|apikey)\s{1,8})[^\s"'\\,;<>()[\]{}$]{6,4000}/gi,
  ),
  replacing(/\b(bearer\s{1,8})(?=[A-Za-z._~+/=-]{0,200}\d)[\w.~+/=-]{16,4000}/gi),
  // The part before @ must not contain a slash, so that it does not extend to a later address in the text.
  replacing(/(:\/\/[^\s/?#:@"'<>\\]{0,200}:)(?!\[redacted\]@|[${<])[^\s/?@"'<>\\]{1,400}(?=@)/g),
  withoutAssigned,
  withoutContextSecrets,
]

/**
 * A quick check: false if no rule can match. One test instead of two dozen, because nearly every text and every key
 * contains none of these signs. A new rule must add its sign here, or it never runs.
 */
export function mayHoldSecret(text: string): boolean {
  return SIGN.test(text)
}
const SIGN = new RegExp(
  `[:=]|PRIVATE KEY|eyJ|bearer\\s|sk-|[sr]k_|gh[pousr]_|github_pat_|glpat-|xox|xapp-|A(?:KIA|SIA)|AIza|npm_|hf_|pypi-|SG\\.|xai-|ya29\\.|${CONTEXT_SIGN}`,
  'i',
)

/** API keys with a vendor's prefix. */
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

/** Replaces matches. The first group, if any, precedes the secret and is kept. */
function replacing(pattern: RegExp): SecretRule {
  return (text, mark) =>
    text.replace(pattern, (_, kept: unknown) => (typeof kept === 'string' ? kept + mark : mark))
}

const NAME =
  '(?:pass(?:word|wd|phrase)|(?<=_)pass|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|credentials?)'
const ASSIGNED = new RegExp(
  `(?<=(${NAME})(?:_\\w{0,24})?["'\\\\]{0,3}\\s{0,4})` +
    '(?:=>|[:=])(?!=)\\s{0,4}' +
    `(?:\\\\?["'\`]([^\\s"'\`\\\\]{4,4000})(?=["'\`\\\\])|([^\\s"'\`\\\\,;&|<>]{4,4000}))`,
  'gi',
)

/** Removes `password=…`, `"token": "…"`, `API_KEY: …`: values with the name of a secret that are not clearly code. */
function withoutAssigned(text: string, mark: string): string {
  return text.replace(
    ASSIGNED,
    (whole, name: string, quoted: string | undefined, bare: string | undefined, at: number) => {
      const value = quoted ?? bare ?? ''
      if (value.startsWith(mark) || isReference(value)) return whole
      const sign = whole.slice(0, whole.length - value.length)
      if (quoted !== undefined) return isQuotedSecret(name, quoted) ? sign + mark : whole
      // A closing bracket at the end belongs to the surrounding code, not to the value.
      const core = value.replace(/[)\]}]{1,8}$/, '')
      const before = /[?&]?[\w.-]{0,64}$/.exec(text.slice(Math.max(0, at - 65), at))?.[0] ?? ''
      return isBareSecret(name, core, sign, before) ? sign + mark + value.slice(core.length) : whole
    },
  )
}

// A quoted word may be a label, but after "password" it is usually the secret itself.
function isQuotedSecret(name: string, value: string): boolean {
  return isPassword(name) ? value.length >= 6 || /\d/.test(value) : looksRandom(value)
}

function isBareSecret(name: string, value: string, sign: string, before: string): boolean {
  // On a command line, in a query string or in an environment file, only a value can follow.
  const plain = /^[-?&]/.test(before) || (sign === '=' && /^[A-Z0-9_]+$/.test(before))
  if (plain) return value.length >= 4 && !/^(?:true|false|null|none)$/i.test(value)
  // What is neither a name nor an expression is the value itself: `password=folio-verso` in the address of a database.
  if (sign === '=' && isPassword(name) && /^[\p{L}\d]+(?:[-!#%&@^~+][\p{L}\d]+)+$/u.test(value)) return true
  if (/[()[\]{}]/.test(value) || /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false
  return isPassword(name) ? value.length >= 6 && hasBoth(value) : looksRandom(value)
}

/** `$VAR`, `<password>`, `env:NAME`, a path: a reference to a secret, not the secret itself. */
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

/** Removes a whole private key. If its end was cut off, removes the base64 lines that follow. */
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
