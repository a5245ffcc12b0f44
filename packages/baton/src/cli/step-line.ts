import { ruleLabel, STEP_LABELS } from '@batonpass/contract/labels'
import type { PermissionStep } from '@batonpass/contract/permission'
import { type paint, printable } from './io.ts'

const WIDTH = Math.max(...Object.values(STEP_LABELS).map(({ length }) => length))

/** Why a step that asks is not asked about a command in the sandbox. */
const HIDDEN_INSIDE = 'in the sandbox, secret variables are hidden'

/** What the rules say about one part of a call, as `why` and `check` print it. */
export function stepLine(
  { decision, part, reason, rule, hiddenInside }: PermissionStep,
  colour: ReturnType<typeof paint>,
): string {
  // A rule that the reason names anyway is not repeated.
  const name = rule.replace(/^builtin /, '').replace(/ \(\w+\)$/, '')
  const about = reason.includes(name) ? reason : `${reason} [${ruleLabel(rule)}]`
  const why = colour('dim', printable(hiddenInside ? `${about}; ${HIDDEN_INSIDE}` : about))
  return `  ${STEP_LABELS[decision].padEnd(WIDTH)} ${printable(part)}  ${why}\n`
}
