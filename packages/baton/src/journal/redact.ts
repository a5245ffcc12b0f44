import { isReference, mayHoldSecret, secretRules } from './secrets.ts'

export const REDACTED = '[redacted]'

/** Whether a secret was removed from the text; a placeholder may name it. */
export const holdsPlaceholder = (text: string): boolean => /\[redacted(?:: [^\]\n]{0,200})?\]/.test(text)

export interface Redactor {
  /** Removes secrets from strings and keys at any depth. Returns the same value if it contains none. */
  redact<T>(value: T): T
  text(text: string): string
  /** As `redact`, and cuts very long strings. */
  redactAndCut<T>(value: T): T
}

/** Removes the given secrets and everything that looks like a secret. Calls `secrets` each time, because the configuration can change. */
export function makeRedactor(secrets: () => readonly string[] = () => []): Redactor {
  let given: readonly string[] = []
  let forms: string[] = []
  const current = () => {
    const next = secrets()
    if (next.length !== given.length || next.some((secret, index) => secret !== given[index])) {
      given = [...next]
      forms = formsOf(given)
    }
    return forms
  }
  return {
    redact: value => walk(value, redactText(current()), 0) as typeof value,
    text: text => redactText(current())(text),
    redactAndCut: value => {
      const redact = redactText(current())
      return walk(value, text => redact(bounded(text)), 0) as typeof value
    },
  }
}

/** A shorter value would match inside ordinary words. */
const SHORTEST_SECRET = 6
/** JSON nested deeper than this is an attack and would overflow the stack. */
const MAX_DEPTH = 200

/** Searching a text of 26 MB would keep every hook waiting for seconds. */
const LONGEST_TEXT = 1_000_000

/** Cuts a very long text at a blank, so that no half of a secret stays. */
function bounded(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  const kept = text.slice(0, text.slice(0, LONGEST_TEXT).search(/\s\S*$/) + 1)
  return `${kept}[${text.length - kept.length} more characters are not recorded]`
}

type Redact = (text: string) => string

function redactText(forms: readonly string[]): Redact {
  const once: Redact = text => {
    let clean = text
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, REDACTED)
    if (!mayHoldSecret(clean)) return clean
    for (const rule of secretRules) clean = rule(clean, REDACTED)
    return clean
  }
  return text => {
    if (text.length < SHORTEST_SECRET) return text
    let clean = once(text)
    // Removing one secret may expose the boundary of the next. The limit keeps hostile text from causing an endless loop.
    for (let passes = 0, before = text; clean !== before && passes < 4; passes++) {
      before = clean
      clean = once(clean)
    }
    return clean
  }
}

function walk(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[too deep]'
  if (Array.isArray(value)) {
    const items = value.map(item => walk(item, redact, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  let changed = false
  const taken = new Set<string>()
  const pairs = Object.entries(value).map(([key, item]) => {
    const cleanKey = unused(redact(key), taken)
    const clean = isSecretUnder(key, item) ? REDACTED : walk(item, redact, depth + 1)
    changed ||= cleanKey !== key || clean !== item
    return [cleanKey, clean] as const
  })
  // fromEntries defines properties, so that a key like __proto__ stays a key.
  return changed ? Object.fromEntries(pairs) : value
}

// Two keys may become equal after redaction; number them so that neither value is lost.
function unused(key: string, taken: Set<string>): string {
  let name = key
  for (let count = 2; taken.has(name); count++) name = `${key} ${count}`
  taken.add(name)
  return name
}

const SECRET_KEY =
  /^(?:[\w.-]{0,64}[_.-])?(?:password|passwd|passphrase|secret|client[_-]?secret|api[_-]?key|apikey|private[_-]?key|secret[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|id[_-]?token|bot[_-]?token)$/i

/** `{ "password": "…" }`: the key shows that the value is a secret, whatever it looks like. */
function isSecretUnder(key: string, value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value !== REDACTED &&
    SECRET_KEY.test(key) &&
    !isReference(value)
  )
}

function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .filter(secret => secret.length >= SHORTEST_SECRET && !REDACTED.includes(secret))
    .flatMap(secret => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ])
  // Longest first: a secret may contain another one.
  return [...new Set(forms)].sort((a, b) => b.length - a.length)
}
