import type { Capabilities } from '../../../ports/agent.ts'

export const capabilities: Capabilities = {
  tried: 'only on recorded shapes of its JSON, because the program is not on npm',
  offers: {
    allow: 'yes',
    deny: 'yes',
    ask: { partly: 'Cursor shows no question for a hook’s ask: it is a refusal that says so.' },
    dialog: { missing: 'It shows no question for a hook’s ask.' },
    sandbox: {
      missing:
        'Its hook for commands cannot replace one, so the text of a command decides. Not tried with the real program.',
    },
    whole: { missing: 'Cannot be tried: the program is not on npm.' },
    question: { missing: 'Cannot be tried: the program is not on npm. Baton leaves it to its own screen.' },
    plan: { missing: 'Cannot be tried: the program is not on npm. Baton leaves it to its own screen.' },
    form: { missing: 'Cannot be tried: the program is not on npm. Baton leaves it to its own screen.' },
    continue: 'yes',
    inject: 'yes',
    context: { missing: 'Its hooks tell no figures, and its transcripts are not read.' },
    evidence: { missing: 'Its transcripts are not read; a handoff rests on git.' },
    ends: 'yes',
    limits: { missing: 'Its hooks tell that a turn failed, but not why.' },
    resume: { partly: 'By its documented command line; not run here.' },
    headless: { partly: 'By its documented command line; not run here.' },
    acp: { missing: 'It does not speak the protocol.' },
    terminal: { missing: 'Its screen is not read.' },
  },
  cautions: [
    {
      what: 'A call that needs a person is refused, because Cursor cannot ask from a hook.',
      fix: 'Answer in the dashboard, in Telegram or with `baton allow` while the call waits, or add a rule.',
    },
  ],
}
