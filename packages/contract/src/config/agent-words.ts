import { AGENTS } from '../agents.ts'

/** The agents' names as people type them in settings. */
export const AGENT_WORDS = Object.keys(AGENTS).map(name => (name === 'claude-code' ? 'claude' : name))
