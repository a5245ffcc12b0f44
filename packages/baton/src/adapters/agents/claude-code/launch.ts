import type { Launches } from '../../../ports/launch.ts'
import { inheritTrust } from './inherit-trust.ts'

export const launches: Launches = {
  agent: 'claude-code',
  interactive: ({ prompt, resume }) => ({
    program: 'claude',
    // After `--`, so that a prompt that begins with a dash is still a prompt.
    args: [...(resume ? ['--resume', resume] : []), ...(prompt ? ['--', prompt] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'claude',
    args: ['-p', ...(resume ? ['--resume', resume] : []), '--', prompt],
  }),
  answer: ({ model, flags = [] }) => ({
    program: 'claude',
    args: [
      '-p',
      ...['--output-format', 'text'],
      '--no-session-persistence',
      '--strict-mcp-config',
      '--disable-slash-commands',
      // Hooks that go over HTTP cannot carry the marker.
      ...['--settings', '{"disableAllHooks":true}'],
      ...(model ? ['--model', model] : []),
      ...flags,
      ...['--tools', ''],
    ],
    // A word such as @file would have it read that file into the request.
    env: {
      CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  acp: () => ({
    program: 'claude-agent-acp',
    args: [],
    programVariable: 'CLAUDE_CODE_EXECUTABLE',
    remedy: 'Install it: npm install -g @agentclientprotocol/claude-agent-acp',
  }),
  inheritTrust,
  tools: {
    add: program => ['mcp', 'add', '--scope', 'user', 'baton', '--', program, 'mcp'],
    remove: ['mcp', 'remove', '--scope', 'user', 'baton'],
  },
}
