import { ruleLabel, STEP_LABELS } from '@batonpass/contract/labels'
import type { PermissionStep } from '@batonpass/contract/permission'
import { type paint, printable } from './io.ts'

const WIDTH = Math.max(...Object.values(STEP_LABELS).map(({ length }) => length))

/** What the rules say about one part of a call, as `why` and `check` print it. */
export function stepLine(
  { decision, part, reason, rule }: PermissionStep,
  colour: ReturnType<typeof paint>,
): string {
  const why = colour('dim', printable(`${reason} [${ruleLabel(rule)}]`))
  return `  ${STEP_LABELS[decision].padEnd(WIDTH)} ${printable(part)}  ${why}\n`
}
