import type { ComponentChildren } from 'preact'
import type { Tone } from '../words.ts'

export function Tag({
  tone = 'plain',
  pulse,
  children,
}: {
  tone?: Tone
  pulse?: boolean
  children: ComponentChildren
}) {
  return (
    <span class={pulse ? 'tag pulse' : 'tag'} data-tone={tone}>
      {children}
    </span>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}
