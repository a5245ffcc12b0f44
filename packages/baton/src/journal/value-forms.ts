/** The forms that values have: random texts, and names of things that are no secrets. Every repetition is bounded, as in secrets.ts. */

/** How many of these a value has: small letters, capitals, digits, other signs. */
export const kindsOf = (value: string): number =>
  [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter(kind => kind.test(value)).length

/** All four kinds, with a sign that names do not have, or a long random text. */
export function isStrong(value: string): boolean {
  if (value.includes('/') && !/^[A-Za-z0-9+/]{32,}={0,2}$/.test(value)) return false
  if (
    value.length >= 7 &&
    value.length <= 80 &&
    kindsOf(value) === 4 &&
    /[\p{L}\d][!$%&*^~+?§#][\p{L}\d]|\d[!$^§]$/u.test(value)
  )
    return !isIdentifier(value)
  if (value.length < 20 || !/^[\w+/=.-]+$/.test(value) || kindsOf(value.replaceAll(/[^A-Za-z\d]/g, '')) < 3)
    return false
  const changes = [...value].filter((sign, i) => i > 0 && kindOf(sign) !== kindOf(value[i - 1] ?? '')).length
  return changes / value.length >= 0.35 && (value.match(/\d+/g)?.length ?? 0) >= 3
}

const kindOf = (sign: string): number =>
  /\d/.test(sign) ? 0 : /[a-z]/.test(sign) ? 1 : /[A-Z]/.test(sign) ? 2 : 3

/** What developers write that is not a word and not a secret either. */
export function isKnownName(value: string): boolean {
  return (
    KNOWN.test(value) ||
    PRODUCT.test(value) ||
    /^(?:\[?redacted|true|false|null|none|https?:|\$|%|\*{3}|<|\{\{|~)/i.test(value) ||
    // Paths and files; a value with a slash that is random is found as a strong one.
    (value.includes('/') && !isStrong(value)) ||
    /^[\p{L}\w.+-]{1,100}\.(?:[a-z]{1,4}\d?|json|yaml|toml|lock|local|internal|example)(?::\d+)*$/u.test(
      value,
    )
  )
}

const KNOWN = new RegExp(
  [
    // hashes, ids and tickets
    '[0-9a-f]{7,64}',
    '0[xX][\\da-fA-F]{1,64}',
    '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}',
    'sha\\d{1,3}[-:][\\w+/=-]{20,}',
    '[\\w./:-]{1,200}@sha\\d{1,3}:[\\da-f]{6,128}',
    '[A-Z][A-Z\\d]{0,12}-\\d{1,7}',
    '(?:[a-z][\\w.-]{0,40}|PR|MR|GH|Issue|Bug|Ticket)#\\d{1,7}',
    '#\\d+',
    '(?:toolu|msg|call|req|run|ses|evt|hnd|clm|ask|chatcmpl|resp|item|rs|fc)_\\w+',
    '[a-z]+(?:_[a-z]+)+\\d{0,2}',
    // versions, dates, times, amounts, ports, addresses
    'v?\\d+(?:[.:,xX×-]\\d+)*(?:[-+.](?:rc|beta|alpha|dev|pre|snapshot|lts|slim|alpine)[\\w.]*)?',
    'v?\\d+(?:\\.\\d+){1,3}(?:-(?:rc|beta|alpha|dev|pre|snapshot|canary|next|nightly)[\\d.]{0,12})?(?:-\\d{1,6})?[-+]g?[0-9a-f]{7,40}(?:[-+.]dirty)?',
    'v\\d+(?:\\.\\d+){1,3}[-+.]\\w{1,8}',
    '(?:tcp:)?[\\w-]+(?:\\.[\\w-]+)+,\\d{2,5}',
    '\\d{4}-\\d\\d?(?:-\\d\\d?)?(?:T[\\d:.]+Z?)?',
    '[<>=~^]{0,2}\\d[\\d.,]*\\s?[\\p{L}%°µ]{1,8}(?:\\/\\p{L}{1,4})?',
    '[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+|[a-z][\\w.-]+@[a-z][a-z-]*\\d{0,2}',
    '(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d+)?',
    '[\\w.-]+:\\d{2,5}(?::\\d{2,5})?',
    '@?[\\w./-]+@[v^~]?\\d[\\w.-]*',
    '[a-z][\\w.-]*:v?\\d[\\w.-]*',
    // names of variables, and calls
    '[A-Z][A-Z\\d]*(?:_[A-Z\\d]+)+',
    '[A-Za-z_$][\\w$]*(?:\\.[A-Za-z_$][\\w$]*)+',
  ]
    .map(form => `^(?:${form})$`)
    .join('|'),
  'u',
)

/** Algorithms, formats and products that end with a number. */
const PRODUCT =
  /^(?:(?:sha|md|aes|rsa|hmac|[hrep]s|utf|base|oauth|argon|bcrypt|scrypt|pbkdf|ed|x|curve|secp|https?|tls|ssl|ipv|iso|rfc|es|web|arm|amd|win|python|node|java|php|postgres|postgresql|mysql|log|neo|vue|angular|next|mp|s|k|h|p|ec|q|fido|jdk|ios|android|usb|wpa|ntlmv|smb|psr)-?\d{1,5}\w{0,4}(?:-\w{1,6})?|a11y|i18n|l10n|k8s)$/i

export const isProduct = (word: string): boolean => PRODUCT.test(word)

/** Names in code: words of letters with a number at an end or between them, methods, keys to press. */
export const isIdentifier = (value: string): boolean =>
  /^[a-z]+(?:[-_][a-z]+)*(?:[-_]v?\d{1,2})?$/.test(value) ||
  /^[A-Z][\w:]*#[a-z_]\w*[?!]?$/.test(value) ||
  /^(?:ctrl|alt|shift|cmd|meta|option|strg|win)\+/i.test(value) ||
  /^[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$/.test(value) ||
  /^(?:[A-Z][a-z]+){2,}\d{0,2}$/.test(value) ||
  /%[\dA-F]{2}/.test(value)

/**
 * Random text that its own beginning names: a digest with its kind (`SHA256:…` of a host's key, `sha512-…` of a lockfile, `h1:…` of
 * go.sum), a public key of SSH, an embedded picture.
 */
export const isDigest = (value: string): boolean =>
  /^(?:(?:SHA256|h\d):[\w+/]{43}=?|(?:sha\d{1,3}[-:]|data:\w{1,20}\/[\w.+-]{1,40};base64,|AAAA(?:[BC]3NzaC1|E2VjZHNhL))[\w+/]{20,4000}={0,2})$/.test(
    value,
  )
