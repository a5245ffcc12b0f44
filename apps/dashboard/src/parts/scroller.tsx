import type { ComponentChildren } from 'preact'

/** What scrolls in its own box, and can be reached and scrolled by keyboard. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse could not scroll it otherwise
    <section class={look} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
