/** The ways in which plans in PAW's own repository say that a phase is done. The texts are ours, the forms are theirs. */

const checks = (automated: string, manual: string): string =>
  `### Success Criteria:\n\n#### Automated Verification:\n${boxes(automated)}\n#### Manual Verification:\n${boxes(manual)}`

const boxes = (marks: string): string =>
  [...marks].map((mark, n) => `- [${mark === 'x' ? 'x' : ' '}] Check ${n}\n`).join('')

const phase = (name: number | string, rest: string): string =>
  `## Phase ${name}: Part ${name}\n\n### Overview\nWhat it does.\n\n${rest}\n---\n\n`

/** Each form for the given phases; `open` ones have unticked boxes and say nothing. */
const repeat = (done: number, open: number, form: (n: number) => string): string =>
  Array.from({ length: done + open }, (_, at) =>
    phase(at + 1, at < done ? form(at + 1) : checks('  ', ' ')),
  ).join('')

const HEAD = '# Plan\n\n## Overview\nText.\n\n## Phase Summary\n1. **One** - text\n\n'

/** A quoted file with a fence and phases of its own. */
const QUOTED =
  '```markdown\n## Phase 1: [Name]\n- [ ] [box]\n```typescript\nconst x = 1\n```\n## Phase 9: in a template\n```\n\n'

const FORMS = {
  allTicked: () => checks('xx', 'x'),
  manualOpen: () => checks('xxx', '   '),
  headingComplete: (n: number) =>
    `${checks('x ', '  ')}### Phase ${n} Complete\n\n**Summary:** done.\n\n**Notes for Phase ${n + 1}:** text.\n`,
  headingDated: (n: number) => `${checks('  ', ' ')}### Phase ${n} Implementation Complete - 2025-11-11\n`,
  completionNotes: (n: number) =>
    `${checks('x ', ' ')}### Phase ${n} Completion Notes (2025-12-03)\n\n**Status**: Complete\n`,
  completionSummary: (n: number) => `${checks('x ', ' ')}### Phase ${n} Completion Summary\n`,
  boldStatement: (n: number) => `${checks('x ', ' ')}**Phase ${n} Implementation Complete (2025-11-17)**\n`,
  boldColon: (n: number) => `${QUOTED}${checks('x ', ' ')}**Phase ${n} Completed**: text.\n`,
  statusUpdate: (n: number) =>
    `${checks('x ', ' ')}### Phase ${n} Status Update\n- **Status**: Completed\n- **Summary**: text\n`,
  statusSection: () => `${checks('x ', ' ')}### Status\n\nCompleted (2025-10-15). Text.\n`,
  statusBox: () => `${checks('x ', ' ')}### Status\n\n- [x] Completed (2025-10-13)\n`,
  statusLine: (n: number) =>
    `${checks('  ', ' ')}**Status**: Phase ${n} implementation complete, committed.\n`,
  completedOn: (n: number) =>
    `${checks('x ', ' ')}### Phase ${n} Implementation Notes\n\n**Completed**: 2025-12-09\n`,
  statusWord: () => `${checks('  ', ' ')}**Status**: Complete\n`,
} as const

const statusTicks = (marks: string): string =>
  `${HEAD}## Phase Status\n\n${[...marks].map((mark, n) => `- [${mark === 'x' ? 'x' : ' '}] **Phase ${n + 1}: Part ${n + 1}** - text`).join('\n')}\n\n## Phase Candidates\n- [ ] Phase 7: an idea\n\n${repeat(0, marks.length, FORMS.allTicked)}`

const subPhases = (last: string): string =>
  `${HEAD}${phase(1, FORMS.allTicked())}## Phase 2: Several parts\n\nText.\n\n${phase('2A', FORMS.manualOpen())}${phase('2B', FORMS.completionNotes(0).replace('Phase 0', 'Phase 2B'))}${phase('2C', last)}## Phase 2 Overall Success Criteria\n- [ ] Everything\n\n`

const phaseTable = (states: readonly string[]): string => {
  const rows = states.map((state, n) => `| ${n + 1} | Part ${n + 1} | ${state} |`)
  return `# Plan\n\n## Phase Summary\n\n| # | Phase | Status |\n|---|---|---|\n${rows.join('\n')}\n\n${subPhases(checks('  ', ' ')).slice(HEAD.length)}`
}

