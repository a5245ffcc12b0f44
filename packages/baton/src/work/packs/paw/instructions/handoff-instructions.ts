import type { HandoffMode, StageName } from '@batonpass/contract/work'
import { COMMENT_ROUTES } from '../../../stages/resolve-command.ts'
import { type Flow, rowOf, STAGES, TRANSITIONS, type Transition } from '../stage-table.ts'

/** Marks where this component is inserted in an agent's instructions. */
export const PLACEHOLDER = '{{HANDOFF_INSTRUCTIONS}}'

/**
 * How a stage hands over to the next: one text for all agents, with tables built from the stage table. With a mode, it
 * describes only that mode; with a stage, only the transitions from that stage.
 */
export function handoffInstructions(
  about: { stage?: StageName; mode?: HandoffMode; flow?: Flow } = {},
): string {
  const { stage, mode } = about
  const row = stage && rowOf(stage)
  const flow = about.flow ?? (row && row.flow !== 'any' ? row.flow : undefined)
  return [
    '## Handing over',
    '',
    mode
      ? `This work's Handoff Mode is **${mode}**. ${MODES[mode]}`
      : `The line \`Handoff Mode\` in WorkflowContext.md says how much happens without a person. Read it again when you finish: it may have changed. If the file or the line is missing, or the value is another one, the mode is \`manual\`; then say so in one sentence.\n\n${Object.entries(
          MODES,
        )
          .map(([name, text]) => `- **${name}**: ${text}`)
          .join('\n')}`,
    ...(mode === 'manual' ? [] : ['', transitionTable(stage, flow)]),
    '',
    "Hand over only what is finished: files written, tests run, changes committed. Hand over by calling `paw_call_agent` with the exact agent name, the Work ID and, if there is one, the instruction; it starts a new session and returns at once, so make it your last action and end your turn. Never do the next stage's work yourself.",
    '',
    'If you cannot finish without a person, add the line `Blocked: <what is needed>` to WorkflowContext.md, say the same in your last message in a line that starts with `Blocked:`, and end your turn. Offer no next steps for blocked work, in any mode.',
    '',
    '### Commands',
    '',
    'These words, typed by the user as the whole message or at its start, are commands and never a task for you. Do not start the work they name: hand over, or answer as the table says.',
    '',
    commandTable(flow),
    '',
    ...(flow === 'pr-review'
      ? []
      : [
          '`research` means the Spec Researcher while the specification is being written and the Code Researcher at any other time. `implement` without a number means the first unfinished phase of ImplementationPlan.md. Give the phase in `inline_instruction`: `Phase 2`.',
          '',
        ]),
    '`continue` means the default next stage: what auto mode would start, and the first in your list of next steps.',
    '',
    'The text after `but` or `with` (`implement Phase 2 but add rate limiting`) is an instruction: pass it on word for word in `inline_instruction`. It needs no prompt file.',
    '',
    '`generate prompt for <agent> [Phase N]` asks for a file to edit, not for a handoff: call `paw_generate_prompt` with the template key and a file name such as `03A-implement-phase3.prompt.md`, and tell the user the path it returns.',
    '',
    '### Your last message',
    '',
    'When you wait for a command, end with exactly this:',
    '',
    '```text',
    '**<Stage> is done.** <One sentence: what was produced, and in which file.>',
    '',
    'Next steps:',
    '- `<command>`: <what it does> (also `continue`)',
    '- `<command>`: <what it does>',
    '- `status`: show the state of the work',
    '```',
    '',
    'List only commands whose prerequisites are met, the default first. Before you write it, check that every file you name exists and says what you claim.',
  ].join('\n')
}

/** The component as its own file, for people who write additional agents. */
export const componentFile = (): string =>
  `<!-- Generated from packages/baton/src/work/packs/paw by scripts/generate-plugin.ts: change it there. -->\n\n${handoffInstructions()}\n`

const MODES: Record<HandoffMode, string> = {
  manual: 'Present the next steps and wait for a command; hand over only when one comes.',
  'semi-auto':
    'Where the table says "continues", hand over at once without asking; where it says "waits", present the next steps and wait.',
  auto: 'Hand over to the default next stage at once, always, without presenting options or asking. Only permission questions reach the user. It needs the review strategy `local`.',
}

const WHEN: Record<Transition['when'], string> = {
  always: '',
  'questions-open': ' while research questions are open',
  'phases-left': ' while phases are left',
}

function transitionTable(stage: StageName | undefined, flow: Flow | undefined): string {
  const rows = TRANSITIONS.filter(
    ({ from }) =>
      (stage === undefined || stage === 'status' || from === stage) && (!flow || rowOf(from).flow === flow),
  )
  if (rows.length === 0)
    return 'No stage follows this one: in every mode, present what can be done next and wait.'
  return [
    '| Finished | Next | Semi-auto | Auto |',
    '|---|---|---|---|',
    ...rows.map(
      ({ from, to, when, semiAuto }) =>
        `| ${rowOf(from).title} | ${rowOf(to).agent}${WHEN[when]} | ${semiAuto === 'chain' ? 'continues' : 'waits'} | continues |`,
    ),
  ].join('\n')
}

function commandTable(flow: Flow | undefined): string {
  const words = (list: readonly string[]) => list.map(word => `\`${word}\``).join(', ')
  const rows = STAGES.filter(row => row.stage !== 'status' && (!flow || row.flow === flow)).map(
    row =>
      `| ${words(row.stage === 'implement' ? ['implement', 'implement Phase N'] : row.words)} | \`${row.agent}\` |`,
  )
  const routes = Object.entries(COMMENT_ROUTES)
    .map(
      ([kind, stages]) => `${kind} PR: ${stages.map(stage => `\`${rowOf(stage).agent}\``).join(', then ')}`,
    )
    .join('; ')
  return [
    '| The user types | You |',
    '|---|---|',
    ...rows.map(line => line.replace(/\| (`[^`]+`) \|$/, '| hand over to $1 |')),
    '| `continue` | hand over to the default next stage |',
    ...(flow === 'pr-review'
      ? []
      : [`| \`address comments\`, \`check pr\` | hand over by the kind of pull request. ${routes} |`]),
    '| `feedback: …` | hand over to the agent whose result it is about, with the text as instruction |',
    '| `status`, `help`, "where am I?" | call `baton_status` and repeat what it says, or hand over to `PAW-X Status` |',
  ].join('\n')
}
