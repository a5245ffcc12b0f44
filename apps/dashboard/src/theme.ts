import { effect, signal } from '@preact/signals'

type Theme = 'auto' | 'light' | 'dark'
const KEY = 'baton.theme'
const stored = localStorage.getItem(KEY)

/** The user's choice; `auto` follows the system. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'auto')

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

export function switchTheme(): void {
  const next = { auto: 'light', light: 'dark', dark: 'auto' } as const
  theme.value = next[theme.value]
}

export const themeLabel = (): string => (theme.value === 'auto' ? 'system colours' : `${theme.value} colours`)
