/** A `note` is not a problem, but worth knowing. */
export type Severity = 'note' | 'warn' | 'fail'

export interface KnownProblem {
  severity: Severity
  /** What `baton doctor` prints; it fills in words in braces. */
  says: string
  /** For docs/troubleshooting.md: the cause. */
  cause: string
  fix: string
}

/** Everything `baton doctor` may find, in the order it checks. docs/troubleshooting.md is generated from it. */
export const KNOWN_PROBLEMS = {
  'command/absent': {
    severity: 'note',
    says: 'not on your PATH',
    cause:
      'You ran Baton with npx, or installed it in one project only. Hooks still work, because they use the launcher. But you, and agents that end a workflow with `baton done`, need the command.',
    fix: 'npm install -g batonpass, or put {bin} on your PATH',
  },
  'daemon/absent': {
    severity: 'warn',
    says: 'not running',
    cause: 'No hook has called it since the machine started, or `baton down` stopped it.',
    fix: 'The first hook starts it, or run: baton up',
  },
  'daemon/failing': {
    severity: 'fail',
    says: 'cannot be started: {problem}',
    cause:
      'The message says it: for example, a newer version of Baton wrote the state folder, or the folder cannot be written. Until the daemon starts, hooks give the safe answer: the agent asks you about each command.',
    fix: 'Do what the message says, then: baton up',
  },
  'daemon/silent': {
    severity: 'warn',
    says: 'slow: it did not answer within 2 seconds',
    cause: 'The machine is very busy or asleep, or the daemon hangs.',
    fix: 'Try again; if it stays silent: baton down --force, then baton up',
  },
  'daemon/other-version': {
    severity: 'warn',
    says: 'is {daemon}, this is {version}',
    cause: 'Baton was updated while its daemon was running.',
    fix: 'baton up',
  },
  'daemon/other-port': {
    severity: 'warn',
    says: 'listens at {url}, not on the port {port} of daemon.port',
    cause: 'Another program uses that port, or you changed `daemon.port` while the daemon was running.',
    fix: 'Stop the other program or choose another daemon.port, then: baton up --restart',
  },
  'pause/on': {
    severity: 'warn',
    says: '{line}',
    cause: 'A person ran `baton pause`. Baton records what happens there, and decides and continues nothing.',
    fix: 'baton unpause',
  },
  'state folder/closed': {
    severity: 'fail',
    says: '{problem}',
    cause:
      'Baton runs as one user with the HOME of another, as after `sudo -u` or in a container. Baton belongs to one user and does not share its state.',
    fix: 'Run Baton as the user whose HOME it is, or point BATON_HOME at a folder of your own',
  },
  'journal/unwritable': {
    severity: 'fail',
    says: '{problem}',
    cause:
      'The disk of the state folder is full, or the journal cannot be written for another reason. Baton records every event before it answers, so until then it gives the safe answer: it asks you, or denies where nobody would be asked. What rules deny stays denied.',
    fix: 'Free some space on that disk; Baton continues by itself',
  },
  'copy/failing': {
    severity: 'warn',
    says: '{problem}',
    cause:
      'Baton cannot write to the PostgreSQL of `store.url`: the server is down, rejects the user, or rejects what Baton sends. Your journal is complete on this machine; the copy catches up when the cause is fixed.',
    fix: 'Follow the message; if the server responds with an error, daemon.log in the state folder has all of it',
  },
  'hook client/absent': {
    severity: 'fail',
    says: 'not installed',
    cause: 'You have not run `baton init` as this user, or ran it with another BATON_HOME.',
    fix: 'baton init',
  },
  'hook client/silent': {
    severity: 'fail',
    says: '{launcher} gets no answer from the daemon: {problem}',
    cause:
      'The launcher returned only its safe answer: the daemon cannot be started, or the Node or Baton that the launcher points to was moved or removed.',
    fix: 'Run baton init; if that does not help, read hook.log in the state folder',
  },
  'privacy/readable': {
    severity: 'fail',
    says: 'other users can read {path}',
    cause: 'The permissions of a file that only you may read were changed.',
    fix: "chmod 600 '{path}'",
  },
  'sandbox/absent': {
    severity: 'warn',
    says: '{problem}',
    cause:
      'Commands of agents cannot run in the sandbox on this machine, so Baton judges them by their text and asks more. With `sandbox.mode: strict` no command runs.',
    fix: '{remedy}',
  },
  'sandbox/dropped': {
    severity: 'warn',
    says: '{problem}',
    cause:
      'This version of the agent ignores the command that a hook hands it, in some of its modes. Baton noticed it after the command had run.',
    fix: 'Update the agent; Baton then tries again. To try again with this version: delete sandbox/rewrites.json in the state folder, then `baton up --restart`',
  },
  'sandbox/containers': {
    severity: 'warn',
    says: 'the rule {rule} allows a container client: this ends containment',
    cause:
      'Containers do not run in the sandbox. A command that may start one can mount your home folder in it, and so read and change everything that you can, your logins included.',
    fix: 'Remove the rule if you do not want that; otherwise nothing is to be done',
  },
  'AGENT/no-hooks': {
    severity: 'warn',
    says: '{agent}; no hooks installed',
    cause: 'The agent was installed after Baton, or you skipped it in `baton init`.',
    fix: '{init}',
  },
  'AGENT/stale': {
    severity: 'warn',
    says: '{agent}; hooks of another Baton version in {scope} settings',
    cause: 'Baton was updated, or its hook settings were edited.',
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
    cause: 'The file is not valid JSON. Baton does not write to a file that it cannot read.',
    fix: 'Fix the file, then run baton doctor again.',
  },
  'AGENT/limits': {
    severity: 'note',
    says: 'not offered: {what}. {why}',
    cause: 'The agent has no hook or protocol for this, or Baton does not support it.',
    fix: 'Nothing to fix; docs/agents.md compares what the agents offer',
  },
  'AGENT/limited': {
    severity: 'note',
    says: '{what}, with a limit: {why}',
    cause: 'The agent offers only part of this.',
    fix: 'Nothing to fix; docs/agents.md compares what the agents offer',
  },
  'AGENT/foreign-hooks': {
    severity: 'warn',
    says: 'hooks of {system} in {path}. As long as both run, {effect}',
    cause: 'Another system that does the same work as Baton is installed in the same agent.',
    fix: 'Show what would be removed, and remove it: baton import --hooks',
  },
  'git/absent': {
    severity: 'fail',
    says: 'not found; handoffs, undo and claims need it',
    cause: 'git is not on the PATH of this shell.',
    fix: 'Install git (on Debian: apt-get install git)',
  },
  'tmux/absent': {
    severity: 'warn',
    says: 'not found; Baton needs it to type into sessions',
    cause: 'tmux is not on the PATH. Hooks work without it; `baton run`, cycles and the tour do not.',
    fix: 'Install tmux (on Debian: apt-get install tmux)',
  },
  'configuration/wrong': {
    severity: 'fail',
    says: '{problem}',
    cause:
      'A key that does not exist, a value of the wrong type, or a file that cannot be read. The message has the file and line.',
    fix: 'Fix that line, then check it with: baton config',
  },
  'configuration/untrusted': {
    severity: 'warn',
    says: '{notice}',
    cause:
      'A project has settings that loosen a rule or contact a service. Baton ignores them until you have read and trusted them.',
    fix: 'Read the file, then run: baton trust',
  },
  'configuration/ignored': {
    severity: 'note',
    says: '{notice}',
    cause:
      "The file is agentize's, and Baton has no setting for this key. Everything else in the file applies.",
    fix: 'Nothing to fix; docs/guides/migrate.md lists what replaces these keys',
  },
  'Telegram/incomplete': {
    severity: 'fail',
    says: 'telegram.enabled is true without {missing}: Baton sends nothing to Telegram',
    cause: 'Telegram needs a bot token and a chat. Without them, questions wait on the other channels only.',
    fix: 'Run `baton init`, or set {missing} in .baton.yaml',
  },
  'GitHub token/absent': {
    severity: 'warn',
    says: 'none',
    cause: 'Claims, boards and pull requests need GitHub. Everything else works without it.',
    fix: 'Set GITHUB_TOKEN, or log in with `gh auth login`, for issues and pull requests',
  },
} as const satisfies Record<string, KnownProblem>

export type KnownProblemName = keyof typeof KNOWN_PROBLEMS

/** One check. `fix` says what to do if it is not ok. */
export interface Check {
  name: string
  state: 'ok' | Severity
  message: string
  fix?: string
}

/** What the doctor says about one trouble. `name` replaces the word before the slash, which may be a kind of thing. */
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
