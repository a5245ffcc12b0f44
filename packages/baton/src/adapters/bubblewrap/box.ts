import type { HiddenVariables, SandboxShell } from '../../ports/sandbox.ts'

export interface BoxPlaces {
  /** Where requests are: one folder for each, named by its id. */
  requests: string
  /** Absolute paths of the programs. */
  bash: string
  bwrap: string
  nsenter: string
  hidden: HiddenVariables
}

/** The exit code when a command did not start. Shells use it for "cannot execute". */
const NOT_STARTED = 126

/** Closes what the caller had open: a folder of the host would be a way out. Keeps the descriptors in `$keep`. */
const CLOSE_OTHERS = `for open in /proc/self/fd/*; do
  open=\${open##*/}
  case " 0 1 2 255 $keep " in *" $open "*) ;; *) eval "exec $open>&-" ;; esac
done`

/**
 * Runs a program with these descriptors and the first three open, and no other. Bash, because others number only to 9.
 * Without `--norc` it would run the user's ~/.bashrc: it takes a socket as its input for a remote login.
 */
export const withOnlyDescriptors = (
  bash: string,
  kept: readonly number[],
  argv: readonly string[],
): string[] => [
  ...[bash, '--norc', '-p', '-c', `keep=$1; shift\n${CLOSE_OTHERS}\nexec "$@"`, 'baton', kept.join(' ')],
  ...argv,
]

/**
 * The program that runs one prepared command in its sandbox. It takes an id and nothing else: no option loosens it.
 * Plain bash without other programs, because it starts before every command of an agent. With `-p` bash takes no
 * functions and no start-up file from the environment.
 */
export function boxText({ requests, bash, bwrap, nsenter, hidden }: BoxPlaces): string {
  return `#!${bash} -p
# Baton's box: runs one command that the daemon prepared, once, in its session's sandbox.
umask 077
fail() {
  printf 'baton: %s\\n' "$1" >&2
  exit ${NOT_STARTED}
}
id=\${1-}
case $id in '' | *[!0-9a-z]*) fail 'usage: box ID' ;; esac
[ $# -eq 1 ] || fail 'usage: box ID'
request=${quote(requests)}/$id
[ -d "$request" ] || fail 'This command is not prepared, or it ran already.'
# Creating the file fails if it exists: of several callers one gets the request.
set -C
{ true >"$request/taken"; } 2>/dev/null || fail 'This command ran already.'
{ read -r holder && read -r mark && read -r shell && read -r filter; } <"$request/how" || fail 'The request is incomplete.'
keep=4
${CLOSE_OTHERS}

# Variables reach the command only through this file; secrets are left out.
shopt -s nocasematch
{
  printf '%s\\0' --clearenv
  # By first letters, because asking for the list of names would start a process.
  for name in ${LETTERS}; do
    case \${!name@a} in *x*) ;; *) continue ;; esac
    case \${!name-} in ${valuePatterns(hidden)}) continue ;; esac
    case $name in
      ${patterns(hidden.names, name => name)}) continue ;;
      ${patterns(hidden.kept, name => `${name}*`)}) ;;
      ${[
        patterns(hidden.words, word => `*${word}*`),
        patterns(hidden.prefixes, prefix => `${prefix}*`),
        patterns(hidden.suffixes, suffix => `*${suffix}`),
      ].join(' | ')}) continue ;;
    esac
    printf '%s\\0' --setenv "$name" "\${!name-}"
  done
} >"$request/environment"
set +C

set -- ${quote(bwrap)} --args 5 --args 3
[ "$filter" = - ] || { exec 6<"$filter"; set -- "$@" --seccomp 6; }
# A program that runs inside as a whole: its words are in the request, not in a shell's syntax.
case $shell in ${PROGRAM}) whole=1 shell=${quote(bash)} inner=${quote(WHOLE)} ;; */sh) inner=${quote(INNER.sh)} ;; */zsh) inner=${quote(INNER.zsh)} ;; *) inner=${quote(INNER.bash)} ;; esac
set -- "$@" -- "$shell" -c "$inner" "$shell"
if [ "$holder" != - ]; then
  # Its process number may belong to another process by now: only the holder has its own file open.
  [ "/proc/$holder/fd/9" -ef "$mark" ] || fail 'The sandbox of this session ended. Run the command again.'
  set -- ${quote(nsenter)} -t "$holder" -U -m -n -p -i --preserve-credentials -- "$@"
fi
unset LD_PRELOAD LD_LIBRARY_PATH
exec 3<"$request/options" 5<"$request/environment"
# They may contain the login of an agent, which runs for hours.
[ -z "\${whole-}" ] || /bin/rm -f -- "$request/options" "$request/environment"
exec "$@"
`
}

