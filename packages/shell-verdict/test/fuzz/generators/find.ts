import fc from 'fast-check'
import { type Fuzzed, mostly, pick } from '../fuzzed.ts'

const harmless = pick(
  ...[
    '-name|*.txt',
    '-type|f',
    '-maxdepth|1',
    '-print',
    '-size|+0',
    '-o',
    '-not',
    '-print0',
    '-newer|f',
    '-path|./x',
    '-ls',
    '-prune',
  ],
  ...[
    '-printf|%p',
    '-true',
    '-perm|644',
    '-exec|cat|{}|;',
    '-exec|grep|-l|x|{}|+',
    '-exec|wc|-l|{}|;',
    '-iname|F',
    '-empty',
    '-depth',
  ],
  ...[
    '-mindepth|1',
    '-mtime|-1',
    '-regex|.*f',
    '-samefile|f',
    '-user|root',
    '(|-name|f|)',
    '!|-name|x',
    '-quit',
    '-newermt|2020-01-01',
  ],
  ...[
    '-exec|head|-c|3|{}|;',
    '-exec|stat|{}|+',
    '-execdir|ls|{}|;',
    '-exec|sed|-n|1p|{}|;',
    '-exec|env|LANG=C|wc|{}|+',
    '-fstype|x',
  ],
)
const hostile = pick(
  ...[
    '-delete',
    '-fprint|out',
    '-fprintf|out|x',
    '-fls|out',
    '-fprint0|out',
    '-exec|./trip|;',
    '-exec|./trip|{}|+',
    '-execdir|./trip|;',
  ],
  ...[
    '-exec|sh|-c|./trip|;',
    '-exec|env|./trip|;',
    '-ok|./trip|;',
    '-okdir|./trip|;',
    '-exec|sed|e ./trip|{}|;',
    '-exec|sed|-i|p|{}|;',
  ],
  ...[
    '-exec|sort|-o|out|{}|;',
    '-exec|tee|out|;',
    '-exec|awk|BEGIN { system("./trip") }|;',
    '-exec|{}|;',
    '-exec|touch|out|;',
    '-exec|cp|f|out|;',
  ],
  ...[
    '-exec|timeout|1|./trip|;',
    '-exec|xargs|-a|f|./trip|;',
    '-exec|cat|{}|+|-exec|./trip|;',
    '-exec|echo|;|-exec|./trip|;',
    '-exec|nohup|./trip|;',
  ],
)

export const FIND: Fuzzed = {
  program: 'find',
  args: fc
    .tuple(
      pick('.', '.', '. -L', '-P .', '-O2 .', '-D tree .', './', 'f .'),
      fc.array(mostly(harmless, hostile, 6), { minLength: 1, maxLength: 4 }),
    )
    .map(([where, list]) => [
      ...(where === '. -L' ? ['-L', '.'] : where.split(' ')),
      ...list.flatMap(part => part.split('|')),
    ]),
  holes: {
    'files that find writes are overlooked': args => {
      const at = args.findIndex(text => /^-f(print0?|ls)$/.test(text))
      return at === -1 ? [...args] : [...args.slice(0, at), ...args.slice(at + 2)]
    },
    'deleting is a test like others': args => args.map(text => (text === '-delete' ? '-true' : text)),
    'the first command is all that runs': args => {
      const first = args.findIndex(text => text === '-exec')
      const next = args.findIndex((text, at) => at > first && text === '-exec' && args[at + 1] === './trip')
      return first === -1 || next === -1 ? [...args] : args.slice(0, next)
    },
    'what a wrapper starts is overlooked': args =>
      args.map((text, at) => (text === './trip' && /^(env|nohup|1)$/.test(args[at - 1] ?? '') ? 'ls' : text)),
    'a command in another folder is overlooked': args =>
      args.map((text, at) =>
        text === './trip' && /^-(execdir|okdir)$/.test(args[at - 1] ?? '') ? 'ls' : text,
      ),
  },
}
