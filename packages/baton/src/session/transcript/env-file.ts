/** The values of an environment file that may be secrets. */
export function envSecrets(text: string): { name: string; value: string }[] {
  return text.split('\n').flatMap(line => {
    const [, name = '', quoted] =
      /^\s*(?:\d+[→\t]\s*)?(?:export\s+)?([A-Za-z_]\w{0,80})\s*=\s*(\S.{0,4000}?)\s*$/.exec(line) ?? []
    const value = quoted?.replace(/^(["'])(.*)\1$/, '$2')
    return value !== undefined && isSecretValue(name, value) ? [{ name, value }] : []
  })
}

const SECRET_NAME = /pass|pwd|secret|token|key|credential|auth|pin$|dsn|webhook/i
const PLAIN_VALUE =
  /^(?:true|false|null|none|yes|no|on|off|\d{1,5}|(?:dev|development|test|production|staging|local|debug|info|strict)\w*|localhost(?::\d+)?|https?:\/\/[^@]*|(?:\.{0,2}\/)[\w./-]*|[\w.-]+@[\w.-]+|v?\d+(?:\.\d+)+)$/i

function isSecretValue(name: string, value: string): boolean {
  if (value.length < 6 || PLAIN_VALUE.test(value) || value.startsWith('$')) return false
  return (
    SECRET_NAME.test(name) ||
    (value.length >= 10 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/\s/.test(value))
  )
}
