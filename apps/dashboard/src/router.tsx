import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** The address without its origin, as a list of words. */
export const place = signal<readonly string[]>(wordsOf(location.pathname))

addEventListener('popstate', () => {
  place.value = wordsOf(location.pathname)
})

export function go(path: string): void {
  if (path === location.pathname) return
  history.pushState(null, '', path)
  place.value = wordsOf(path)
  scrollTo(0, 0)
  // What had the focus may be gone with the page that was left: reading goes on at the new one.
  setTimeout(() => {
    if (document.activeElement === document.body) document.getElementById('page')?.focus()
  })
}

interface LinkProps {
  to: string
  class?: string
  'aria-current'?: 'page' | undefined
  children: ComponentChildren
}

/** A link within the page: a plain click changes the view, anything else is the browser's. */
export function Link({ to, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      onClick={event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to)
      }}
    >
      {children}
    </a>
  )
}

function wordsOf(path: string): string[] {
  return path.split('/').filter(Boolean).map(decodeURIComponent)
}
