import type { ComponentChildren } from 'preact'

/** A box with its own scroll bar that keyboard users can focus and scroll. */
export function Scroller({
  look,
  label,
  children,
}: {
  look: string
  label: string
  children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users could not scroll it otherwise
    <section class={look} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
