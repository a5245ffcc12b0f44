import fc from 'fast-check'

/** How one program is tried: command lines of which most only read, and the ways in which its reader was once fooled. */
export interface Fuzzed {
  readonly program: string
  readonly args: fc.Arbitrary<string[]>
  /** Texts as a reader with a known hole saw them: it overlooked what is taken away here. */
  readonly holes: Readonly<Record<string, (args: readonly string[]) => string[]>>
}

const pick = (...texts: string[]) => fc.constantFrom(...texts)
/** Mostly the first, sometimes the second. */
const mostly = (harmless: fc.Arbitrary<string>, hostile: fc.Arbitrary<string>, weight = 9) =>
  fc.oneof({ weight, arbitrary: harmless }, { weight: 1, arbitrary: hostile })
const joined = (parts: fc.Arbitrary<string>, separators: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .array(fc.tuple(parts, separators), { minLength: 1, maxLength })
    .map(list => list.map(([part, separator], at) => part + (at < list.length - 1 ? separator : '')).join(''))
const inLast = (change: (text: string) => string) => (args: readonly string[]) =>
  args.map((text, at) => (at === args.length - 2 ? change(text) : text))

const sedCommand = fc
  .tuple(
    pick('', '', '', '1', '$', '/x/', '1,2', '/a/,$', '2!', '\\,x,', '0~2', '/[/]/', '/[^]]/I'),
    mostly(
      pick(
        'p',
        'd',
        'n',
        'N',
        'g',
        'h',
        'x',
        '=',
        'l',
        's/a/b/',
        's/x/y/g',
        's,a,b,p',
        's/[/]/x/',
        'y/ab/cd/',
        '{p',
        '}',
        'b',
        'q',
        'a foo',
        'i\\\nbar',
        '#x',
        ':a',
        'ta',
      ),
      pick(
        'e ./trip',
        'w out',
        's/x/.\\/trip/e',
        ':a e ./trip',
        's/x/.\\/trip/ e',
        't e ./trip',
        'ty e ./trip',
        'a foo\\\\\ne ./trip',
        's/x/y/w out',
        'W out',
        'y/a/b/ e ./trip',
        '}e ./trip',
        's/[/]/x/e',
        'r f',
        'p e ./trip',
        'z;e./trip',
      ),
      6,
    ),
  )
  .map(([address, command]) => address + command)

const SED: Fuzzed = {
  program: 'sed',
  args: fc
    .tuple(
      pick('', '', '-n', '-E', '-s', '-z', '--posix'),
      joined(sedCommand, pick(';', '\n', ' ; ', '\n\n'), 3),
    )
    .map(([flag, script]) => [...(flag === '' ? [] : [flag]), script, 'f']),
  holes: {
    'a label reaches to the end of the line': inLast(text =>
      text.replace(/([:btT]\s*\w+)[ \t][^\n]*/g, '$1'),
    ),
    'blanks end the flags of s': inLast(text => text.replace(/(\/[gp]*)[ \t]+e[^\n;]*/g, '$1')),
    'an escaped backslash continues a text': inLast(text => text.replace(/\\\\\n[^\n]*/g, '')),
    'the flag e of s is overlooked': inLast(text => text.replace(/\/e(?=[\s;]|$)/g, '/')),
  },
}

const awkItem = mostly(
  pick(
    '{ print }',
    '{ print $1, $2 }',
    'NR > 1',
    '/x/',
    'BEGIN { i = 4 / 2; print i }',
    '{ n++ } END { print n }',
    '/[ab]/ { print length($0) }',
    '{ gsub(/a/, "b"); print }',
    '$1 ~ /x/ && NF > 1 { printf "%s\\n", $1 }',
    '{ if ($1 > 1) print "y"; else print "n" }',
    '{ a[$1] = NR } END { for (k in a) print k, a[k] }',
    '{ for (i = 1; i <= NF; i++) s = s $i; print s }',
    'function f(x) { return x + 1 } { print f(1) }',
  ),
  pick(
    '{ system("./trip") }',
    'BEGIN { print "x",\n"y" > "out" }',
    '/[]/"]/ { system("./trip") } #"]/',
    '{ i++ / 1; system("./trip"); j = 1 / 1 }',
    'BEGIN { "./trip" | getline }',
    '{ print | "./trip" }',
    '{ print("x") > "out" }',
    'BEGIN { printf "x" >> "out" }',
    '{ x = length / 1; system("./trip") } #/',
    'BEGIN { while (("./trip" | getline l) > 0) print l }',
    '{ print $1 > $2 }',
    'BEGIN { system ("./trip") }',
  ),
  5,
)
const awkArgs = fc
  .tuple(pick('', '', '-F:', '-vx=1'), joined(awkItem, pick('\n', ' ', ';'), 3))
  .map(([flag, program]) => [...(flag === '' ? [] : [flag]), program, 'f'])
const awk = (program: string): Fuzzed => ({
  program,
  args: awkArgs,
  holes: {
    'a line ends print, also after a comma': inLast(text => text.replace(/,\n"y" > "out"/g, '')),
    'system with a blank before its parenthesis is overlooked': inLast(text =>
      text.replace(/system \("[^"]*"\)/g, 'x'),
    ),
    'a redirection by >> is overlooked': inLast(text => text.replace(/ >> "out"/g, '')),
  },
})

const sqlExpression = pick(
  'a',
  '1',
  "'x'",
  'count(*)',
  'upper(b)',
  'a + 1',
  'max(a)',
  "b like 'x%'",
  'coalesce(a, 2)',
  '"b"',
  '[a]',
  'length(b)',
  'a is null',
)
const sqlHostile = pick(
  "[writefile]('out', 'x')",
  "writefile('out', 'x')",
  "\"writefile\"('out', 'x')",
  "edit('x', './trip')",
  "[edit]('x', './trip')",
  "load_extension('./x')",
  "WriteFile('out', b)",
  "`writefile`('out', a)",
)
const sqlText = fc
  .tuple(
    fc.array(mostly(sqlExpression, sqlHostile, 8), { minLength: 1, maxLength: 3 }),
    pick(
      '',
      ' from t',
      ' from t where a > 0',
      ' from t order by a',
      ' from t limit 1',
      ' from t group by b',
      ' union select 1',
      '; insert into t values (9, 9)',
      '; drop table t',
      ' from t;',
    ),
    pick('select ', 'select distinct ', 'SELECT ', 'explain select ', 'with c as (select 1) select '),
  )
  .map(([columns, rest, start]) => start + columns.join(', ') + rest)
const SQLITE: Fuzzed = {
  program: 'sqlite3',
  args: fc
    .tuple(
      pick('', '', '-readonly', '-json', '-header'),
      mostly(
        sqlText,
        pick(
          '.shell ./trip',
          '.output out',
          '.tables',
          '.system ./trip',
          "insert into t values (1, 'y')",
          'pragma table_info(t)',
          'pragma user_version = 3',
        ),
        7,
      ),
    )
    .map(([flag, sql]) => [...(flag === '' ? [] : [flag]), 'db', sql]),
  holes: {
    'a function in brackets is overlooked': args =>
      args.map(text => text.replace(/\[(writefile|edit)\]\('[^']*', '[^']*'\)/g, '1')),
    'a second statement is overlooked': args => args.map(text => text.replace(/;[^;]+$/, '')),
  },
}

const FIND: Fuzzed = {
  program: 'find',
  args: fc
    .array(
      mostly(
        pick(
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
          '-printf|%p',
          '-true',
          '-perm|644',
          '-exec|cat|{}|;',
          '-exec|grep|-l|x|{}|+',
          '-exec|wc|-l|{}|;',
        ),
        pick(
          '-delete',
          '-fprint|out',
          '-fprintf|out|x',
          '-fls|out',
          '-fprint0|out',
          '-exec|./trip|;',
          '-exec|./trip|{}|+',
          '-execdir|./trip|;',
          '-exec|sh|-c|./trip|;',
          '-exec|env|./trip|;',
          '-ok|./trip|;',
        ),
        6,
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map(list => ['.', ...list.flatMap(part => part.split('|'))]),
  holes: {
    'files that find writes are overlooked': args => {
      const at = args.findIndex(text => /^-f(print0?|ls)$/.test(text))
      return at === -1 ? [...args] : [...args.slice(0, at), ...args.slice(at + 2)]
    },
  },
}

const GIT: Fuzzed = {
  program: 'git',
  args: fc
    .tuple(
      pick(
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
        'remote',
        'describe',
      ),
      fc.array(
        mostly(
          pick(
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
            'view',
            'log',
          ),
          pick(
            '--output=out',
            '--outpu=out',
            '--output|out',
            '-d',
            'run',
            '-O./trip',
            '--open-files-in-pager=./trip',
            'new',
            '--ext-diff',
            '-c|core.pager=./trip',
            '--contents=out',
          ),
          5,
        ),
        { maxLength: 3 },
      ),
    )
    .map(([sub, rest]) => [sub, ...rest.flatMap(part => part.split('|'))]),
  holes: {
    'the output file of reflog is overlooked': args => args.filter(text => !text.startsWith('--outp')),
    'what makes a tag or a branch is overlooked': args => args.filter(text => text !== 'new'),
  },
}

const TMUX: Fuzzed = {
  program: 'tmux',
  args: fc
    .tuple(
      pick(
        'ls',
        'list-windows',
        'list-panes',
        'has-session',
        'show-options',
        'list-clients',
        'display-message',
      ),
      fc.array(
        mostly(
          pick('-a', '-g', '-F|#{session_name}', '-F|#S', '-t|main', '-p', '-F|x#{window_index}', '-p|#S'),
          pick(
            ';|run-shell|./trip',
            ';|new-window|./trip',
            '-F|#(./trip)',
            'x;|run-shell|./trip',
            '-F|#{?#(./trip),1,2}',
            '--help',
            '\\;|run-shell|./trip',
            '-F|#{E:#(./trip)}',
            '-p|#(./trip)',
          ),
          4,
        ),
        { maxLength: 3 },
      ),
    )
    .map(([sub, rest]) => ['-L', 'fuzz', sub, ...rest.flatMap(part => part.split('|'))]),
  holes: {
    'a semicolon is an argument like others': args => {
      const at = args.findIndex(text => text.endsWith(';'))
      return at === -1 ? [...args] : args.slice(0, at)
    },
    'a command in a format is overlooked': args => args.map(text => text.replace(/^#\(.*\)$/, '#S')),
  },
}

export const FUZZED: readonly Fuzzed[] = [SED, awk('mawk'), awk('gawk'), SQLITE, FIND, GIT, TMUX]
