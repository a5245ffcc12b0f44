import type { ServerResponse } from 'node:http'

/** What dialects share: JSON and event-stream answers. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

export function eventStream(response: ServerResponse): (data: unknown, event?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  return (data, event) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** The texts of a content that is a string or a list of parts with a `text`. */
export function textsOf(content: unknown): string {
  if (typeof content === 'string') return content
  return records(content)
    .flatMap(part => (typeof part.text === 'string' ? part.text : []))
    .join('\n')
}

export const bearerOf = (headers: Record<string, unknown>): string =>
  String(headers.authorization ?? '').replace(/^Bearer /i, '')

/** The ids that were called and never answered, and the answers without a call. */
export function unpaired(calls: readonly string[], results: readonly string[]): string[] {
  return [
    ...calls.filter(id => !results.includes(id)).map(id => `the call ${id} has no result`),
    ...results.filter(id => !calls.includes(id)).map(id => `the result ${id} answers no call`),
  ]
}
