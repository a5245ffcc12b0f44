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
  answer: ({ model, flags = [], reads }) => ({
    program: 'gemini',
    args: [
      ...['--approval-mode', 'default'],
      ...['--extensions', 'none'],
      ...(reads === undefined ? [] : ['--include-directories', reads]),
      ...(model ? ['--model', model] : []),
      ...flags,
    ],
    // The folder is the call's own, and so are the settings in it.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: { '.gemini/settings.json': JSON.stringify(reads === undefined ? NO_TOOLS : READING) },
    reads: reads !== undefined,
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

/** Tools that only read, and no instructions of the folder that they read. */
const READING = {
  ...NO_TOOLS,
  tools: { core: ['list_directory', 'read_file', 'glob', 'grep_search', 'search_file_content'] },
  context: { fileName: ['no-instructions-of-the-project'] },
}
