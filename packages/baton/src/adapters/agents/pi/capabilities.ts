import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'the real program, 0.87.1',
  offers: {
    allow: 'yes',
    deny: 'yes',
    ask: { partly: 'In its terminal, as a dialog. Without one it is a refusal that says so.' },
    continue: 'yes',
    inject: 'yes',
    context: 'yes',
    evidence: 'yes',
    ends: 'yes',
    resume: 'yes',
    headless: 'yes',
    acp: { missing: 'It does not speak the protocol.' },
    terminal: { missing: 'Its screen is not read; its extension sends prompts itself.' },
  },
  cautions: [
    {
      what: 'oh-my-pi keeps its extensions in a folder of its own.',
      fix: 'Link it: mkdir -p ~/.omp/agent/extensions && ln -s ~/.pi/agent/extensions/baton.ts ~/.omp/agent/extensions/',
    },
  ],
}
