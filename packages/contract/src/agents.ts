/**
 * The coding agents Baton speaks with, a line each; each name is also the folder of its adapter. `programs` are the files it
 * runs as: what runs below one of them is never a person.
 */
export const AGENTS = {
  'claude-code': { title: 'Claude Code', programs: ['claude'] },
  cursor: { title: 'Cursor', programs: ['cursor-agent'] },
  codex: { title: 'Codex', programs: ['codex'] },
  opencode: { title: 'opencode', programs: ['opencode'] },
  gemini: { title: 'Gemini CLI', programs: ['gemini'] },
  copilot: { title: 'Copilot CLI', programs: ['copilot'] },
  pi: { title: 'pi', programs: ['pi', 'omp'] },
} as const satisfies Record<string, { title: string; programs: readonly string[] }>
