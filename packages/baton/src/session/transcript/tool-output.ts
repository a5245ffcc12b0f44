/** The text of a tool's answer, its end when it is long. */
export function textOf(response: unknown): string {
  if (typeof response === 'string') return response.slice(-MAX_LENGTH)
  if (typeof response !== 'object' || response === null) return ''
  const parts = ['stdout', 'stderr', 'output', 'content', 'text', 'error'].flatMap(key => {
    const part: unknown = Reflect.get(response, key)
    return typeof part === 'string' ? part : []
  })
  return parts.join('\n').slice(-MAX_LENGTH)
}

const MAX_LENGTH = 50_000
