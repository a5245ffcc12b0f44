import type { Kind } from '../kinds.ts'
import type { Use } from './use.ts'

/** Settles the class of a use; arguments that would be written are then only read. */
export function harmless(use: Use, reason: string, kind: Kind = 'read'): void {
  // A flag that writes, runs something or is not known is not undone by another one.
  if (
    use.parsed.strange.length > 0 ||
    use.parsed.uncertain.length > 0 ||
    use.parsed.flags.some(
      used =>
        used.flag?.kind !== undefined ||
        (used.flag?.role === 'write' && !/^(-|\/dev\/(null|stdout|stderr))?$/.test(used.value?.value ?? '?')),
    )
  )
    return
  use.result.kind = kind
  use.result.reason = reason
  use.result.reads.push(...use.result.writes)
  use.result.writes.length = 0
}

export function becomes(use: Use, kind: Kind, reason: string): void {
  use.result.kind = kind
  use.result.reason = reason
}

export function has(use: Use, ...names: string[]): boolean {
  return use.parsed.flags.some(
    used => names.includes(used.name) || (used.flag?.names.some(name => names.includes(name)) ?? false),
  )
}

/** The value of a flag, '' when it has none, undefined when absent or only known at run time. */
export function flagValue(use: Use, ...names: string[]): string | undefined {
  const used = use.parsed.flags.find(
    flag => names.includes(flag.name) || (flag.flag?.names.some(name => names.includes(name)) ?? false),
  )
  return used && (used.value ? used.value.value : '')
}
