import type { Launches } from '../../../ports/launch.ts'

export const launches: Launches = {
  agent: 'gemini',
  interactive: ({ prompt, resume }) => ({
    program: 'gemini',
    args: [...(resume ? ['--resume', resume] : []), ...(prompt ? [`--prompt-interactive=${prompt}`] : [])],
  }),
  headless: ({ prompt, resume }) => ({
    program: 'gemini',
    args: [...(resume ? ['--resume', resume] : []), `--prompt=${prompt}`],
  }),
  answer: ({ model, flags = [] }) => ({
    program: 'gemini',
    args: [
      ...['--approval-mode', 'default'],
      ...['--extensions', 'none'],
      ...(model ? ['--model', model] : []),
      ...flags,
    ],
    // The folder is the call's own, and so are the settings in it.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: { '.gemini/settings.json': JSON.stringify(NO_TOOLS) },
  }),
  acp: () => ({
    program: 'gemini',
    args: ['--acp'],
    remedy: 'Install it: npm install -g @google/gemini-cli',
    // The title of a shell call is its command; what it is for and where it runs are next to it.
    inputOf: ({ kind, title, text }) => {
      const where = /^\[(?:current working directory |in (?<cwd>[^\]]+)\])/.exec(text)
      if (kind !== 'execute' || !where) return undefined
      return { command: title, ...(where.groups?.cwd ? { cwd: where.groups.cwd } : {}) }
    },
  }),
  tools: {
    add: program => ['mcp', 'add', '--scope', 'user', 'baton', program, 'mcp'],
    remove: ['mcp', 'remove', '--scope', 'user', 'baton'],
  },
}

/** Overrides the user's own settings: no tool, no hook, no server. */
const NO_TOOLS = {
  tools: { core: ['none'] },
  mcp: { allowed: ['none'] },
  hooksConfig: { enabled: false },
  skills: { enabled: false },
  experimental: { enableAgents: false },
}
