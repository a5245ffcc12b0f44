import type { ComponentChildren } from 'preact'
import { nameOf, UNSEEN } from '../unseen.ts'

/** A text as it really is: what would not be seen is named in its place. */
export function seen(text: string): ComponentChildren {
  if (!UNSEEN.test(text)) return text
  return text.split(UNSEEN).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <span key={index} class="unseen" title="A character that cannot be seen">
        {nameOf(piece)}
      </span>
    ),
  )
}
