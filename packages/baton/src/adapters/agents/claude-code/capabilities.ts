import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'with the real program, 2.1.325',
  offers: {
    allow: 'yes',
    deny: 'yes',
    ask: 'yes',
    dialog: 'yes',
    sandbox: {
      partly:
        'In every permission mode but plan. There, and where its own sandbox is on, the text of a command decides: a setting says that its sandbox is on, but no hook says that it held for a command (`excludedCommands` and the model itself take commands out of it), and it hides neither your home folder from reading nor your environment.',
    },
    whole: {
      partly:
        '`baton run --sandbox` in tmux, and `baton chat --sandbox`, with an API key, a setup token or a subscription. Not with Bedrock, Vertex or Foundry, whose requests are signed, nor with `apiKeyHelper` or `ANTHROPIC_CUSTOM_HEADERS`.',
    },
    question: 'yes',
    plan: 'yes',
    form: {
      partly:
        'Its screen shows the form only after Baton’s hook: while a channel reaches you, answer there, or choose to answer on its screen.',
    },
    continue: 'yes',
    inject: 'yes',
    context: 'yes',
    evidence: 'yes',
    ends: { partly: 'An interrupt by Ctrl-C or Escape fires no hook; it is read from the transcript.' },
    limits: 'yes',
    resume: 'yes',
    headless: 'yes',
    acp: { partly: 'Through the separate program claude-agent-acp.' },
    terminal: 'yes',
  },
  cautions: [],
}
