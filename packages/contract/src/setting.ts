import { z } from 'zod'

/** What Baton must know about a setting besides its type. No text here quotes a value, so a secret cannot leak into an error. */
export interface SettingFacts {
  /** Completes "expected …" in an error and names the type in the reference. */
  expects: string
  /**
   * What a project's file may do before `baton trust`: not set this key at all (`needed`),
   * or only make it stricter than the user's own value (`to-loosen`). Absent: the project's value always applies.
   */
  trust?: 'needed' | 'to-loosen'
  /** For `to-loosen`: the values from strict to loose, or `more` if a larger number (or no value) is looser. */
  looser?: readonly unknown[] | 'more'
  /** Never shown in any output or error. */
  secret?: true
  /** Environment variables that override every file; the first one set wins. */
  env?: readonly string[]
  /** Lists from all files are combined instead of the nearest file winning, so that no file can drop another file's deny. */
  accumulates?: true
  /** The value to use while a file cannot be parsed and Baton has no earlier valid configuration. */
  whenBroken?: unknown
  /** How a number is shown. */
  unit?: 'bytes'
  /** Shown instead of the default if there is no fixed one. */
  defaultText?: string
}

/** The facts of each setting, found by its schema. */
export const settingFacts = z.registry<SettingFacts>()

/** A group of settings. An unknown key is an error. */
export const section = <S extends z.ZodRawShape>(description: string, shape: S) =>
  z.strictObject(shape).meta({ description })

/** Gives a schema its description and facts. */
export function setting<S extends z.ZodType>(schema: S, description: string, facts: SettingFacts): S {
  const described = schema.meta({ description })
  settingFacts.add(described, facts)
  return described
}

type Facts = Omit<SettingFacts, 'expects'>

const words = { on: true, yes: true, off: false, no: false } as const

/** True or false. Also accepts `on`, `off`, `yes` and `no`: they were booleans in YAML 1.1, and people still write them. */
export const flag = (fallback: boolean, description: string, facts: Facts = {}) =>
  setting(
    z
      .union([z.boolean(), z.enum(['on', 'off', 'yes', 'no'])])
      .transform(value => (typeof value === 'boolean' ? value : words[value]))
      .prefault(fallback),
    description,
    { expects: 'true or false', ...facts },
  )

export const whole = (min: number, max: number, fallback: number, description: string, facts: Facts = {}) =>
  setting(z.int().min(min).max(max).default(fallback), description, {
    expects: `a whole number from ${min} to ${max}`,
    ...facts,
  })

export const choice = <const T extends string>(
  values: readonly T[],
  fallback: NoInfer<T>,
  description: string,
  facts: Facts = {},
) =>
  setting(z.enum(values).default(fallback as z.core.util.NoUndefined<T>), description, {
    expects: `one of ${values.join(', ')}`,
    ...facts,
  })

/** One line of text. */
export const text = (fallback: string, description: string, facts: Facts & { expects?: string } = {}) =>
  setting(
    z
      .string()
      .max(10_000)
      .regex(/^[^\p{Cc}]*$/u)
      .default(fallback),
    description,
    { expects: 'one line of text', ...facts },
  )

/** An upper limit that is absent by default. */
export const limit = (schema: z.ZodNumber, expects: string, description: string) =>
  setting(schema.optional(), description, {
    expects,
    trust: 'to-loosen',
    looser: 'more',
    defaultText: 'no limit',
  })

/** An id that YAML may parse as a number, kept as text. A number above 2^53 would lose digits and must be quoted. */
export const numericText = z.union([z.string(), z.int()]).transform(String)

const units = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
}
const sizePattern = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt]i?b|b)?\s*$/i

/** A size such as `2GB` or `512MiB`, in bytes once parsed. */
export const size = (min: number, fallback: string, description: string) =>
  setting(
    z
      .union([z.string().regex(sizePattern), z.int()])
      .transform(value => bytesOf(String(value)))
      .pipe(z.int().min(min))
      .prefault(fallback),
    description,
    { expects: `a size such as 500MB or 2GB, at least ${showSize(min)}`, unit: 'bytes' },
  )

function bytesOf(written: string): number {
  const [, number, unit = 'B'] = sizePattern.exec(written) ?? []
  return Math.round(Number(number) * units[unit.toUpperCase() as keyof typeof units])
}

/** The shortest exact notation for a number of bytes. */
export function showSize(bytes: number): string {
  const unit = (['TB', 'GB', 'MB', 'KB'] as const).find(
    name => bytes >= units[name] && bytes % (units[name] / 100) === 0,
  )
  return unit ? `${bytes / units[unit]}${unit}` : `${bytes}B`
}

/** The address of a service, or nothing. */
export const webAddress = z
  .string()
  .regex(/^(https?:\/\/[^\s\p{Cc}]+)?$/u)
  .default('')
