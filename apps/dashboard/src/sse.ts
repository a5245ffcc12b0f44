/** No sign of life for this long is a dead line: the daemon beats every ten seconds. */
const SILENCE_MS = 25_000

/** Reads what a stream of server-sent events brings, until it ends or falls silent. */
export async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  stop: AbortController,
  take: (data: unknown) => void,
): Promise<void> {
  let silence = 0
  const listen = () => {
    clearTimeout(silence)
    silence = setTimeout(() => stop.abort(), SILENCE_MS)
  }
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    listen()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      listen()
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data) take(JSON.parse(data))
      }
    }
  } catch {
    // The line is cut: whoever follows begins again.
  } finally {
    clearTimeout(silence)
  }
}

const RETRY_MS = [300, 600, 1200, 2500, 5000]

/** Waits before the next try, longer each time; a page that comes back into view, or online, tries at once. */
export function beforeRetry(tries: number): Promise<void> {
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
