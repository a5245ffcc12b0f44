/** Nothing is wrong with a `note`, but it is worth knowing. */
export type Severity = 'note' | 'warn' | 'fail'

export interface KnownProblem {
  severity: Severity
  /** What `baton doctor` says; words in braces are filled in. */
  says: string
  /** For docs/troubleshooting.md: how it comes about. */
  cause: string
  fix: string
}

/** Everything `baton doctor` may find, in the order in which it looks. docs/troubleshooting.md is made from it. */
export const KNOWN_PROBLEMS = {
  'command/absent': {
    severity: 'note',
    says: 'not on your PATH',
    cause:
      'Baton was run by npx, or is installed in one project only. Hooks do not mind: they name the launcher. But you, and agents that end a workflow with `baton done`, have to find the command.',
    fix: 'npm install -g batonpass, or put {bin} on your PATH',
  },
  'daemon/absent': {
    severity: 'warn',
    says: 'not running',
    cause: 'No hook has called it since the machine started, or it was stopped by `baton down`.',
    fix: 'The first hook starts it; or: baton up',
  },
  'daemon/other-version': {
    severity: 'warn',
    says: 'is {daemon}, this is {version}',
    cause: 'Baton was updated while its daemon ran.',
    fix: 'baton up',
  },
  'copy/failing': {
    severity: 'warn',
    says: '{problem}',
    cause:
      'Baton cannot write to the PostgreSQL of `store.url`: the server is away, refuses the user, or refuses what Baton sends. Your journal is complete on this machine; the copy stays where it was until the cause is gone, then it catches up.',
    fix: 'Follow the sentence; if the server answers and still refuses, daemon.log in the state folder has the whole error',
  },
  'hook client/absent': {
    severity: 'fail',
    says: 'not installed',
    cause: '`baton init` has not been run for this user, or with another BATON_HOME.',
    fix: 'baton init',
  },
  'hook client/silent': {
    severity: 'fail',
    says: '{launcher} gets no answer',
    cause:
      'The launcher was tried and gave only its safe answer: the daemon cannot be started, or the Node or Baton that the launcher names has been moved or removed.',
    fix: 'baton init; if that does not help, look at hook.log in the state folder',
  },
  'privacy/readable': {
    severity: 'fail',
    says: 'others can read {path}',
    cause: 'Somebody changed the mode of one of the files that only their owner may read.',
    fix: "chmod 600 '{path}'",
  },
  'AGENT/no-hooks': {
    severity: 'warn',
    says: '{agent}; no hooks installed',
    cause: 'The agent was installed after Baton, or was left out at `baton init`.',
    fix: '{init}',
  },
  'AGENT/stale': {
    severity: 'warn',
    says: '{agent}; hooks of another version in {scope} settings',
    cause: 'Baton was updated, or somebody edited its entries.',
    fix: '{init}',
  },
  'AGENT/exposed': {
    severity: 'fail',
    says: '{agent}; {scope} settings hold HTTP hooks of Baton 0.1, which another program can receive',
    cause:
      'Baton 0.1 sent events that only report to a port. If another program takes that port while the daemon is down, it receives tool results. The daemon replaces these hooks when it starts; here it could not, or has not started since the update.',
    fix: '{init}, then start the agent again',
  },
  'AGENT/unreadable': {
    severity: 'fail',
    says: '{agent}; {scope} settings cannot be read',
    cause: 'The file is no valid JSON. Baton does not write into a file that it cannot read.',
    fix: 'Repair the file, then run baton doctor again.',
  },
  'AGENT/limits': {
    severity: 'note',
    says: 'not offered: {what}. {why}',
    cause: 'The agent has no hook or protocol for it, or Baton does not read it.',
    fix: 'Nothing is wrong; docs/agents.md compares what the agents offer',
  },
  'AGENT/limited': {
    severity: 'note',
    says: '{what}, with a limit: {why}',
    cause: 'The agent offers only a part of it.',
    fix: 'Nothing is wrong; docs/agents.md compares what the agents offer',
  },
  'git/absent': {
    severity: 'fail',
    says: 'not found; handoffs, undo and claims read it',
    cause: 'git is not on the PATH of this shell.',
    fix: 'Install git (on Debian: apt-get install git)',
  },
  'tmux/absent': {
    severity: 'warn',
    says: 'not found; sessions that Baton types into run in it',
    cause:
      'tmux is not on the PATH. Hooks work without it; `baton run`, cycles of a live session and the tour do not.',
    fix: 'Install tmux (on Debian: apt-get install tmux)',
  },
  'configuration/wrong': {
    severity: 'fail',
    says: '{problem}',
    cause:
      'A key that does not exist, a value of the wrong type, or a file that cannot be read; file and line are named.',
    fix: 'Mend that line; see it in force with: baton config',
  },
  'configuration/untrusted': {
    severity: 'warn',
    says: '{notice}',
    cause:
      'A project has settings that loosen something or reach out. They do not count before you have read and trusted them.',
    fix: 'Read the file, then: baton trust',
  },
  'GitHub token/absent': {
    severity: 'warn',
    says: 'none',
    cause: 'Claims, boards and pull requests need GitHub. Everything else does not.',
    fix: 'Set GITHUB_TOKEN, or log in with `gh auth login`, for issues and pull requests',
  },
} as const satisfies Record<string, KnownProblem>

export type KnownProblemName = keyof typeof KNOWN_PROBLEMS

/** One checked thing. `fix` says what to do when it is not as it should be. */
export interface Check {
  name: string
  state: 'ok' | Severity
  message: string
  fix?: string
}

/** What the doctor says about one trouble. `name` stands in for the word before the slash, which may be a kind of thing. */
export function found(
  trouble: KnownProblemName,
  values: Readonly<Record<string, string>> = {},
  name?: string,
): Check {
  const { severity, says, fix }: KnownProblem = KNOWN_PROBLEMS[trouble]
  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole)
  return {
    name: name ?? trouble.split('/', 1)[0] ?? '',
    state: severity,
    message: filled(says),
    fix: filled(fix),
  }
}
