import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'with the real program, 1.0.102',
  offers: {
    allow: 'yes',
    deny: 'yes',
    ask: { partly: 'In its terminal. Without one it makes a refusal of an ask, and says so.' },
    dialog: 'yes',
    sandbox: {
      partly:
        'Its model reads the short command that runs instead of its own. Where its own sandbox is on, the text of a command decides: no hook reports it, and what it hides was not found out.',
    },
    whole: {
      partly:
        '`baton run --sandbox` in tmux, with a model service of your own (`COPILOT_PROVIDER_BASE_URL` and its key). Not with a login to GitHub, which it exchanges for tokens of several servers, and not hosted.',
    },
    question: {
      partly:
        'In tmux, its own dialog and every channel ask at once, and Baton gives your answer there by keystrokes. Elsewhere, and for several choices at once, its dialog opens only after Baton’s hook: while a channel reaches you, answer there, or choose to answer on its screen; the model reads the answer as the text of a stopped call.',
    },
    plan: {
      partly:
        'In tmux: its hook cannot approve it, so Baton reads its screen, and chooses or types your comment there.',
    },
    form: { missing: 'Only its own screen shows it: no hook reports it.' },
    continue: 'yes',
    inject: 'yes',
    context: { partly: 'Its hooks name the transcript at the end of a turn, so not before the first one.' },
    evidence: 'yes',
    ends: 'yes',
    limits: 'yes',
    resume: 'yes',
    headless: 'yes',
    acp: 'yes',
    terminal: 'yes',
  },
  cautions: [],
}
