import { AGENTS } from '../agents.ts'

/** The agents as people type them. */
export const AGENT_WORDS = Object.keys(AGENTS).map(name => (name === 'claude-code' ? 'claude' : name))
