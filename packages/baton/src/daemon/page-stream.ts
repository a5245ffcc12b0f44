import type { Logins } from './logins.ts'

export interface PageStream {
  /** Resolves when nobody listens any more, or nobody may. */
  ended: Promise<void>
  /** Writes as long as the browser is logged in. */
  whileIn(write: () => Promise<unknown>): Promise<void>
}

/** A browser that was logged out hears nothing more, however long its stream has been open. */
export function pageStream(
  stream: { onAbort(listener: () => void): void },
  headers: Headers,
  logins: Pick<Logins, 'knows'>,
): PageStream {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  stream.onAbort(() => end())
  const given = Object.fromEntries(headers)
  return {
    ended,
    async whileIn(write) {
      // A program that brought the token has no login that could end.
      if (given['baton-page'] === undefined || logins.knows(given)) await write()
      else end()
    },
  }
}
