import type { HandoffDocument } from '@batonpass/contract/handoff'
import { codesIn, fileIn } from './statements/objects.ts'

/** Text in backticks inside a ticked box: a statement about a file or a command. */
export interface TickedItem {
  /** The box's text, shortened. */
  box: string
  named: string
  /** The path relative to the root, if the text names a file. */
  path: string | undefined
}

/** Collects what ticked boxes name in backticks. The prose around it is never interpreted. */
export function tickedItems({ completed }: HandoffDocument): TickedItem[] {
  return completed
    .filter(({ done }) => done)
    .flatMap(({ text }) =>
      codesIn(text).map(({ text: named }) => ({
        box: text.replaceAll(/\s+/g, ' ').slice(0, 120),
        named,
        path: fileIn(named),
      })),
    )
}
