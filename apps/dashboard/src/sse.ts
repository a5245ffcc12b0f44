/** A connection that is silent for this long is dead: the daemon sends a heartbeat every ten seconds. */
const SILENCE_MS = 25_000

/** Reads server-sent events until the stream ends or falls silent. */
export async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  stop: AbortController,
  handle: (data: unknown) => void,
): Promise<void> {
  let silence = 0
  const restartTimeout = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stop.abort(), SILENCE_MS)
  }
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    restartTimeout()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      restartTimeout()
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data) handle(JSON.parse(data))
      }
    }
  } catch {
    // The connection was cut; the caller reconnects.
  } finally {
    clearTimeout(silence)
  }
}

const RETRY_MS = [300, 600, 1200, 2500, 5000]

/** Waits before the next attempt, longer each time. Returns at once when the page becomes visible or goes online. */
export function waitBeforeRetry(tries: number): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      document.removeEventListener('visibilitychange', done)
      resolve()
    }
    const timer = setTimeout(done, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 5000)
    addEventListener('online', done)
    document.addEventListener('visibilitychange', done)
  })
}
