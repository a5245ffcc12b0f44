import type { ComponentChildren } from 'preact'

/** A link out of the page. Addresses come from forges and files of repositories: only web addresses are followed. */
export function Outside({ to, children }: { to: string | undefined; children: ComponentChildren }) {
  if (!to || !/^https?:\/\//i.test(to)) return <span title={to}>{children}</span>
  return (
    <a href={to} rel="noreferrer noopener" target="_blank">
      {children}
    </a>
  )
}
