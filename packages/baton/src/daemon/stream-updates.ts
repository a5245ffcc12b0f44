export interface UpdateListener {
  /** Sends a heartbeat when there is nothing new. */
  beat(): Promise<unknown>
  /** Resolves when the client has disconnected. */
  ended: Promise<void>
  beatMs: number
}

/**
 * Calls `send` at once, and again after each change, until the client disconnects. `send` returns true if it has more to
 * send, and is then called again. Changes that happen while it runs are not lost.
 */
export async function streamUpdates(
  listen: (onChange: () => void) => () => void,
  send: (isOpen: () => boolean) => Promise<boolean>,
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
        const more = await send(() => open)
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
