// Written by scripts/generate-agents.ts from the folders here.
import type { Agent } from '../../ports/agent.ts'
import { agent as claudeCode } from './claude-code/agent.ts'
import { agent as codex } from './codex/agent.ts'
import { agent as copilot } from './copilot/agent.ts'
import { agent as cursor } from './cursor/agent.ts'
import { agent as gemini } from './gemini/agent.ts'
import { agent as opencode } from './opencode/agent.ts'
import { agent as pi } from './pi/agent.ts'

/** Everything Baton knows about every supported agent. */
export const agents: readonly Agent[] = [claudeCode, codex, copilot, cursor, gemini, opencode, pi]
