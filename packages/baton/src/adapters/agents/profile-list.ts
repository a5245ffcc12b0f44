// Written by scripts/generate-agents.ts from the folders here.
import type { AgentProfile } from '../../ports/agent.ts'
import { profile as claudeCode } from './claude-code/profile.ts'
import { profile as codex } from './codex/profile.ts'
import { profile as copilot } from './copilot/profile.ts'
import { profile as cursor } from './cursor/profile.ts'
import { profile as gemini } from './gemini/profile.ts'
import { profile as opencode } from './opencode/profile.ts'
import { profile as pi } from './pi/profile.ts'

/** What a hook client must know about every supported agent. */
export const profiles: readonly AgentProfile[] = [claudeCode, codex, copilot, cursor, gemini, opencode, pi]
