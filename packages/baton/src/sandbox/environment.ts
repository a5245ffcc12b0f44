import type { HiddenVariables } from '../ports/sandbox.ts'

export const HIDDEN_VARIABLES: HiddenVariables = {
  words: [
    'KEY',
    'TOKEN',
    'SECRET',
    'PASSW',
    'PASSPHRASE',
    'CREDENTIAL',
    'CREDS',
    'JWT',
    'AUTH',
    'COOKIE',
    'PRIVATE',
    'WEBHOOK',
  ],
  prefixes: [
    'SSH_',
    'DBUS_',
    'TMUX',
    'DOCKER_',
    'CONTAINER_HOST',
    'PODMAN_',
    'BATON_',
    'AGENTIZE_',
    'ANTHROPIC_',
    'CLAUDE_CODE_MESSAGING_',
    'AWS_',
    'AZURE_',
    'GPG_',
    'VSCODE_',
    'KUBE',
    'NOTIFY_SOCKET',
    'LISTEN_FD',
  ],
  suffixes: ['_PAT', '_PASS', '_PWD', '_DSN', '_SOCK', '_SOCKET', '_ASKPASS'],
  names: [
    'MYSQL_PWD',
    'PGPASSFILE',
    'PGSERVICEFILE',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'XAUTHORITY',
    // Set by the sandbox itself, or about folders that do not exist inside.
    'HOME',
    'TMPDIR',
    'TMP',
    'TEMP',
    'PWD',
    'OLDPWD',
    'XDG_RUNTIME_DIR',
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_STATE_HOME',
  ],
  kept: ['GIT_AUTHOR_', 'GIT_COMMITTER_'],
  values: [
    'ghp_',
    'gho_',
    'ghs_',
    'ghu_',
    'github_pat_',
    'glpat-',
    'sk-',
    'xoxb-',
    'xoxp-',
    'npm_',
    'AKIA',
    'eyJ',
  ],
}

/** Whether a variable stays outside because it may be a secret. */
export function isSecretVariable(name: string, value: string): boolean {
  const upper = name.toUpperCase()
  const { words, prefixes, suffixes, kept, values } = HIDDEN_VARIABLES
  if (values.some(start => value.startsWith(start))) return true
  if (kept.some(start => upper.startsWith(start))) return false
  return (
    words.some(word => upper.includes(word)) ||
    prefixes.some(start => upper.startsWith(start)) ||
    suffixes.some(end => upper.endsWith(end))
  )
}
