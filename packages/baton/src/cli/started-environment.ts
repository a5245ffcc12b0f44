import type { Io } from './io.ts'

/** What belongs to this shell, this terminal or the agent that calls is not the new session's. */
const NOT_HANDED_ON =
  /^(?:TMUX.*|TERM|TERM_PROGRAM.*|TERMINFO|COLUMNS|LINES|SHLVL|PWD|OLDPWD|_|CLAUDECODE|CLAUDE_CODE_(?:ENTRYPOINT|SESSION_ID|SSE_PORT)|CLAUDE_PROJECT_DIR|CODEX_THREAD_ID|BATON_MARKER|INIT_CWD|npm_.*)$/

/** The environment of this shell for an agent that the daemon starts. */
export function handedOn(env: Io['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] =>
        pair[1] !== undefined &&
        /^[A-Za-z_]\w*$/.test(pair[0]) &&
        !NOT_HANDED_ON.test(pair[0]) &&
        pair[1].length < 100_000,
    ),
  )
}
