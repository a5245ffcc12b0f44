import type { HandoffMode, StageName } from '@batonpass/contract/work'
import { rowOf, STAGES } from '../stage-table.ts'
import { handoffInstructions, PLACEHOLDER } from './handoff-instructions.ts'
import { textOf } from './texts.ts'

/** Everything a stage's agent is told, with the component in its place. */
export function stageInstructions(
  stage: StageName,
  about: { workId?: string; mode?: HandoffMode } = {},
): string {
  return stageTemplate(stage)
    .replaceAll('{{WORK}}', `.paw/work/${about.workId ?? '<Work ID>'}`)
    .replace(PLACEHOLDER, () => handoffInstructions({ stage, ...(about.mode ? { mode: about.mode } : {}) }))
}

/** The instructions as they are written, with `{{HANDOFF_INSTRUCTIONS}}` where the component goes. */
function stageTemplate(stage: StageName): string {
  const { agent, title } = rowOf(stage)
  return [
    `# ${agent}`,
    '',
    `You are the stage **${title}** of staged work. Each stage runs in a session of its own; what counts stands in the files of the work item, \`{{WORK}}/\`. Begin by calling \`paw_get_context\` with the Work ID you were given and \`agent_name: "${agent}"\`: it gives you WorkflowContext.md and the instructions of this project and this user, which come before these. Without a Work ID, take it from the branch or from \`baton_status\`; if that leaves a doubt, ask.`,
    '',
    textOf(stage).body.replace('{{STAGES}}', stagesTable()),
    '',
    PLACEHOLDER,
    '',
  ].join('\n')
}

/** What each stage does, for help. */
export const stagesTable = (): string =>
  [
    '| Stage | Type | What it does |',
    '|---|---|---|',
    ...STAGES.map(row => `| ${row.title} | \`${row.words[0]}\` | ${row.purpose} |`),
  ].join('\n')

/** `paw-03a-implementer`: an agent's name as a file and as Claude Code wants it. */
export const agentSlug = (stage: StageName): string =>
  rowOf(stage)
    .agent.toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')

/** An agent of the Claude Code plugin. */
export const claudeAgentFile = (stage: StageName): string =>
  `---\nname: ${agentSlug(stage)}\ndescription: ${quoted(`${rowOf(stage).agent}. ${textOf(stage).description}.`)}\n---\n\n${NOTE}\n\n${stageInstructions(stage)}`

/** A custom agent (chat mode) of VS Code. */
export const editorAgentFile = (stage: StageName): string =>
  `---\nname: ${quoted(rowOf(stage).agent)}\ndescription: ${quoted(`${textOf(stage).description}.`)}\n---\n\n${NOTE}\n\n${stageInstructions(stage)}`

const NOTE =
  '<!-- Generated from packages/baton/src/work/packs/paw by scripts/generate-plugin.ts: change it there. -->'

const quoted = (text: string): string => JSON.stringify(text)
