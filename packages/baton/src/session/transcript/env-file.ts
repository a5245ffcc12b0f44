/** The values of an environment file that may be secrets. */
export function envSecrets(text: string): { name: string; value: string }[] {
  return text.split('\n').flatMap(line => {
    const [, name = '', quoted] =
      /^\s*(?:\d+[→\t]\s*)?(?:export\s+)?([A-Za-z_]\w{0,80})\s*=\s*(\S.{0,4000}?)\s*$/.exec(line) ?? []
    const value = quoted?.replace(/^(["'])(.*)\1$/, '$2')
    return value !== undefined && isSecretValue(name, value) ? [{ name, value }] : []
  })
}

/** Files that hold log-ins, and commands that print the environment: what they show may be secret. */
export const showsSecrets = (shown: string): boolean =>
  /(?:^|[/\s'"=])(?:\.env(?:\.[\w.-]+)?|[._]netrc|\.?pgpass(?:\.conf)?|\.my\.cnf|\.git-credentials|\.npmrc|\.pypirc|\.aws\/credentials|\.docker\/config\.json|credentials(?:\.\w{2,5})?|secrets?\.(?:ya?ml|json|toml|env|properties)|wp-config\.php|auth\.json|terraform\.tfvars|[\w.-]{1,60}\.(?:tfvars|htpasswd))(?=$|[\s'"|;&)])|(?:^|[;&|(]\s*|\bexec\b[^;|]{0,80}\s)(?:printenv|env|export -p|declare -x|set)(?=\s*(?:$|[|;&>)]))|\bprintenv\s+\w|\bkubectl get secrets?\b|\b(?:docker|podman) inspect\b|\b(?:vault|op|pass|bw|gopass|security|secret-tool|keyring|gcloud secrets|aws secretsmanager)\s[^|;]{0,120}\b(?:read|get|show|access|lookup|find-generic-password|get-secret-value|versions)\b/.test(
    shown.slice(0, 2000),
  )

/** The values that such a file or command shows, in the forms that they have. */
export function shownSecrets(shown: string, text: string): string[] {
  const lines = text.slice(0, 50_000).split('\n')
  const named = envSecrets(text.slice(0, 50_000)).map(({ value }) => value)
  const netrc = [...text.slice(0, 50_000).matchAll(/\bpassword\s{1,8}(\S{3,400})/g)].map(
    ([, value = '']) => value,
  )
  // host:port:database:user:password
  const pgpass = lines.flatMap(
    line =>
      /^\s*(?:\d+[→\t]\s*)?[^\s:#]{1,200}:[\d*]{1,5}:[^\s:]{1,100}:[^\s:]{1,100}:(\S{3,400})\s*$/.exec(
        line,
      )?.[1] ?? [],
  )
  // name: value and "name": "value"
  const pairs = lines.flatMap(line => {
    const [, name = '', value = ''] =
      /^[\s\d→{,-]{0,20}["']?([A-Za-z_][\w.-]{0,80})["']?\s{0,4}(?:[:=]|=>)\s{0,4}["']?([^\s"',;]{4,4000})/.exec(
        line,
      ) ?? []
    return SECRET_NAME.test(name) && !PLAIN_VALUE.test(value) && !value.startsWith('$') ? [value] : []
  })
  // A command that prints one value and nothing else.
  const only = lines.filter(line => line.trim() !== '')
  const alone =
    /^\s*(?:printenv\s+\w+\s*$|(?:vault|op|pass|bw|gopass|security|secret-tool|keyring|gcloud secrets)\s)/.test(
      shown,
    )
      ? only.length === 1
        ? only.map(line => line.trim())
        : []
      : []
  return [...new Set([...named, ...netrc, ...pgpass, ...pairs, ...alone])].filter(
    value => value.length >= 4 && !PLAIN_VALUE.test(value),
  )
}

const SECRET_NAME = /pass|pwd|(?:^|_)pw(?:$|_)|secret|token|key|credential|auth|pin$|dsn|webhook/i
const PLAIN_VALUE =
  /^(?:true|false|null|none|yes|no|on|off|\d{1,5}|(?:dev|development|test|production|staging|local|debug|info|strict)\w*|localhost(?::\d+)?|https?:\/\/[^@]*|(?:\.{0,2}\/)[\w./-]*|[\w.-]+@[\w.-]+|v?\d+(?:\.\d+)+)$/i

function isSecretValue(name: string, value: string): boolean {
  if (value.length < 6 || PLAIN_VALUE.test(value) || value.startsWith('$')) return false
  return (
    SECRET_NAME.test(name) ||
    (value.length >= 10 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/\s/.test(value))
  )
}
