import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'with the real program, 0.87.1',
  offers: {
    allow: 'yes',
    deny: 'yes',
    ask: { partly: 'In its terminal, as a dialog. Without one it is a refusal that says so.' },
    dialog: 'yes',
    sandbox: 'yes',
    whole: {
      partly:
        '`baton run --sandbox` in tmux, with an API key for the provider that its settings name. Of its settings only the model and the provider are there. Not with a login of a subscription.',
    },
    question: {
      missing: 'It has no tool that asks. An extension may bring one, which asks on its own screen.',
    },
    plan: { missing: 'It has no plan mode of its own.' },
    form: { missing: 'It does not use MCP servers.' },
    continue: 'yes',
    inject: 'yes',
    context: 'yes',
    evidence: 'yes',
    ends: 'yes',
    limits: 'yes',
    resume: 'yes',
    headless: 'yes',
    acp: { missing: 'It does not speak the protocol.' },
    terminal: 'yes',
  },
  cautions: [
    {
      what: 'oh-my-pi keeps its extensions in a folder of its own, ~/.omp. It was never run under Baton: that the extension works there is not proven.',
      fix: 'Run oh-my-pi once, then `baton init --agent pi`: it puts the extension there, too.',
    },
  ],
}