/** Expands to the names of all variables. */
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz']
  .map(letter => `\${!${letter}@}`)
  .join(' ')

/** Writes the folder in which the command ended. Without `pwd`, whose output would need another process. */
const REPORT_FOLDER = `trap 'cd -P . && printf %s "$PWD" >|/run/baton/folder' EXIT`

/** After the functions and variables of the caller: a shim comes before the program of the same name. */
const FIND_SHIMS = `[ ! -d /.baton/bin ] || PATH=/.baton/bin:\${PATH:-/usr/local/bin:/usr/bin:/bin}`

/** What runs inside before the command: functions and aliases of the caller on file descriptor 4, then the command itself. */
const WITH_PRELUDE = `[ -e /run/baton/prelude ] && [ -e /dev/fd/4 ] && { . /dev/fd/4; } 2>/dev/null
[ ! -e /dev/fd/4 ] || exec 4<&-
${FIND_SHIMS}
${REPORT_FOLDER}
IFS= read -r -d '' BATON_COMMAND </run/baton/command
eval "$BATON_COMMAND"`

const INNER: Record<SandboxShell, string> = {
  bash: `shopt -s expand_aliases
${WITH_PRELUDE}`,
  zsh: WITH_PRELUDE,
  // The prelude is the agent's own shell text; sh cannot print it.
  sh: `exec 4<&-; ${FIND_SHIMS}
${REPORT_FOLDER}
. /run/baton/command`,
}

/** In place of a shell in a request: its command is a list of words, each ended by a zero byte. */
export const PROGRAM = 'program'

/** Starts a program inside by its words. */
const WHOLE = `exec 4<&- 3<&- 5<&- 6<&-
${FIND_SHIMS}
mapfile -d '' -t BATON_WORDS </run/baton/command
exec "\${BATON_WORDS[@]}"`

/** What the agent's shell runs instead of the command. Its functions and aliases come along where it can print them. */
export function wrappedCommand(
  box: string,
  request: string,
  id: string,
  shell: SandboxShell,
  freshShell = false,
): string {
  if (freshShell) return `${quote(box)} ${id}`
  const prelude =
    shell === 'sh' ? '' : ` 4< <(${shell === 'zsh' ? 'typeset -f; alias -L' : 'declare -f; alias -p'})`
  const folder = quote(`${request}/folder`)
  const change =
    shell === 'bash'
      ? `{ IFS= read -r -d '' -n 4096 BATON_FOLDER; cd -- "\${BATON_FOLDER:-.}" 2>/dev/null || :; } <${folder}`
      : `{ cd -- "$(head -c 4096 ${folder})" 2>/dev/null || :; }`
  // A failed command leaves the shell where it was, as before, and so does a folder that exists only inside, such as a private one in /tmp.
  return `${quote(box)} ${id}${prelude} && ${change}`
}

/**
 * The agent's own command for a person to read in a dialog that shows what runs instead: one line of comment in front. Only
 * a line break ends a comment; that, and what would hide or reorder text on a screen, is written out.
 */
export function commentFor(command: string): string {
  const line = command
    .trim()
    .replace(/\r?\n/g, ' ⏎ ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, char => `\\u{${char.codePointAt(0)?.toString(16)}}`)
  const shown = [...line]
  return `# ${shown.length > COMMENT_LENGTH ? `${shown.slice(0, COMMENT_LENGTH).join('')}…` : line}\n`
}

const COMMENT_LENGTH = 2000

/** The id in a text that starts like a wrapped command, after its comment if it has one. */
export function preparedId(box: string, text: string): string | undefined {
  const start = `${quote(box)} `
  const wrapped = text.replace(/^# [^\n]*\n/, '')
  return wrapped.startsWith(start) ? /^[0-9a-z]+/.exec(wrapped.slice(start.length))?.[0] : undefined
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const patterns = (names: readonly string[], around: (name: string) => string): string =>
  names.map(around).join(' | ')

const valuePatterns = ({ values }: HiddenVariables): string =>
  [...values.map(start => `${start}*`), '*://*:*@*'].join(' | ')
