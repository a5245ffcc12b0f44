import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'with the real program, 1.18.18',
  offers: {
    allow: 'yes',
    deny: 'yes',
    ask: { partly: 'A plugin cannot ask its person, so it is a refusal that says so.' },
    dialog: { missing: 'A plugin cannot open one.' },
    sandbox: 'yes',
    whole: {
      partly:
        '`baton run --sandbox` in tmux, with an API key for the provider that its settings name. Of its settings only the model and the provider are there. Not hosted.',
    },
    question: 'yes',
    plan: { missing: 'It has no plan to approve: you switch from its plan agent to its build agent.' },
    form: { missing: 'It shows no forms: it answers the server that it does not know the request.' },
    continue: {
      partly:
        'Where opencode keeps running: its terminal, `serve`, ACP. `opencode run` ends with the first turn.',
    },
    inject: 'yes',
    context: 'yes',
    evidence: 'yes',
    ends: 'yes',
    limits: 'yes',
    resume: 'yes',
    headless: 'yes',
    acp: {
      partly:
        'It asks for commands, edits, fetches and other folders; only its plugin sees the rest, such as tools of MCP servers.',
    },
    terminal: 'yes',
  },
  cautions: [
    {
      what: '`opencode run` ends when its turn does, so it is not continued.',
      fix: 'For work without a terminal use `opencode serve` with `opencode run --attach`, or let Baton host it over ACP.',
    },
    {
      what: 'The tools of MCP servers come without the server’s name, so rules for one server do not fit them.',
      fix: 'Write the rule for the tool’s own name.',
    },
  ],
}
