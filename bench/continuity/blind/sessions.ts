import type { BenchSession } from '../sessions.ts'
import { CLAUDE_SESSIONS } from './claude.ts'
import { CODEX_SESSIONS } from './codex.ts'
import { PI_SESSIONS } from './pi.ts'

/** Sessions written by hand, by someone who had not read the harvest or the agents' readers. Since they were measured, they are used for tuning. */
export const BLIND_SESSIONS: readonly BenchSession[] = [...CLAUDE_SESSIONS, ...CODEX_SESSIONS, ...PI_SESSIONS]
