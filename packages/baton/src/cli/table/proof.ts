import type { Command } from '../command.ts'
import { JSON_OPTION } from '../shared-options.ts'

/** The checks that show that work is done. */
export const proofCommands: readonly Command[] = [
  {
    name: 'proof',
    summary: 'Run the checks that show that work is done, and show their results.',
    details:
      '`run` checks a commit: on a clean checkout, in the sandbox. Exits with 0 if everything passed, otherwise with 1.\n`checks` lists the checks and where they come from: `proof.done_when` in .baton.yaml, or what Baton derives from the\nrepository as it was before the work. Without WHAT, lists the proofs of this project.',
    positionals: [
      {
        name: 'WHAT',
        help: '`run`, `checks`, `accept`, `cancel`, or the id of a proof or of the session of a run: shows the proof with the output of each check.',
      },
      {
        name: 'WHICH',
        help: 'With `run` and `checks`: the commit. Default: HEAD. With `cancel`: the id of the proof. With `accept`: the id of the session of an unproven run, or the Work ID of unproven staged work.',
      },
    ],
    options: {
      base: {
        type: 'string',
        value: 'COMMIT',
        help: 'Where the work began. Default: where it left the default branch.',
      },
      again: {
        type: 'boolean',
        help: 'With `run`: run checks even if their result for this commit is known.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton proof checks', 'What would be checked here, and why.'],
      ['baton proof run', 'Check the last commit.'],
      ['baton proof', 'The proofs of this project.'],
    ],
    load: async () => (await import('../commands/proof.ts')).proof,
  },
  {
    name: 'checks',
    hidden: true,
    summary: 'Show, pin and edit the checks that show that work is done.',
    details:
      'Lists the checks of the last commit, as `baton proof checks` does. `pin` writes them into the .baton.yaml of the project as\n`proof.done_when`, so that they no longer follow the repository. `add` and `remove` change one of them, `edit` opens the file\nin $VISUAL or $EDITOR. Comments stay. A file that you trusted stays trusted; otherwise it counts after `baton trust`.',
    positionals: [
      { name: 'WHAT', help: '`pin`, `add`, `remove`, `edit`, or the commit. Default: HEAD.' },
      {
        name: 'CHECK',
        help: 'With `add`: a command, or a map such as `{files: {changed: ["docs/**"]}}`. With `remove`: the name of the check, or its command.',
      },
    ],
    options: {
      base: {
        type: 'string',
        value: 'COMMIT',
        help: 'Where the work began. Default: where it left the default branch.',
      },
      name: { type: 'string', value: 'NAME', help: 'With `add`: what the check is called.' },
      minutes: { type: 'string', value: 'N', help: 'With `add`: how long it may take.' },
      ...JSON_OPTION,
    },
    examples: [
      ['baton checks', 'What would be checked here, and why.'],
      ['baton checks pin', 'Write the checks into .baton.yaml.'],
      ['baton checks add "npm run e2e" --minutes 30', 'Add a check.'],
      ['baton checks remove "npm run lint"', 'Remove one.'],
    ],
    load: async () => (await import('../commands/checks.ts')).checks,
  },
]
