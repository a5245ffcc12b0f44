import type { Command } from '../command.ts'
import { JSON_OPTION, STARTED } from '../shared-options.ts'

/** Issues that Baton works on by itself. */
export const fleetCommands: readonly Command[] = [
  {
    name: 'queue',
    summary: 'List, add or remove the issues that the fleet works on.',
    details:
      'An issue is in the queue at most once. The most urgent comes first; one that waits longer becomes more urgent. One that\nfailed twice waits until you say `retry` or `remove`. After `watch`, issues of this repository with the label `fleet.label` (baton), or\nin the column `fleet.column` of the board, are added by themselves.',
    positionals: [
      { name: 'WHAT', help: '`list` (default), `add`, `remove`, `retry`, `watch` or `unwatch`.' },
      { name: 'ISSUE', help: 'With `add`, `remove` and `retry`: the number of the issue.' },
    ],
    options: {
      repo: { type: 'string', value: 'FOLDER', help: 'The clone of its repository. Default: this one.' },
      priority: {
        type: 'string',
        value: 'N',
        help: 'With `add`: from -100 to 100, higher comes first. Default: 0.',
      },
      agent: {
        type: 'string',
        value: 'NAME',
        choices: STARTED,
        help: 'With `add`: the agent for this issue. Default: one of the fleet.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton queue', 'What is worked on, in review, waiting and failed.'],
      ['baton queue add 42 --priority 5', 'Add issue 42 of this repository.'],
      ['baton queue add 7 --repo ~/work/shop', 'Add an issue of another repository.'],
      ['baton queue watch', 'Add every issue that gets the label baton.'],
      ['baton queue retry 42', 'Let a job that failed twice start again.'],
    ],
    load: async () => (await import('../commands/queue.ts')).queue,
  },
  {
    name: 'fleet',
    summary: 'Work on the issues in the queue, several at a time.',
    details:
      'For each free slot Baton takes an issue from the queue, makes a separate clone next to the project, claims the issue in it,\nand starts an agent with /issue-to-impl. When the pull request is open, the slot is free again. Baton merges pull requests one\nafter the other (`merge.policy`), and deletes the clone. `pause` starts and merges nothing new, `drain` goes down when the running ones are done, and `down` ends all its agents;\nissues without a pull request go back to the queue with their clones. `up` continues after each of them.\nOn machines that share `fleet.postgres`, the first that is up founds the fleet. `token` prints a token with which one other\nmachine can `join` within 15 minutes; `join` reads it from the terminal without showing it, or from a pipe. `remove` takes a machine out. `found` begins a new fleet, if the founder is lost.\n`roles` prints SQL for a database role with only the rights that a machine needs.',
    positionals: [
      {
        name: 'WHAT',
        help: '`status` (default), `up`, `pause`, `drain`, `down`, `token`, `join`, `remove`, `roles` or `found`.',
      },
      { name: 'NAME', help: 'With `remove`: the name, id or key of the machine.' },
    ],
    options: {
      slots: {
        type: 'string',
        value: 'N',
        help: 'With `up`: how many agents work at the same time. Default: 2, or as before.',
      },
      agents: {
        type: 'string',
        value: 'NAMES',
        help: 'With `up`: the agents to use, such as claude,codex. Default: claude, or as before.',
      },
      repos: {
        type: 'string',
        value: 'FOLDERS',
        help: 'With `up` on a machine that shares `fleet.postgres`: clones whose issues it may take, separated by commas.',
      },
      ...JSON_OPTION,
    },
    examples: [
      ['baton fleet up --slots 3', 'Work on three issues at a time.'],
      ['baton fleet up --agents claude,codex', 'Share the issues between two agents.'],
      ['baton fleet up --repos ~/work/app,~/work/lib', 'On another machine: help with these repositories.'],
      ['baton fleet status', 'Machines, slots, agents and every job.'],
      ['baton fleet token', 'Let one more machine join; run this on a machine of the fleet.'],
      ['baton fleet join', 'On the new machine: paste the token.'],
      ['baton fleet remove laptop', 'Take a machine out: the others resume its issues.'],
      ['baton fleet drain', 'Start nothing new, and go down when the running jobs are done.'],
    ],
    load: async () => (await import('../commands/fleet.ts')).fleet,
  },
]
