interface Remembered {
  etag: string
  body: string
  headers: Headers
}

const LIMIT = 200
const MAX_BYTES = 2_000_000

/** Repeats a GET conditionally: an unchanged answer costs nothing of the hourly allowance. */
export function cacheResponses(send: typeof fetch): typeof fetch {
  const memory = new Map<string, Remembered>()
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if ((init?.method ?? 'GET') !== 'GET') return send(input, init)
    const known = memory.get(url)
    const headers = new Headers(init?.headers)
    if (known) headers.set('if-none-match', known.etag)
    const response = await send(input, { ...init, headers })
    if (response.status === 304 && known) {
      return new Response(known.body, { status: 200, headers: known.headers })
    }
    memory.delete(url)
    const etag = response.headers.get('etag')
    if (response.status !== 200 || !etag || !response.headers.get('content-type')?.includes('json'))
      return response
    const body = await response.text()
    if (body.length <= MAX_BYTES) {
      memory.set(url, { etag, body, headers: response.headers })
      // Maps keep the order of insertion: the first key is the one unused for longest.
      const oldest = memory.keys().next().value
      if (memory.size > LIMIT && oldest !== undefined) memory.delete(oldest)
    }
    return new Response(body, { status: 200, headers: response.headers })
  }
}
