#!/bin/sh
# Baton's status line for Claude Code, written by `baton init`: tells the daemon how full the context is.
# usage: baton-statusline SOURCE [COMMAND]
# With COMMAND, the user's own status line, exactly what that prints is shown; without one, Baton's few words are.

state='@@HOME@@'
state=${BATON_HOME:-${AGENTIZE_HOME:-$state}}
case $state in /*) ;; *) state=${HOME-}/$state ;; esac
source=${1-manual}
# A command substitution eats line breaks at the end, so a letter follows them.
body=$(cat; printf x)
body=${body%x}

# A daemon that was stopped is not started for this.
tell() {
  [ -S "$state/daemon.sock" ] && printf '%s' "$body" | "${0%/*}/baton-hook" claude-code StatusLine --source "$source"
}

if [ $# -gt 1 ]; then
  tell >/dev/null 2>&1 &
  printf '%s' "$body" | sh -c "$2"
  exit
fi

answer=$(tell 2>/dev/null)
case $answer in
  '{"statusLine":"'*'"}')
    answer=${answer#'{"statusLine":"'}
    printf '%s\n' "${answer%'"}'}" ;;
esac
exit 0
