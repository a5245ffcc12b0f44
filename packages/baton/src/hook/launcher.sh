#!/bin/sh
# Baton's hook client, written by `baton init`: asks the daemon with curl; whatever goes wrong is left to the
# Node client, and without Node the answer is what is safe. Always valid JSON, always exit 0.

agent=${1-} event=${2-} source=manual
[ "${3-}" = --source ] && source=${4-manual}
NODE='@@NODE@@'
CLI='@@CLI@@'
[ -x "$NODE" ] || NODE=node

if [ -n "${BATON_INLINE-}" ]; then
  exec "$NODE" "$CLI" hook --inline "$agent" "$event" --source "$source"
fi

# limit: seconds the hook may take; safe: the answer without a daemon; unseen: the same where nobody would see an ask
case $agent/$event in
@@ANSWERS@@
  *) limit=10 safe='{}' unseen='{}' ;;
esac

state=${BATON_HOME:-${AGENTIZE_HOME:-'@@HOME@@'}}
case $state in /*) ;; *) state=$HOME/$state ;; esac
cwd=$PWD
body=$(cat; printf x)
body=${body%x}
{ read -r request </proc/sys/kernel/random/uuid; } 2>/dev/null || request=$$-$(date +%s)
export BATON_REQUEST="$request"

# From inside the folder the socket's name is short enough for any kernel.
if [ -z "${BATON_ENDPOINT-}" ] && cd "$state" 2>/dev/null && [ -S daemon.sock ]; then
  if reply=$(printf '%s' "$body" | curl -s -f --connect-timeout 1 --speed-limit 1 --speed-time 3 \
    --max-time "$limit" --unix-socket daemon.sock -H 'Expect:' -H 'Content-Type: application/json' \
    -H 'Baton-Protocol: @@PROTOCOL@@' -H "Baton-Event: $event" -H "Baton-Source: $source" \
    -H "Baton-Request: $request" -H "Baton-Cwd: $cwd" -H "Baton-Pid: $PPID" \
    -H "Baton-Pane: ${TMUX_PANE:+$TMUX_PANE ${TMUX%%,*}}" -H "Baton-Marker: ${BATON_MARKER-}" \
    -H "Baton-Attended: ${CLAUDE_CODE_SESSION_ATTENDED-}" \
    -H "Baton-Home: ${BATON_HOME:-${AGENTIZE_HOME-}}" -H "Baton-Path-Map: ${BATON_PATH_MAP-}" \
    --data-binary @- "http://baton/hook/$agent" 2>/dev/null)
  then
    reply=${reply#"${reply%%[! ]*}"}
    case $reply in
      '{'*'}') printf '%s\n' "$reply"; exit 0 ;;
    esac
  fi
  retry=--retry
fi

cd "$cwd" 2>/dev/null
if reply=$(printf '%s' "$body" | "$NODE" "$CLI" hook "$agent" "$event" --source "$source" ${retry-} 2>/dev/null)
then
  case $reply in
    '{'*'}') printf '%s\n' "$reply"; exit 0 ;;
  esac
fi
case $body in
@@UNSEEN@@
esac
printf '%s\n' "$safe"
exit 0
