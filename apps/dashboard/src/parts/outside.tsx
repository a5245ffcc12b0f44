import type { ComponentChildren } from 'preact'

/** A link to another site. The address comes from a forge or a repository's files, so only http and https are allowed. */
export function Outside({ to, children }: { to: string | undefined; children: ComponentChildren }) {
  if (!to || !/^https?:\/\//i.test(to)) return <span title={to}>{children}</span>
  return (
    <a href={to} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  )
}
