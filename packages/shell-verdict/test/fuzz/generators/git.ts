import fc from 'fast-check'
import { type Fuzzed, mostly, pick, without } from '../fuzzed.ts'

const subcommands = pick(
  ...[
    'log',
    'status',
    'diff',
    'show',
    'reflog',
    'branch',
    'tag',
    'ls-files',
    'rev-parse',
    'blame',
    'grep',
    'bisect',
    'config',
    'stash',
  ],
  ...[
    'remote',
    'describe',
    'shortlog',
    'ls-tree',
    'cat-file',
    'for-each-ref',
    'rev-list',
    'notes',
    'worktree',
    'submodule',
    'show-ref',
  ],
  ...[
    'name-rev',
    'merge-base',
    'count-objects',
    'check-ignore',
    'var',
    'symbolic-ref',
    'archive',
    'format-patch',
    'hash-object',
    'range-diff',
  ],
)
const harmless = pick(
  ...[
    '--oneline',
    '-p',
    '--stat',
    '-5',
    'HEAD',
    '-s',
    '-v',
    '--list',
    '--',
    'f',
    '--name-only',
    '--all',
    'list',
    '-n1',
    'x',
    '-l',
    'log',
  ],
  ...[
    'show',
    'HEAD:f',
    '--format=%H',
    '-1',
    '--cached',
    '-r',
    '-a',
    '--no-color',
    '--abbrev-ref',
    '-q',
    '-w',
    'HEAD~0',
    '--stdout',
    '-t',
  ],
)
const hostile = pick(
  ...[
    '--output=out',
    '--outpu=out',
    '--output|out',
    '-o|out',
    '-d',
    '-D|x',
    'run|./trip',
    '-O./trip',
    '--open-files-in-pager=./trip',
    'new',
  ],
  ...[
    '--ext-diff',
    '--contents=../secret',
    '--no-index|../secret',
    '-F../secret',
    'view',
    'add|new',
    '--edit',
    '-f',
    '--unset|user.name',
  ],
  ...[
    'core.pager|./trip',
    'push',
    'drop',
    '-w',
    '--exec=./trip|.',
    '--output-directory=out',
    'foreach|./trip',
    '-m|x',
    'expire|--all',
    'set-url|o|x',
  ],
)
const before = mostly(
  pick('', '', '', '--no-pager', '-C|.', '-P', '-c|color.ui=never'),
  pick(
    ...[
      '-c|core.pager=./trip',
      '-c|core.fsmonitor=./trip',
      '-c|diff.external=./trip',
      '-c|alias.log=!./trip',
      '--exec-path=.',
      '-p',
    ],
    ...[
      '-c|alias.x=!./trip',
      '-c|core.editor=./trip',
      '--git-dir=x',
      '--work-tree=..',
      '-c|core.hooksPath=.',
    ],
  ),
  8,
)

/** Whole lines that once did harm, and some that are like them. */
const found = pick(
  ...[
    'reflog|--output=out|-p',
    'blame|--contents=../secret|f',
    'grep|-O./trip|x',
    'grep|--open-files-in-pager=./trip|x',
    'config|user.name|x',
  ],
  ...[
    'bisect|view|bisect|run|./trip',
    'diff|--no-index|f|../secret',
    'log|-p|--output=out',
    'blame|f',
    'grep|-n|x',
    'tag|new',
    'branch|new',
  ],
  ...[
    'stash|list',
    'hash-object|-w|f',
    'hash-object|f',
    'archive|-o|out|HEAD',
    'format-patch|-1',
    'format-patch|-1|--stdout',
    'notes|add|-m|x',
  ],
)

/** Words that a reader of the sub-command alone did not see. */
const leading = (...parts: readonly (readonly string[])[]) => without(...parts)

export const GIT: Fuzzed = {
  program: 'git',
  args: fc.oneof(
    {
      weight: 20,
      arbitrary: fc
        .tuple(before, subcommands, fc.array(mostly(harmless, hostile, 5), { maxLength: 3 }))
        .map(parts => parts.flat().flatMap(part => part.split('|').filter(Boolean))),
    },
    { weight: 1, arbitrary: found.map(line => line.split('|')) },
  ),
  holes: {
    'the output file of reflog is overlooked': args => args.filter(text => !text.startsWith('--outp')),
    'what makes a tag or a branch is overlooked': args => args.filter(text => text !== 'new'),
    'the file that blame reads instead is overlooked': args =>
      args.filter(text => !text.startsWith('--contents') && text !== '../secret'),
    'settings before the sub-command are overlooked': leading(
      ['-c', 'core.fsmonitor=./trip'],
      ['-c', 'diff.external=./trip'],
      ['-c', 'alias.x=!./trip'],
    ),
    'the program that opens what was found is overlooked': args =>
      args.filter(text => !/^(-O|--open-files)/.test(text)),
    'a value makes it a question still': args =>
      args[0] === 'config' && args.length === 3 ? args.slice(0, 2) : [...args],
  },
}
