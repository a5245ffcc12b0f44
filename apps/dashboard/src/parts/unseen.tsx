import type { ComponentChildren } from 'preact'

/** Characters that take no room, or turn the direction of what follows: a text can hide in them, or seem another.
 * The one that only chooses the coloured form of an emoji is harmless. */
const UNSEEN = /((?!\ufe0f)\p{Default_Ignorable_Code_Point})/u

/** A text as it really is: what would not be seen is named in its place. */
export function seen(text: string): ComponentChildren {
  if (!UNSEEN.test(text)) return text
  return text.split(UNSEEN).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <span key={index} class="unseen" title="A character that cannot be seen">
        U+{(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}
      </span>
    ),
  )
}
