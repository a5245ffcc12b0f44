import type { BenchSession } from '../sessions.ts'
import { CLAUDE_SESSIONS } from './claude.ts'
import { CODEX_SESSIONS } from './codex.ts'
import { PI_SESSIONS } from './pi.ts'

/** Sessions written by hand, by someone who had not read Baton's harvest or the agents' readers. */
export const BLIND_SESSIONS: readonly BenchSession[] = [...CLAUDE_SESSIONS, ...CODEX_SESSIONS, ...PI_SESSIONS]
