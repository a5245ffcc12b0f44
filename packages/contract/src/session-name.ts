/** The longest name of a session. */
export const MAX_SESSION_NAME = 60

interface Named {
  name?: string | undefined
  nativeSession: string
}

/** What people call a session: its name, or the start of the agent's own id. */
export const sessionLabel = ({ name, nativeSession }: Named): string => name ?? shortSessionId(nativeSession)

/** Long enough to find a session again: every command accepts the start of an id. */
export const shortSessionId = (nativeSession: string): string => nativeSession.slice(0, 8)
