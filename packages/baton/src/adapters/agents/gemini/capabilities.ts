import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'with the real program, 0.61.0',
  offers: {
    allow: { partly: 'Its own dialog stays where it would show one: no hook answers that.' },
    deny: 'yes',
    ask: {
      partly:
        'In tmux, by its own dialog. Without a terminal Gemini CLI waits forever for an answer to a hook’s ask, so where its screen is not seen it is a refusal that says so.',
    },
    dialog: { partly: 'In tmux, where Baton sees its screen.' },
    sandbox: {
      partly:
        'If you installed the hooks for a project only, its own dialog stays where it would show one. Where its own sandbox is on, the text of a command decides: no hook says which of its profiles is in force, so Baton cannot tell what it hides.',
    },
    whole: {
      partly:
        '`baton run --sandbox` in tmux, with an API key (`GEMINI_API_KEY`). Not with a login with Google or Vertex AI, and not hosted. Its extensions are not there.',
    },
    question: {
      partly:
        'In tmux, its own dialog and every channel ask at once, and Baton gives your answer there by keystrokes. Elsewhere, and for several choices at once, its dialog opens only after Baton’s hook: while a channel reaches you, answer there, or choose to answer on its screen; the model reads the answer as the text of a stopped call.',
    },
    plan: {
      partly:
        'In tmux: its hook is not told the plan, so Baton reads its screen, and chooses or types your comment there.',
    },
    form: { missing: 'It shows no forms: it answers the server that it does not know the request.' },
    continue: 'yes',
    inject: { partly: 'After /clear it drops what a hook says, so it is told with the next prompt.' },
    context: 'yes',
    evidence: 'yes',
    ends: { partly: 'A failed turn and an interrupt fire no hook.' },
    limits: {
      missing:
        'At a limit it opens a dialog for its person (keep trying, or stop), or tries again by itself for minutes. No hook reports either.',
    },
    resume: 'yes',
    headless: 'yes',
    acp: 'yes',
    terminal: 'yes',
  },
  cautions: [
    {
      what: 'Gemini CLI reads a project’s hooks only in folders that it trusts.',
      fix: 'Install for the user (the default), or trust the folder in Gemini CLI.',
    },
    {
      what: 'Outside tmux a call that needs a person is refused, because an ask would keep a run without a terminal waiting forever.',
      fix: 'Run it in tmux (`baton run --agent gemini`), answer in the dashboard, in Telegram or with `baton allow` while the call waits, or add a rule.',
    },
  ],
}
