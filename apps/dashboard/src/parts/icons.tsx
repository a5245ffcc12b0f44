import type { JSX } from 'preact'

const PATHS = {
  overview: 'M4 5h7v6H4zM13 5h7v4h-7zM13 12h7v7h-7zM4 14h7v5H4z',
  asks: 'M12 3a8 8 0 0 1 0 16H5l1.6-2.7A8 8 0 0 1 12 3zM9.8 9.2a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .8-1 1.5M12 15.6v.1',
  claims: 'M5 4h4v16H5zM10.5 4h4v11h-4zM16 4h4v7h-4z',
  work: 'M6 6h.1M18 12h.1M6 18h.1M7.5 6H12a3 3 0 0 1 3 3v0a3 3 0 0 0 1.5 2.6M7.5 18H12a3 3 0 0 0 3-3v0a3 3 0 0 1 1.5-2.6',
  fleet: 'M9 4h6v5H9zM3 15h6v5H3zM15 15h6v5h-6zM12 9v3M6 15v-3h12v3',
  history: 'M4 19h16M6 16l4-6 4 3 5-8',
  journal: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h3',
  recap: 'M12 7v5l3.5 2M4.5 9.5A8 8 0 1 1 4 12M4 5v5h5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
} as const

export type IconName = keyof typeof PATHS

/** Decoration next to a word; screen readers read only the word. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** Baton's logo. */
export function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0d7a70" />
      <rect x="13" y="3.5" width="6" height="25" rx="3" transform="rotate(45 16 16)" fill="#fff" />
      <rect x="13" y="12.4" width="6" height="2" transform="rotate(45 16 16)" fill="#0d7a70" />
      <rect x="13" y="17.6" width="6" height="2" transform="rotate(45 16 16)" fill="#0d7a70" />
    </svg>
  )
}
