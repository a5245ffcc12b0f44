import type { Ask } from '@batonpass/contract/ask'

export type NotifyWhich = 'all' | 'workspace' | 'off'

/** More notifications would cover the editor; the view lists every question. */
const MAX_AT_ONCE = 3

export interface Notified {
  /** Questions to show now, each in its own notification. */
  fresh: Ask[]
  /** How many more are open, for one summary notification; 0 if all were shown. */
  more: number
}

/** Decides which open asks a window shows, each once. */
export class Notifier {
  readonly #shown = new Set<string>()

  next(open: readonly Ask[], which: NotifyWhich, folders: readonly string[]): Notified {
    const ids = new Set<string>(open.map(({ id }) => id))
    for (const id of this.#shown) if (!ids.has(id)) this.#shown.delete(id)
    const stillOpen = this.#shown.size
    const waiting = open.filter(ask => !this.#shown.has(ask.id) && isWanted(ask, which, folders))
    const fresh = waiting.slice(0, Math.max(MAX_AT_ONCE - stillOpen, 0))
    for (const { id } of waiting) this.#shown.add(id)
    return { fresh, more: waiting.length - fresh.length }
  }
}

function isWanted({ facts }: Ask, which: NotifyWhich, folders: readonly string[]): boolean {
  if (which !== 'workspace') return which === 'all'
  const place = facts.project ?? facts.cwd
  // A question without a project belongs to every window.
  return place === undefined || folders.some(folder => isWithin(place, folder) || isWithin(folder, place))
}

/** A window may show part of a project, or a folder that contains several projects. */
const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`)
