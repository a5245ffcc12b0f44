/** The name under which the status line's JSON comes in: Claude Code itself has no event of that name. */
export const STATUS_LINE = 'StatusLine'
