import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** Work items and their stages. */
export const stageCommands: readonly Command[] = [
  {
    name: 'work',
    summary: 'Create, list, show and run work items of staged work.',
    details:
      'A work item is stored in .paw/work/ID and moves through stages: spec, research, code, plan, implement, review, docs, pr.\n`run` starts a stage in a fresh session, with the words you would type to an agent; without words it does what `continue`\ndoes.',
    positionals: [
      { name: 'WHAT', help: '`new`, `list`, `show`, `mode` or `run`. Default: list.' },
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
        help: "With `new`: all stages, all but spec and docs, or the review of someone's pull request.",
      },
      id: { type: 'string', value: 'ID', help: 'With `new`: the Work ID. Default: derived from the title.' },
      branch: {
        type: 'string',
        value: 'BRANCH',
        help: 'With `new`: the target branch. Default: feature/ID.',
      },
      issue: { type: 'string', value: 'URL', help: 'With `new`: the issue, or the pull request to review.' },
      remote: { type: 'string', value: 'NAME', help: 'With `new`: the git remote. Default: origin.' },
      agent: { type: 'string', value: 'AGENT', help: 'With `run`: which agent. Default: claude.' },
      hosted: { type: 'boolean', help: 'With `run`: without a terminal; later stages are hosted, too.' },
      'dry-run': { type: 'boolean', help: 'Show what would start, and start nothing.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton work new "Auth System" --mode semi-auto', 'Create .paw/work/auth-system/WorkflowContext.md.'],
      ['baton work run auth-system', 'Start the next stage in tmux, or print the command for it.'],
      [
        'baton work run auth-system address comments',
        'Start the agent whose pull request has review comments; `baton work run ID help` lists the words.',
      ],
      [
        'baton work run auth-system implement Phase 2 but add rate limiting',
        'Start that phase, with an instruction.',
      ],
      ['baton work run auth-system --agent codex --hosted', 'Another agent, without a terminal.'],
      ['baton work mode auth-system auto', 'Continue automatically from the next transition on.'],
    ],
    load: async () => (await import('../commands/work.ts')).work,
  },
  {
    name: 'mcp',
    hidden: true,
    summary: "Serve Baton's tools to an agent (MCP server).",
    details:
      'Agents start it and talk to it over standard input and output: claude mcp add baton -- baton mcp. The tools are\npaw_call_agent, paw_generate_prompt, paw_create_prompt_templates, paw_get_context, baton_status, baton_handoff and baton_recall.',
    options: {
      http: { type: 'boolean', help: 'Print the HTTP address and the key file of the same tools.' },
      project: { type: 'string', value: 'FOLDER', help: 'The project. Default: the working folder.' },
      ...JSON_OPTION,
    },
    examples: [['claude mcp add baton -- baton mcp', 'Give Claude Code the tools in this project.']],
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
]
