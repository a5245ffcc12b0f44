import type { ProgramTable } from '@batonpass/shell-verdict/programs/spec'

const READ = { kind: 'read' } as const

/** Baton's own command: what an agent may ask it. Answering and configuring are closed in paths of their own. */
export const OWN_PROGRAM: ProgramTable = {
  'baton batonpass': {
    globals: '--json --help -h --version',
    sub: {
      done: { kind: 'read', max: 0, flags: '--blocked= --dry-run' },
      // It only asks the person.
      request: { kind: 'read', max: 2, flags: '--methods=' },
      'status ps health recap asks why check what-if sessions issue doctor help completions': READ,
      // Without words: `history clean` deletes files.
      history: { kind: 'read', max: 0, flags: '--json --all -a --issue=' },
      config: { kind: 'read', max: 0, flags: '--json' },
      undo: { kind: 'write', flags: '--list', check: 'list-only' },
      // Not `--to`: that starts an agent which no one watches.
      handoff: {
        kind: 'project',
        max: 0,
        flags: '-s= --session= --transcript= --focus= --verify= --print',
        // What a new session's context points to.
        sub: { 'show list diff': { kind: 'read', flags: '--section= --context --json' } },
      },
      handoffs: { sub: { 'show diff': { kind: 'read', flags: '--section= --context --json' } } },
      // Taking an issue from its holder, or one that is not to do, is a person's word; so is releasing one that is claimed
      // elsewhere, for then it could be taken.
      claim: { kind: 'project', max: 1, flags: '--list --worktree --summary= --dry-run' },
      'claims board': { kind: 'read', max: 0, flags: '--json' },
      // Beginning a handoff of another session, or calling one off, is a person's word.
      cycle: { kind: 'read', max: 0, flags: '--json --all -a' },
    },
  },
}
