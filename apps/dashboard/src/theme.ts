import { effect, signal } from '@preact/signals'

type Theme = 'auto' | 'light' | 'dark'
const KEY = 'baton.theme'
const kept = localStorage.getItem(KEY)

/** The person's choice; `auto` follows the system. */
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'auto')

effect(() => {
  const chosen = theme.value
  if (chosen === 'auto') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(KEY)
  } else {
    document.documentElement.dataset.theme = chosen
    localStorage.setItem(KEY, chosen)
  }
})

export function turnTheme(): void {
  const next = { auto: 'light', light: 'dark', dark: 'auto' } as const
  theme.value = next[theme.value]
}

export const themeWords = (): string => (theme.value === 'auto' ? 'system colours' : `${theme.value} colours`)
