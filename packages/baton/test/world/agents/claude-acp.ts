import { delimiter, dirname } from 'node:path'
import { installAgent, installProgram } from './install.ts'

/** Claude's adapter for the Agent Client Protocol on PATH, running the pinned Claude Code instead of one of its own. */
export async function claudeAcp(): Promise<{ PATH: string; CLAUDE_CODE_EXECUTABLE: string }> {
  const wanted = {
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.1',
    bin: 'claude-agent-acp',
  }
  const [adapter, claude] = await Promise.all([
    installProgram('claude-agent-acp', wanted, { small: true }),
    installAgent('claude-code'),
  ])
  const folders = [dirname(adapter), dirname(claude), process.env.PATH ?? '/usr/bin:/bin']
  return { PATH: folders.join(delimiter), CLAUDE_CODE_EXECUTABLE: claude }
}
