import { agents } from '../packages/baton/src/adapters/agents/agent-list.ts'
import {
  CAPABILITY_LABELS,
  CAPABILITY_NAMES,
  type CapabilitySupport,
} from '../packages/baton/src/ports/agent.ts'

/** Builds docs/agents.md: what each agent offers and, between two marks, the table of the last run with the real programs. */
export function agentsPage(before: string): string {
  const titles = agents.map(({ adapter }) => adapter.title)
  const rows = CAPABILITY_NAMES.map(
    wanted =>
      `| ${CAPABILITY_LABELS[wanted]} | ${agents.map(({ capabilities }) => sign(capabilities.offers[wanted])).join(' | ')} |`,
  )
  const details = agents.map(({ adapter, capabilities: { offers, cautions, tried } }) => {
    const limits = CAPABILITY_NAMES.flatMap(wanted => {
      const offer = offers[wanted]
      if (offer === 'yes') return []
      return [
        `- **${CAPABILITY_LABELS[wanted]}**: ${'partly' in offer ? offer.partly : `missing. ${offer.missing}`}`,
      ]
    })
    const todo = cautions.map(({ what, fix }) => `- ${what} ${fix}`)
    return [
      `## ${adapter.title}`,
      '',
      `Tried ${tried}. Install: \`baton init --agent ${adapter.aliases[0] ?? adapter.name}\`. More: [agents/${adapter.name}.md](agents/${adapter.name}.md).`,
      ...(limits.length > 0 ? ['', ...limits] : []),
      ...(todo.length > 0 ? ['', 'What to do:', '', ...todo] : []),
      '',
    ].join('\n')
  })
  return `# Agents

<!-- Written by scripts/generate-agents.ts from what each folder under packages/baton/src/adapters/agents declares. -->

One policy, every agent: the same rules, workflows and handoffs serve all of these. If an agent has no hook for something, Baton uses the agent's own protocol (ACP) or a driver, or this page lists it as missing. \`baton doctor\` says the same about the agents on your machine. To add one: [adding-an-agent.md](adding-an-agent.md).

✓ works · ◐ with a limit that is named below · – missing

| | ${titles.join(' | ')} |
|---|${titles.map(() => '---|').join('')}
${rows.join('\n')}

## What was seen on the real programs

\`npm run test:agents\` runs the same scenarios against every real program, offline, and prints this table; each column is its agent's last run. For *ask*, no one is there to answer: the call must not run, and the model must learn why. opencode is continued in \`opencode serve\`. For *judge* and *supervisor* the agent's own program answers Baton's question, without a tool, and its answer counts. *sandbox*: with default settings, a script that no rule decides runs without a question, changes the project and finds no secret of the home folder. *hosted* is \`baton chat\` over ACP: a call that the rules allow, one that they refuse, one that a person allows with \`baton allow\` in another terminal, and a reply that is stopped. *ask at its terminal*: the agent's own dialog shows Baton's reason, and a yes there runs the call. *usage limit*: a workflow in tmux meets an error 429; it is parked, and after the reset Baton types the next prompt, once.

${seen(before)}

${details.join('\n')}`
}

const BEGIN = '<!-- seen -->'
const END = '<!-- /seen -->'

/** Keeps the table of the last run, which the test run writes, not this script. */
function seen(before: string): string {
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)]
  const kept = from >= 0 && to > from ? before.slice(from + BEGIN.length, to).trim() : 'Not run yet.'
  return `${BEGIN}\n${kept}\n${END}`
}

const sign = (offer: CapabilitySupport): string => (offer === 'yes' ? '✓' : 'partly' in offer ? '◐' : '–')
