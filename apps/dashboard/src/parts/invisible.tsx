import type { ComponentChildren } from 'preact'
import { codePointName, INVISIBLE } from '../invisible.ts'

/** The text with every invisible character replaced by its visible number. */
export function markInvisible(text: string): ComponentChildren {
  if (!INVISIBLE.test(text)) return text
  return text.split(INVISIBLE).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <span key={index} class="unseen" title="Invisible character">
        {codePointName(piece)}
      </span>
    ),
  )
}
