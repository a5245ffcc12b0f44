export interface UpdateListener {
  /** A sign of life when there is nothing to tell. */
  beat(): Promise<unknown>
  /** Resolves when nobody listens any more. */
  ended: Promise<void>
  beatMs: number
}

/**
 * Calls `tell` once, and again after each piece of news, for as long as somebody listens. What `tell` could not bring at once
 * it says by returning true, and is called again. News that comes while it runs is not lost.
 */
export async function streamUpdates(
  listen: (heard: () => void) => () => void,
  tell: (isOpen: () => boolean) => Promise<boolean>,
  { beat, ended, beatMs }: UpdateListener,
): Promise<void> {
  let open = true
  let news = true
  let wake = () => {}
  void ended.then(() => {
    open = false
    wake()
  })
  const unlisten = listen(() => {
    news = true
    wake()
  })
  try {
    while (open) {
      if (news) {
        news = false
        const more = await tell(() => open)
        news ||= more
        continue
      }
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      const timer = setTimeout(() => wake(), beatMs)
      await woken
      clearTimeout(timer)
      if (open && !news) await beat()
    }
  } finally {
    unlisten()
  }
}
