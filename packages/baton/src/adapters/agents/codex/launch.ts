import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'codex',
  interactive: ({ prompt, resume }) => ({
    program: 'codex',
    args: [...(resume ? ['resume', resume] : []), ...(prompt ? ['--', prompt] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'codex',
    args: ['exec', ...(resume ? ['resume', resume] : []), '--', prompt],
  }),
  answer: ({ model, flags = [] }) => ({
    program: 'codex',
    args: [
      'exec',
      ...['--sandbox', 'read-only'],
      ...['--ephemeral', '--skip-git-repo-check'],
      // As settings, which a version that does not know one leaves alone; an unknown feature's flag is an error.
      ...WITHOUT.flatMap(feature => ['--config', `features.${feature}=false`]),
      ...['--config', 'web_search="disabled"'],
      ...(model ? ['--model', model] : []),
      ...flags,
      '-',
    ],
  }),
  acp: () => ({
    program: 'codex-acp',
    args: [],
    // In its other modes it writes unasked, and a model of its own answers what it would ask.
    env: { INITIAL_AGENT_MODE: 'read-only' },
    remedy: 'Install it: npm install -g @agentclientprotocol/codex-acp',
    endsWhenRefused: 'cancelled',
  }),
  tools: {
    add: program => ['mcp', 'add', 'baton', '--', program, 'mcp'],
    remove: ['mcp', 'remove', 'baton'],
  },
}

/** What could act, look or tell in a call that is to do nothing but answer; the first would leave a process behind. */
const WITHOUT = [
  'daemon_auto_start',
  'shell_tool',
  'unified_exec',
  'view_image',
  'multi_agent',
  'goals',
  'apps',
  'plugins',
  'skill_search',
  'tool_suggest',
  'hooks',
]
