#!/bin/sh
# Baton's hook client, written by `baton init`: asks the daemon with curl where it may; whatever curl cannot do
# is left to the Node client, and without Node the answer is what is safe. Always valid JSON, always exit 0.

CURL='@@CURL@@'
NODE='@@NODE@@'
CLI='@@CLI@@'
[ -x "$NODE" ] || NODE=node
umask 077

agent= event= source=manual
while [ $# -gt 0 ]; do
  case $1 in
    --source) source=${2-manual}; [ $# -gt 1 ] && shift ;;
    *) if [ -z "$agent" ]; then agent=$1; else event=${event:-$1}; fi ;;
  esac
  shift
done

state='@@HOME@@'
state=${BATON_HOME:-${AGENTIZE_HOME:-$state}}
case $state in /*) ;; *) state=${HOME-}/$state ;; esac
cwd=${PWD-}
# Line breaks at its end are lost here, and mean nothing in JSON.
body=$(cat)
{ read -r request </proc/sys/kernel/random/uuid; } 2>/dev/null || request=$$-$(date +%s)
# The second one: a Node client whose launcher was ended goes, too.
export BATON_REQUEST="$request" BATON_LAUNCHER=$$

# Control characters could end a header.
plain() {
  case $1 in
    *[[:cntrl:]]*) printf '%s' "$1" | LC_ALL=C tr '\000-\037\177' '?' ;;
    *) printf '%s' "$1" ;;
  esac
}

# limit: seconds the hook may take; silence: seconds without a byte after which the daemon hangs; safe: the answer without a
# daemon; unseen: the same where no one would see an ask; aside: no opinion; removed: the same, with the line that says how to
# clean up
know() {
  case $agent/$event in
@@ANSWERS@@
    *) limit=10 silence=@@SILENCE@@ safe='{}' unseen='{}' aside='{}' removed='{}' ;;
  esac
}

know_event() {
  [ -n "$event" ] || event=$(printf '%s' "$body" | sed -n 's/.*"hook_event_name" *: *"\([A-Za-z.]*\)".*/\1/p' | head -n 1)
  know
}

# No daemon runs, and the package was removed without `baton uninstall`: the agent works as without Baton. The file
# package-removed says since when, and package-removed.told that the person was told. A daemon that starts removes both.
stand_aside_if_removed() {
  [ ! -e "$CLI" ] && [ -z "${BATON_ENDPOINT-}" ] || return 0
  # A folder that we may not read hides the file, and it may well be there.
  [ ! -d "${CLI%/*}" ] || [ -x "${CLI%/*}" ] || return 0
  # Without curl nothing has knocked: a socket may belong to a daemon.
  [ "${ended-}" = 7 ] || [ ! -S "$state/daemon.sock" ] || return 0
  mark=$state/package-removed
  if [ ! -e "$mark" ]; then (set -C; : >"$mark") 2>/dev/null; return 0; fi
  # An update only replaces the files: two minutes are enough for it.
  [ -n "$(find "$mark" -prune -mmin +2 2>/dev/null)" ] || return 0
  know_event
  if [ "$removed" != "$aside" ] && (set -C; : >"$mark.told") 2>/dev/null; then aside=$removed; fi
  printf '%s\n' "$aside"
  exit 0
}

answer_safely() {
  know_event
  case $body in
@@UNSEEN@@
  esac
  printf '%s\n' "$safe"
  {
    printf '%s %s %s: %s; answered what is safe\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(plain "$agent")" \
      "$(plain "$event")" "$1" >>"$state/hook.log"
  } 2>/dev/null
  exit 0
}

retry= newline='
'
# From inside the folder the socket's name is short enough for any kernel.
if [ -n "$CURL" ] && [ -z "${BATON_INLINE-}${BATON_ENDPOINT-}" ] && cd "$state" 2>/dev/null && [ -S daemon.sock ]; then
  know
  where=$cwd map=${BATON_PATH_MAP-} home=${BATON_HOME:-${AGENTIZE_HOME-}}
  case $where$map$home in
    *[[:cntrl:]]*) where=$(plain "$where") map=$(plain "$map") home=$(plain "$home") ;;
  esac
  # curl itself notices a slow connection only after a few seconds.
  slow=1
  [ "$silence" -le @@SILENCE@@ ] || slow=$silence
  # -q: a person's own curl settings change nothing here. -N: when this shell is ended, curl notices and goes, too.
  set -- -q -s -i -N -g --noproxy '*' --connect-timeout "$silence" --max-time "$limit" \
    --speed-limit 1 --speed-time "$slow" --unix-socket daemon.sock -H 'Expect:' -H 'Content-Type: application/json' \
    -H 'Baton-Protocol: @@PROTOCOL@@' -H "Baton-Event: $event" -H "Baton-Source: $source" \
    -H "Baton-Request: $request" -H "Baton-Cwd: $where" -H "Baton-Pid: ${CLAUDE_PID:-$PPID}" \
    -H "Baton-Pane: ${TMUX_PANE:+$TMUX_PANE ${TMUX%%,*}}" -H "Baton-Marker: ${BATON_MARKER-}" \
    -H "Baton-Attended: ${CLAUDE_CODE_SESSION_ATTENDED-}" \
    -H "Baton-Home: $home" -H "Baton-Path-Map: $map" \
    --data-binary @- -w x "http://baton/hook/$agent"
  # A small shell writes a short text into a pipe by itself, which saves two processes; others make a file of it.
  if [ -z "${BASH_VERSION-}${KSH_VERSION-}${ZSH_VERSION-}" ] && [ ${#body} -le 4000 ]; then
    reply=$("$CURL" "$@" 2>/dev/null <<BODY
$body
BODY
)
  else
    reply=$(printf '%s' "$body" | "$CURL" "$@" 2>/dev/null)
  fi
  ended=$?
  case $ended:$reply in
    0:'HTTP/1.'[01]' 200 '*[Bb]aton-[Pp]rotocol:*"}${newline}x")
      reply=${reply%"${newline}x"}
      line=${reply##*"$newline"}
      head=${reply%"$newline"*}
      line=${line#"${line%%[! ]*}"}
      # Before the answer is the blank line that ends the head, and nothing else.
      case ${head##*"$newline"}$line in
        ?'{'*) printf '%s\n' "$line"; exit 0 ;;
      esac
      answer_safely 'something else answered on the socket' ;;
    0:'HTTP/1.'[01]' 200 '*[Bb]aton-[Pp]rotocol:*x) ;;
    0:'HTTP/1.'[01]' 200 '*) answer_safely 'something else answered on the socket' ;;
    0:'HTTP/1.'*) status=${reply#* }; answer_safely "the daemon refused (${status%%[!0-9]*})" ;;
    1:* | 8:*) answer_safely 'something else answered on the socket' ;;
    28:*) answer_safely 'the daemon did not answer' ;;
  esac
  retry=--retry
fi

cd "$cwd" 2>/dev/null
stand_aside_if_removed
if reply=$(printf '%s' "$body" | "$NODE" "$CLI" hook ${BATON_INLINE:+--inline} ${retry:+"$retry"} \
  --state-dir "$state" --source "$source" -- "$agent" "$event" 2>/dev/null)
then
  case $reply in
    '{'*'}') printf '%s\n' "$reply"; exit 0 ;;
  esac
fi
answer_safely 'the Node client did not answer'
