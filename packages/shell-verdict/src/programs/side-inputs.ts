import type { Parsed } from '../shell/options.ts'
import { findAddressHazard } from './addresses.ts'
import type { Assessment } from './assessment.ts'
import { worse } from './kinds.ts'
import type { CompiledSpec } from './spec.ts'

/** Surely a file and no text that is searched for. */
const WHOLE_PATH = /^(?:[~/]|file:)|[=@](?:[~/]|file:)/

/** What the table gives no role to: values of flags, and arguments of programs whose arguments it does not describe. */
export function noteUnplaced({ spec }: CompiledSpec, parsed: Parsed, result: Assessment): void {
  if (spec.complete || spec.flagless || spec.wrapper) return
  if (spec.args === undefined) result.unplaced.push(...parsed.positionals)
  for (const { flag, value } of parsed.flags)
    if (value && flag?.role === 'text' && (spec.args === undefined || WHOLE_PATH.test(value.value ?? '')))
      result.unplaced.push(value)
}

/** `@FILE` is replaced by arguments that are not in the command. */
export function demandWrittenOut({ positionals }: Parsed, result: Assessment): void {
  const file = positionals.find(word => (word.value ?? word.prefix).startsWith('@'))
  if (!file) return
  result.kind = worse(result.kind, 'unlisted')
  result.reason = `takes more arguments from a file: ${file.text}`
}

/** An address may carry data out, or ask for the credentials of this machine. */
export function judgeAddresses(result: Assessment): void {
  for (const word of result.hosts) {
    const hazard = findAddressHazard(word)
    if (!hazard || worse(result.kind, hazard.kind) === result.kind) continue
    result.kind = hazard.kind
    result.reason = hazard.reason
  }
}
