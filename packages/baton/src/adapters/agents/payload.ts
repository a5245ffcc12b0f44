import { createHash } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'
import { NATIVE_ID } from '@batonpass/contract/native-id'

/**
 * Reads an agent's hook JSON field by field. The JSON is hostile: a field of the wrong type is an error that
 * names the field and never shows what it holds. A field that is null counts as missing.
 */
export interface Payload {
  /** A required string. */
  text(field: string): string
  optionalText(field: string): string | undefined
  /** Like optionalText, but `''` counts as missing. */
  someText(field: string): string | undefined
  flag(field: string): boolean
  /** A number from 0 up, if given. */
  amount(field: string): number | undefined
  /** A whole number from 0 up, if given. */
  count(field: string): number | undefined
  texts(field: string): string[]
  list(field: string): unknown[] | undefined
  /** The session's own id. Refused unless it is safe as a file name. */
  sessionId(...fields: string[]): string
  /** Any other id of the agent. One that is not safe as a file name is replaced by its digest. */
  id(field: string): string | undefined
  raw(field: string): unknown
  /** An object inside: its fields are named `field.name` in errors. */
  inside(field: string): Payload
  has(field: string): boolean
}

export function readPayload(agent: string, payload: unknown): Payload {
  if (!isRecord(payload)) throw invalid(agent, 'the hook payload must be a JSON object')
  return reader(agent, payload, '')
}

/** The event's name: the payload's own, else the one in the hook's arguments. They may not contradict each other. */
export function eventName(agent: string, payload: Payload, argument: string | undefined): string {
  const own = payload.someText('hook_event_name')
  if (own !== undefined && argument !== undefined && own !== argument)
    throw invalid(agent, '`hook_event_name` is not the event this hook was installed for')
  const name = own ?? argument
  if (name === undefined) throw invalid(agent, '`hook_event_name` is missing')
  return name
}

/** An event name that is safe to print: names we do not know come from outside. */
export function printableName(name: string): string {
  return /^[A-Za-z][A-Za-z.]{0,63}$/.test(name) ? name : 'an event with an unprintable name'
}

/** Nothing, or one key: an event never holds a key with nothing behind it. */
export function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}

function reader(agent: string, record: Record<string, unknown>, prefix: string): Payload {
  const get = (field: string): unknown =>
    Object.hasOwn(record, field) ? (record[field] ?? undefined) : undefined
  const wrong = (field: string, expected: string) =>
    invalid(agent, `\`${prefix}${field}\` must be ${expected}`)

  const optionalText = (field: string): string | undefined => {
    const value = get(field)
    if (value === undefined || typeof value === 'string') return value
    throw wrong(field, 'text')
  }
  const amount = (field: string): number | undefined => {
    const value = get(field)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
    throw wrong(field, 'a number from 0 up')
  }

  const list = (field: string): unknown[] | undefined => {
    const value = get(field)
    if (value === undefined || Array.isArray(value)) return value
    throw wrong(field, 'a list')
  }

  return {
    optionalText,
    amount,
    text(field) {
      const value = optionalText(field)
      if (value === undefined) throw wrong(field, 'text')
      return value
    },
    someText: field => optionalText(field) || undefined,
    flag(field) {
      const value = get(field)
      if (value === undefined) return false
      if (typeof value === 'boolean') return value
      throw wrong(field, 'true or false')
    },
    count(field) {
      const value = amount(field)
      if (value !== undefined && !Number.isSafeInteger(value)) throw wrong(field, 'a whole number')
      return value
    },
    texts(field) {
      const items = list(field) ?? []
      if (items.every(item => typeof item === 'string')) return items
      throw wrong(field, 'a list of texts')
    },
    list,
    sessionId(...fields) {
      const field = fields.find(name => get(name) !== undefined) ?? fields[0] ?? 'session_id'
      const value = get(field)
      if (typeof value === 'string' && NATIVE_ID.test(value)) return value
      throw wrong(field, 'an id of letters, digits, `.`, `_`, `:` and `-`')
    },
    id(field) {
      const value = optionalText(field)
      return value ? fileSafeId(value) : undefined
    },
    raw: get,
    inside(field) {
      const value = get(field)
      if (value === undefined) return reader(agent, {}, `${prefix}${field}.`)
      if (isRecord(value)) return reader(agent, value, `${prefix}${field}.`)
      throw wrong(field, 'an object')
    },
    has: field => get(field) !== undefined,
  }
}

/** Some model vendors' tool ids hold line breaks or slashes; the digest keeps two of them apart. */
function fileSafeId(id: string): string {
  if (NATIVE_ID.test(id)) return id
  return `sha256:${createHash('sha256').update(id).digest('hex').slice(0, 40)}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(agent: string, message: string): BatonError {
  return new BatonError('payload_invalid', `${agent}: ${message}.`, {
    remedy: 'Run `baton doctor`: it checks that the installed agent version is one Baton understands.',
  })
}
