/** Where the sandbox shows the broker's parts. The root of a sandbox is fresh for each call, so no command can prepare it. */
export const INSIDE = {
  bin: '/.baton/bin',
  node: '/.baton/node',
  client: '/.baton/client',
  socket: '/.baton/broker/socket',
} as const

/** Git commands that may need a remote. */
const REMOTE = 'push | fetch | pull | ls-remote'
/**
 * Git commands that may record which branch a new branch follows: git's configuration is read-only inside. A call that only
 * lists branches, or restores files, has no such word and starts nothing else.
 */
const BRANCHING = `
    switch | checkout | branch)
      case "$word  $* " in
        *' -- '*) ;;
        switch* | checkout* | *' -u'* | *' --set-upstream-to'* | *' -t '* | *' --track'* | *' '[!-]*/* | \
          *' branch'*' -'[mMcC]' '* | *' branch'*' --move '* | *' branch'*' --copy '*) exec CALL ;;
      esac
      break ;;`

/** Finds the real program behind a shim. Without other programs: it runs before each git command. */
const RUN_REAL = `IFS=:
set -f
for folder in $PATH; do
  [ "$folder" != ${INSIDE.bin} ] && [ -f "$folder/$name" ] && [ -x "$folder/$name" ] && exec "$folder/$name" "$@"
done
printf '%s: command not found\\n' "$name" >&2
exit 127
`

const call = (client: string) => `${INSIDE.node} --no-warnings ${INSIDE.client}/${client}`

/** Asks the daemon only about commands that contact a remote; git itself does everything else. */
export const gitShim = (client: string): string => `#!/bin/sh
# Baton's shim for git in the sandbox.
name=git
skip=
for word; do
  if [ "$skip" ]; then skip=; continue; fi
  case $word in
    -C | -c | --git-dir | --work-tree | --namespace | --config-env | --super-prefix) skip=1 ;;
    -*) ;;
    ${REMOTE}) exec ${call(client)} git "$@" ;;
${BRANCHING.slice(1).replace('CALL', `${call(client)} branching "$@"`)}
    *) break ;;
  esac
done
${RUN_REAL}`

/** For a program whose whole work is outside. */
export const outsideShim = (name: 'gh' | 'baton' | 'sign', client: string): string => `#!/bin/sh
# Baton's shim for ${name} in the sandbox.
exec ${call(client)} ${name} "$@"
`
