import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'with the real program, 0.166.0',
  offers: {
    allow: {
      partly:
        'A hook cannot lift Codex’s own sandbox; where the model asks to leave it, the approval dialog is answered for it.',
    },
    deny: 'yes',
    ask: { partly: 'Codex waves a hook’s ask through, so it is a refusal that says so.' },
    dialog: { missing: 'It takes a hook’s ask for no decision, and asks only for what its own policy says.' },
    sandbox: {
      partly:
        'Where its own sandbox is off (`danger-full-access`), and commands that ask to leave its own sandbox (`workspace-write`). That one counts as one if it has no network: commands run in it without a question, but see your whole home folder, secrets included, and your environment variables. In `codex exec` nothing can leave it, so git cannot commit there.',
    },
    whole: {
      partly:
        '`baton run --sandbox` in tmux, with an API key for OpenAI or for a provider of your own. Not with a login with ChatGPT, and not hosted.',
    },
    question: {
      partly:
        'In tmux and in plan mode, its own dialog and every channel ask at once, and Baton gives your answer there by keystrokes. Elsewhere its dialog opens only after Baton’s hook: while a channel reaches you, answer there, or choose to answer on its screen; the model reads the answer as the text of a stopped call.',
    },
    plan: {
      partly:
        'In tmux: no hook reports it, so Baton reads its screen, chooses there, and types your comment as the next prompt.',
    },
    form: {
      missing:
        'Only its own screen shows it: no hook reports it. Where it never asks for approval, it declines the form.',
    },
    continue: 'yes',
    inject: { partly: 'Its session begins at the first prompt: nothing is injected before it.' },
    context: 'yes',
    evidence: 'yes',
    ends: { partly: 'An error of the model service fires no hook; it is in the transcript.' },
    limits: 'yes',
    resume: 'yes',
    headless: 'yes',
    acp: {
      partly:
        'Through the separate program codex-acp. It asks for what its read-only sandbox forbids; only its hooks see the rest.',
    },
    terminal: 'yes',
  },
  cautions: [
    {
      what: 'Codex runs no hook that its person has not looked at: new ones are silently left out, `codex exec` included.',
      fix: 'Start `codex` once in a terminal and choose “Trust all and continue” (or /hooks, then t); again after each `baton init` that changed them. `baton doctor` says whether it is needed.',
      checked: true,
    },
    {
      what: 'A call that needs a person is refused, because Codex passes a hook’s ask.',
      fix: 'Answer in the dashboard, in Telegram or with `baton allow` while the call waits, or add a rule.',
    },
  ],
}
