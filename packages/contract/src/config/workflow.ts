import { z } from 'zod'
import { choice, flag, limit, section, setting, text, whole } from '../setting.ts'
import { AGENT_WORDS } from './agent-words.ts'

export const handsoff = section('Hands-off mode: Baton continues workflows until they are complete.', {
  enabled: flag(true, 'Continue a workflow that stops before it is complete.', { whenBroken: false }),
  max_continuations: whole(0, 1000, 10, 'How many times Baton continues one workflow at most.'),
  auto_permission: flag(true, 'Let a model decide permission requests that no rule decides.', {
    trust: 'to-loosen',
    looser: [false, true],
    whenBroken: false,
  }),
  hung_sec: whole(
    0,
    86_400,
    900,
    'After how many seconds without output and without a running tool Baton interrupts a turn of unattended work; 0 never does.',
  ),
  max_same_failures: whole(
    0,
    1000,
    8,
    'How many times the same command may fail with the same result before the workflow ends; 0 means any number.',
  ),
  debug: flag(false, 'Write a debug log of sessions and permission decisions.'),
  supervisor: section('A second model that reviews a stopped workflow and writes the next prompt.', {
    provider: choice(['none', ...AGENT_WORDS], 'none', "Which agent's program acts as the supervisor.", {
      trust: 'needed',
    }),
    model: text('', "The supervisor's model; empty means the provider's default.", {
      trust: 'needed',
      defaultText: 'provider-specific',
    }),
    flags: text('', "Extra arguments for the supervisor's program.", { trust: 'needed' }),
  }).prefault({}),
})

export const workflows = setting(
  z
    .record(
      z.string().regex(/^[A-Za-z0-9][\w.:-]{0,63}$/),
      setting(z.record(z.string(), z.unknown()), 'One workflow.', { expects: "the workflow's settings" }),
    )
    .default({}),
  'Your own workflows, by name.',
  { expects: 'a map from workflow names (letters, digits, . _ : -) to their settings', trust: 'needed' },
)

const budgetLimits = (span: string) =>
  section(`What ${span} may use.`, {
    tokens: limit(z.int().min(1), 'a whole number of at least 1', `Tokens that ${span} may use.`),
    money: limit(z.number().positive(), 'an amount above 0', `US dollars that ${span} may cost.`),
    hours: limit(z.number().positive(), 'a number above 0', `Hours that ${span} may run.`),
  }).prefault({})

export const budget = section('Limits that end a workflow before it costs too much.', {
  per_workflow: budgetLimits('one workflow'),
  per_day: budgetLimits('one day'),
})
