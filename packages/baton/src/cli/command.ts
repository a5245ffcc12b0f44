import { parseArgs } from 'node:util'
import { BatonError } from '@batonpass/contract/errors'
import type { Io } from './io.ts'

export interface Option {
  type: 'boolean' | 'string'
  short?: string
  /** What the help calls the value, e.g. `SESSION`. */
  value?: string
  help: string
  /** The only accepted values. */
  choices?: readonly string[]
  many?: boolean
  required?: boolean
  /** The value is optional; it is given as `--name=VALUE`. */
  optional?: boolean
}

export interface Positional {
  name: string
  help: string
  required?: boolean
  many?: boolean
  choices?: readonly string[]
}

/** One command as the user sees it. Its handler is loaded only when it runs. */
export interface Command {
  name: string
  summary: string
  details?: string
  positionals?: readonly Positional[]
  options?: Readonly<Record<string, Option>>
  examples: readonly (readonly [command: string, what: string])[]
  /** Printed when the command fails, which then exits 0: an agent reads any other exit code as a verdict. */
  insteadOfFailing?: string
  /** Its heading in the overview. */
  group?: string
  /** Left out of the overview. */
  hidden?: boolean
  load(): Promise<Handler>
}

export interface Given {
  positionals: readonly string[]
  /** Options that were given; a flag is `true`, a repeated option a list. */
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

export type Handler = (given: Given, io: Io) => Promise<number>

/** Exit codes, part of the contract with scripts. */
export const EXIT = { ok: 0, failed: 1, usage: 2, noDaemon: 3, invalid: 4, interrupted: 130 } as const

/** Parses a command's own words; an unknown word or option is an error that names it. */
export function parse(command: Command, words: readonly string[]): Given {
  const options: Record<string, Option> = { ...command.options, help: HELP }
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      // Without a value it is an empty one: the word after it is the next one's.
      args: words.map(word =>
        options[word.slice(2)]?.optional && word.startsWith('--') ? `${word}=` : word,
      ),
      allowPositionals: true,
      strict: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, option]) => [
          name,
          {
            type: option.type,
            ...(option.short ? { short: option.short } : {}),
            ...(option.many ? { multiple: true } : {}),
          },
        ]),
      ),
    })
  } catch (cause) {
    throw usage(command, cause instanceof Error ? (cause.message.split('. ')[0] ?? '') : String(cause))
  }
  const given: Given = { positionals: parsed.positionals, options: parsed.values as Given['options'] }
  if (given.options.help) return given
  for (const [name, value] of Object.entries(given.options))
    checkChoice(command, `--${name}`, value, options[name]?.choices)
  const missing = Object.entries(options).find(
    ([name, option]) => option.required && given.options[name] === undefined,
  )
  if (missing) throw usage(command, `--${missing[0]} is required`)
  checkPositionals(command, parsed.positionals)
  return given
}

export const HELP: Option = { type: 'boolean', short: 'h', help: 'Show this help.' }

export function text(given: Given, name: string): string | undefined {
  const value = given.options[name]
  return typeof value === 'string' ? value : undefined
}

export function flag(given: Given, name: string): boolean {
  return given.options[name] === true
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const wanted = command.positionals ?? []
  const missing = wanted.find((positional, i) => positional.required && given[i] === undefined)
  if (missing) throw usage(command, `${missing.name} is missing: ${missing.help}`)
  const extra = given[wanted.length]
  if (extra !== undefined && !wanted.at(-1)?.many) throw usage(command, `Unexpected word '${extra}'`)
  for (const [i, value] of given.entries()) {
    const positional = wanted[Math.min(i, wanted.length - 1)]
    checkChoice(command, positional?.name ?? '', value, positional?.choices)
  }
}

function checkChoice(
  command: Command,
  name: string,
  value: unknown,
  choices: readonly string[] | undefined,
): void {
  if (!choices) return
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === 'string' && !choices.includes(one)) {
      throw usage(command, `${name} must be one of ${choices.join(', ')}, not '${one}'`)
    }
  }
}

const usage = (command: Command, message: string) =>
  new BatonError('usage', message, { remedy: `See \`baton ${command.name} --help\`.` })
