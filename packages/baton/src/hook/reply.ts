/** What the bytes that came back mean. */
export type Reply = { answer: string } | { failed: string; reason: 'lost' | 'final' }

/**
 * Reads a whole reply of the daemon: an HTTP head that names our protocol, then blanks, then one line of JSON.
 * A reply without its line break was cut off; asking again is right then, and only then.
 */
export function readReply(text: string): Reply {
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  const body = end < 0 ? '' : text.slice(end + 4)
  const status = /^HTTP\/1\.[01] (\d{3})(?: |\r\n|$)/.exec(head)?.[1]
  if (text === '' || (end < 0 && 'HTTP/1.'.startsWith(text.slice(0, 7)))) return LOST
  if (status === undefined) return STRANGER
  if (status !== '200')
    return { failed: `the daemon refused (${status}) ${messageIn(body)}`.trimEnd(), reason: 'final' }
  if (end < 0) return LOST
  if (!/\r\nbaton-protocol:/i.test(head)) return STRANGER
  const answer = /^ *(\{[^\n]*\})\n$/.exec(body)?.[1]
  if (answer !== undefined && isJson(answer)) return { answer }
  return body.includes('\n') || !/^ *(?:\{|$)/.test(body) ? STRANGER : LOST
}

const LOST: Reply = { failed: 'the daemon died before it answered', reason: 'lost' }
const STRANGER: Reply = { failed: 'something else answered on the socket', reason: 'final' }

const messageIn = (body: string): string => /"message":"([^"]{0,200})/.exec(body)?.[1] ?? ''

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
