/** `works`, or what was seen instead. */
export type Outcome = 'works' | { failed: string }

/** Throws, or gives a text, when the behaviour was not seen. */
export type Check = () => undefined | string | Promise<undefined | string>

export async function judged(check: Check): Promise<Outcome> {
  try {
    const wrong = await check()
    return wrong === undefined ? 'works' : { failed: wrong }
  } catch (cause) {
    return { failed: messageOf(cause) }
  }
}

export const messageOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n').slice(0, 40).join('\n')
