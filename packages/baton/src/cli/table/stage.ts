import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** Work items and their stages. */
export const stageCommands: readonly Command[] = [
  {
    name: 'work',
    summary: 'Begin staged work, list it, look at it, and let it go on.',
    details:
      'A work item lives in .paw/work/ID and moves through stages: spec, research, code, plan, implement, review, docs,\npr. `run` begins a stage in a fresh session by the words you would type to an agent; without words it does what\n`continue` means.',
    positionals: [
      { name: 'WHAT', help: '`new`, `list`, `show`, `mode` or `run`; without it, the list.' },
      {
        name: 'WORDS',
        many: true,
        help: 'TITLE for new, [ID] for show, ID [MODE] for mode, [ID [COMMAND]] for run.',
      },
    ],
    options: {
      mode: {
        type: 'string',
        value: 'MODE',
        choices: ['manual', 'semi-auto', 'auto'],
        help: 'With `new`: how much happens without you. Default: manual.',
      },
      strategy: {
        type: 'string',
        value: 'STRATEGY',
        choices: ['local', 'prs'],
        help: 'With `new`: review at the end, or in pull requests on the way. Default: local.',
      },
      workflow: {
        type: 'string',
        value: 'NAME',
        choices: ['full', 'minimal', 'review'],
        help: "With `new`: all stages, without spec and docs, or the review of somebody's pull request.",
      },
      id: { type: 'string', value: 'ID', help: 'With `new`: the Work ID. Default: made of the title.' },
      branch: {
        type: 'string',
        value: 'BRANCH',
        help: 'With `new`: the target branch. Default: feature/ID.',
      },
      issue: { type: 'string', value: 'URL', help: 'With `new`: the issue, or the pull request to review.' },
      remote: { type: 'string', value: 'NAME', help: 'With `new`: the git remote. Default: origin.' },
      agent: { type: 'string', value: 'AGENT', help: 'With `run`: who does it. Default: claude.' },
      hosted: { type: 'boolean', help: 'With `run`: without a terminal; its stages stay hosted.' },
      'dry-run': { type: 'boolean', help: 'Say what would begin, and begin nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton work new "Auth System" --mode semi-auto', 'Makes .paw/work/auth-system/WorkflowContext.md.'],
      ['baton work run auth-system', 'Begins the next stage in tmux, or prints the command that does.'],
      [
        'baton work run auth-system address comments',
        'Sends the agent whose pull request has review comments; `baton work run ID help` lists the words.',
      ],
      [
        'baton work run auth-system implement Phase 2 but add rate limiting',
        'Begins that phase, with an instruction.',
      ],
      ['baton work run auth-system --agent codex --hosted', 'Another agent, without a terminal.'],
      ['baton work mode auth-system auto', 'From the next transition on it goes on by itself.'],
    ],
    load: async () => (await import('../commands/work.ts')).work,
  },
  {
    name: 'mcp',
    summary: "Serve Baton's tools to an agent (MCP server).",
    details:
      'On standard input and output, as agents start it: claude mcp add baton -- baton mcp. The tools are paw_call_agent,\npaw_generate_prompt, paw_create_prompt_templates, paw_get_context, baton_status and baton_handoff.',
    options: {
      http: { type: 'boolean', help: 'Print the address and the key file of the same tools over HTTP.' },
      project: { type: 'string', value: 'FOLDER', help: 'The project. Default: the working folder.' },
      ...JSON_OPTION,
    },
    examples: [['claude mcp add baton -- baton mcp', 'Offer the tools to Claude Code in this project.']],
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
]