/** At the end of a plan whose boxes were never ticked. */
const COMPLETION_LIST = `## Implementation Complete\n\n${[1, 2, 3, 4, 5, 6].map(n => `${n}. ✅ **Phase ${n}: Part ${n}** - text\n`).join('')}\n- ✅ All 31 tests pass\n`

/** Work items as found in PAW's repository: each with its plan, and what the plan says is done. */
export const PAW_PLANS: readonly [workId: string, plan: string, done: string][] = [
  ['agent-installation-management', HEAD + repeat(6, 0, FORMS.boldStatement), '6/6'],
  ['azure-devops', HEAD + repeat(6, 0, FORMS.boldColon), '6/6'],
  [
    'exclude-paw-artifacts',
    HEAD + repeat(0, 2, FORMS.statusLine) + phase(3, FORMS.statusLine(3)) + phase(4, FORMS.manualOpen()),
    '2/4',
  ],
  ['final-pr-review-open-questions', HEAD + repeat(1, 0, FORMS.headingComplete), '1/1'],
  ['finalize-initial-chatmodes', HEAD + repeat(5, 0, FORMS.statusBox), '5/5'],
  ['github-actions-vsix-release', HEAD + repeat(3, 0, FORMS.headingDated), '3/3'],
  ['handoff-command-improvements', HEAD + repeat(5, 0, FORMS.completionSummary), '5/5'],
  ['implementation-planner-improvements', HEAD + repeat(5, 0, FORMS.boldColon), '5/5'],
  ['implementation-skills-migration', phaseTable(['✅ Complete', '✅ Complete']), '2/2'],
  ['mkdocs-github-pages', HEAD + repeat(4, 0, FORMS.completedOn), '4/4'],
  [
    'move-chatmodes-to-agents',
    HEAD + repeat(0, 6, FORMS.allTicked) + phase(7, FORMS.statusWord()) + COMPLETION_LIST,
    '7/7',
  ],
  ['paw-cli-package', statusTicks('    '), '0/4'],
  ['paw-context-tool-for-custom-instructions', HEAD + repeat(4, 0, FORMS.statusWord), '4/4'],
  ['paw-directory', HEAD + repeat(5, 0, FORMS.boldColon), '5/5'],
  [
    'paw-lite-skill',
    '# Plan\n\n## Todos\n\n### Phase 1: Core\n- **a**: text\n\n### Phase 2: Rest  \n- **b**: text\n\n### Phase 3: Docs\n- **c**: text\n\n## Design\n1. Text\n',
    '0/3',
  ],
  ['paw-review-skills', HEAD + repeat(10, 0, FORMS.statusUpdate), '10/10'],
  ['paw-review', HEAD + repeat(3, 0, FORMS.statusSection), '3/3'],
  ['prevent-spec-implementation', HEAD + repeat(3, 0, FORMS.manualOpen), '3/3'],
  [
    'simplified-workflow',
    HEAD +
      phase(1, FORMS.boldStatement(1)) +
      phase(5, FORMS.boldStatement(5)) +
      phase(2, FORMS.boldStatement(2)) +
      phase(3, FORMS.boldStatement(3)) +
      phase(4, FORMS.boldStatement(4)),
    '5/5',
  ],
  [
    'society-of-thought-final-review',
    `${statusTicks('xxx')}`.replace('- [x] **Phase 1:', '- [x] **Phase 1a: A** - text\n- [x] **Phase 1b:'),
    '3/3',
  ],
  ['sot-context-filtering', statusTicks('xxx'), '3/3'],
  [
    'spec-narrative-section',
    HEAD +
      repeat(0, 4, FORMS.allTicked) +
      '### Notes\n\n**Phase 1-4 Implementation Complete**\n\n' +
      phase(5, checks('    ', ' ')),
    '4/5',
  ],
  [
    'vscode-extension-init',
    HEAD + phase(0, FORMS.headingComplete(0)) + repeat(5, 0, FORMS.headingComplete),
    '5/5',
  ],
  ['workflow-context', HEAD + repeat(3, 0, FORMS.statusSection), '3/3'],
  ['workflow-handoffs', HEAD + repeat(8, 0, FORMS.headingComplete), '8/8'],
  ['workflow-init-improvements-2', HEAD + repeat(3, 0, FORMS.completionNotes), '3/3'],
]
