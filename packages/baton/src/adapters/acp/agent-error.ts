import { visible } from '@batonpass/contract/visible'

const MAX_LENGTH = 500

/** An agent's error for people. Many agents say only "Internal error" and put the cause into the error's data. */
export function agentErrorText(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const data = cause instanceof Error && 'data' in cause ? dataText(cause.data) : ''
  return data === '' || message.includes(data) ? message : `${message}: ${data}`
}

function dataText(data: unknown): string {
  if (data === undefined || data === null) return ''
  const named =
    typeof data === 'object'
      ? ['details', 'message', 'error']
          .map(key => Reflect.get(data, key))
          .find(value => typeof value === 'string')
      : undefined
  const text = typeof data === 'string' ? data : (named ?? JSON.stringify(data) ?? '')
  const line = visible(text).replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line
}
