import { signal } from '@preact/signals'

/** The page's one clock, updated every second while the page is visible. */
export const now = signal(currentTime())
setInterval(() => {
  if (!document.hidden) now.value = currentTime()
}, 1000)

/** The current time, exact even while the page is hidden. */
export function currentTime(): number {
  return Date.now()
}

/** How long ago something happened; the exact time is the tooltip. */
export function Ago({ at, suffix = ' ago' }: { at: string; suffix?: string }) {
  const ms = now.value - Date.parse(at)
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ms < 3000 ? 'now' : `${short(ms)}${suffix}`}
    </time>
  )
}

function short(ms: number): string {
  const minutes = ms / 60_000
  if (minutes < 1) return `${Math.round(ms / 1000)} s`
  if (minutes < 60) return `${Math.floor(minutes)} min`
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h`
  return `${Math.floor(minutes / 1440)} d`
}

export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}

export function dayOf(at: string): string {
  return new Date(at).toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short' })
}

export function dayAndTime(at: string): string {
  const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return `${dayOf(at)}, ${time}`
}
