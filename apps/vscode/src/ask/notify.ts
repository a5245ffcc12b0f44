import type { Ask } from '@batonpass/contract/ask'

export type NotifyWhich = 'all' | 'workspace' | 'off'

/** More at once would only cover the editor: the view lists them all. */
const MAX_AT_ONCE = 3

export interface Notified {
  /** To be asked now, each by itself. */
  fresh: Ask[]
  /** How many more wait, to be told in one notification; 0 when all were asked. */
  more: number
}

/** Decides which open asks a window tells about, each once. */
export class Notifier {
  readonly #told = new Set<string>()

  next(open: readonly Ask[], which: NotifyWhich, folders: readonly string[]): Notified {
    const ids = new Set<string>(open.map(({ id }) => id))
    for (const id of this.#told) if (!ids.has(id)) this.#told.delete(id)
    const standing = this.#told.size
    const waiting = open.filter(ask => !this.#told.has(ask.id) && isWanted(ask, which, folders))
    const fresh = waiting.slice(0, Math.max(MAX_AT_ONCE - standing, 0))
    for (const { id } of waiting) this.#told.add(id)
    return { fresh, more: waiting.length - fresh.length }
  }
}

function isWanted({ facts }: Ask, which: NotifyWhich, folders: readonly string[]): boolean {
  if (which !== 'workspace') return which === 'all'
  const place = facts.project ?? facts.cwd
  // A question about no project is nobody else's to answer.
  return place === undefined || folders.some(folder => isWithin(place, folder) || isWithin(folder, place))
}

/** A window may show a part of the project, or a folder of projects. */
const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}/`)
