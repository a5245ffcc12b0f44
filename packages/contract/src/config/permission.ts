import { z } from 'zod'
import { PermissionRule } from '../permission.ts'
import { choice, flag, section, setting } from '../setting.ts'
import { AGENT_WORDS } from './agent-words.ts'
import { Folder } from './sandbox.ts'

export const permission = section('How permission requests are decided.', {
  preset: choice(['cautious', 'standard', 'trusting'], 'standard', 'The built-in rules to start from.', {
    trust: 'to-loosen',
    looser: ['cautious', 'standard', 'trusting'],
    whenBroken: 'cautious',
  }),
  undecided: choice(
    ['respect', 'ask', 'defer'],
    'respect',
    "What happens to a call that nothing decides. `respect`: ask you, but never more than the agent's own permission mode would. `ask`: ask you in every mode. `defer`: always leave it to the agent.",
    { trust: 'to-loosen', looser: ['ask', 'respect', 'defer'], whenBroken: 'ask' },
  ),
  undo: flag(true, 'Snapshot the worktree before a command that can be undone, and allow it.', {
    trust: 'needed',
  }),
  judge: choice(
    ['auto', 'api', ...AGENT_WORDS],
    'auto',
    "The model that judges what no rule decides: the Anthropic API with a key, or an agent's program. `auto` uses the first one available.",
    { trust: 'needed' },
  ),
})

const ruleSetting = (rule: typeof PermissionRule) =>
  setting(
    rule,
    'A regular expression for a Bash command, or a rule such as {program: git, subcommand: push}.',
    { expects: 'a pattern as text, or a rule such as {pattern: "^npm test", tool: Bash}' },
  )
const Rule = ruleSetting(PermissionRule)
const RuleWithoutOutside = ruleSetting(
  PermissionRule.refine(rule => typeof rule === 'string' || rule.outside === undefined, {
    message: '`outside` belongs to a rule of permissions.allow',
  }),
)
const rules = (description: string, facts: { trust?: 'needed' } = {}, rule = Rule) =>
  setting(z.array(rule).default([]), description, { expects: 'a list of rules', accumulates: true, ...facts })

/** What one project may run in addition. Baton adds such rules when a person answers "always allow in this project". */
const ProjectRules = z.strictObject({ project: Folder, allow: z.array(Rule).max(1000).default([]) })

export const permissions = section('Your own permission rules; the rules of all files are combined.', {
  allow: rules('What may run without an ask.', { trust: 'needed' }),
  deny: rules('What never runs.', {}, RuleWithoutOutside),
  ask: rules('What always needs a person.', {}, RuleWithoutOutside),
  projects: setting(
    z.array(ProjectRules).max(500).default([]),
    'Allow rules for single projects: a list of `{project: ~/work/shop, allow: [...]}`. Baton adds what you always allow in a project.',
    { expects: 'a list of projects', accumulates: true, trust: 'needed' },
  ),
})

export const shadow = section('Watch without acting, to see what Baton would do.', {
  enabled: flag(
    false,
    'Record everything and answer nothing: agents behave as if Baton were not installed.',
    {
      trust: 'needed',
      whenBroken: false,
    },
  ),
})
