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
]
