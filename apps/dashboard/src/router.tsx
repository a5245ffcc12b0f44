import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** The segments of the current path. */
export const route = signal<readonly string[]>(segmentsOf(location.pathname))

addEventListener('popstate', () => {
  route.value = segmentsOf(location.pathname)
})

export function navigate(path: string): void {
  if (path === location.pathname) return
  history.pushState(null, '', path)
  route.value = segmentsOf(path)
  scrollTo(0, 0)
  // The focused element may be gone with the old page: screen readers continue at the new page.
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

/** A link inside the dashboard: a plain click changes the view; the browser handles every other click. */
export function Link({ to, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      onClick={event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        navigate(to)
      }}
    >
      {children}
    </a>
  )
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean).map(decodeURIComponent)
}
