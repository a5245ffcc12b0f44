import fc from 'fast-check'
import { type Fuzzed, inEach, mostly, pick } from '../fuzzed.ts'

const shared = [
  ...[
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
    'length(b)',
    'a is null',
  ],
  ...[
    "'it''s'",
    'case when a > 1 then b else 0 end',
    'a in (1, 2)',
    '(select max(a) from t)',
    'a between 1 and 2',
    'not a is null',
  ],
  ...[
    't.a',
    '-a',
    "b || 'y'",
    'min(a) over (partition by b order by a)',
    'cast(a as integer)',
    "'; drop table t'",
    "'--'",
  ],
]
const rests = [
  ...[
    '',
    ' from t',
    ' from t where a > 0',
    ' from t order by a',
    ' from t limit 1',
    ' from t group by b',
    ' union select 1',
    ' from t;',
  ],
  ...[
    ' from t x join t y on x.a = y.a',
    ' from (select 1) s',
    ' from t where exists (select 1)',
    ' from t order by 1 desc nulls last',
  ],
]
const starts = pick(
  ...[
    'select ',
    'select distinct ',
    'SELECT ',
    'explain select ',
    'with c as (select 1) select ',
    'select\n',
    '  select ',
  ],
)
const text = (columns: fc.Arbitrary<string>, rest: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(columns, { minLength: 1, maxLength: 3 }), rest, starts)
    .map(([list, after, start]) => start + list.join(', ') + after)

const sqliteText = text(
  mostly(
    pick(...shared, '[a]', '`b`', "json_extract('{}', '$.a')", 'typeof(a)', "strftime('%Y')", 'iif(a, 1, 2)'),
    pick(
      ...[
        "[writefile]('out', 'x')",
        "writefile('out', 'x')",
        "\"writefile\"('out', 'x')",
        "edit('x', './trip')",
        "[edit]('x', './trip')",
      ],
      ...[
        "load_extension('./x')",
        "WriteFile('out', b)",
        "`writefile`('out', a)",
        "readfile('../secret')",
        "[readfile]('../secret')",
      ],
      ...[
        "'a' --\n, writefile('out', 'x')",
        "1 /* ' */, writefile('out', 1) /* ' */",
        "writefile\n('out', 'x')",
      ],
    ),
    8,
  ),
  mostly(
    pick(...rests),
    pick(
      ...[
        '; insert into t values (9, 9)',
        '; drop table t',
        " from fsdir('..')",
        " from t; attach 'out' as o; create table o.x (a)",
      ],
      ...[
        "; vacuum into 'out'",
        '; pragma user_version = 7',
        " union select data from fsdir where path = '../secret'",
      ],
    ),
    5,
  ),
)

export const SQLITE: Fuzzed = {
  program: 'sqlite3',
  args: fc
    .tuple(
      pick(
        '',
        '',
        '-readonly',
        '-json',
        '-header',
        '-csv',
        '-line',
        '-separator|x',
        '-cmd|.shell ./trip',
        '-cmd|.mode line',
        '-init|f',
      ),
      mostly(
        sqliteText,
        pick(
          ...[
            '.shell ./trip',
            '.output out',
            '.tables',
            '.system ./trip',
            "insert into t values (1, 'y')",
            'pragma table_info(t)',
          ],
          ...[
            'pragma user_version = 3',
            '.schema t',
            '.once out',
            '.backup out',
            '.save out',
            '.read ../secret',
            '.dump',
            '.sh ./trip',
          ],
          ...[
            '.log out',
            '.import f t',
            '.open out\ncreate table x (a)',
            'pragma user_version',
            'select 1\n.shell ./trip',
            '.mode csv',
          ],
        ),
        7,
      ),
    )
    .map(([flag, sql]) => [...flag.split('|').filter(Boolean), 'db', sql]),
  holes: {
    'a function in brackets is overlooked': inEach(sql =>
      sql.replace(/\[(writefile|edit)\]\('[^']*', '[^']*'\)/g, '1'),
    ),
    'a second statement is overlooked': inEach(sql => sql.replace(/;[^;]+$/, '')),
    'a function in quotes is a column': inEach(sql => sql.replace(/["`]writefile["`]\([^)]*\)/g, 'a')),
    'a comment is taken away first': inEach(sql =>
      sql.replace(/--\n, writefile\([^)]*\)|\/\*.*?\*\/[^/]*\/\*.*?\*\//g, ''),
    ),
    'a command of the client is SQL': inEach(sql => sql.replace(/^\.(shell|system|sh) .*/g, 'select 1')),
    'a command before the statement is overlooked': args => (args[0] === '-cmd' ? args.slice(2) : [...args]),
    'reading a file is harmless': inEach(sql => sql.replace(/\[?readfile\]?\('\.\.\/secret'\)/g, '1')),
  },
}

const postgresText = text(
  mostly(
    pick(
      ...shared,
      'a::text',
      "date '2024-01-01'",
      'now()',
      'extract(year from now())',
      "b ilike 'x'",
      'array_agg(a)',
      'a % 2',
      "b ~ 'x'",
    ),
    pick(
      ...[
        "E'\\''; drop table t; --'",
        '"pg_read_file"(\'SECRET\')',
        "pg_read_file('SECRET')",
        "nextval('s')",
        "setval('s', 9)",
      ],
      ...[
        "lo_import('SECRET')",
        "pg_catalog.pg_read_file('SECRET')",
        'public.touch()',
        'touch()',
        "query_to_xml('drop table t', true, true, '')",
      ],
      ...[
        '$$x$$; drop table t; select $$y$$',
        "U&'\\0027; drop table t'",
        "'x' \\g out\nselect 1",
        "lo_from_bytea(0, 'x')",
        "'a'\\; drop table t",
      ],
      ...[
        "set_config('search_path', 'x', false)",
        "dblink_exec('x', 'y')",
        "1 /* ' */; drop table t; /* ' */",
        "'x' --'\n; drop table t",
      ],
    ),
    7,
  ),
  mostly(
    pick(
      ...rests,
      ' from generate_series(1, 2)',
      ' from t limit 1 offset 1',
      ' from t fetch first 1 rows only',
    ),
    pick(
      ...[
        '; insert into t values (9, 9)',
        '; drop table t',
        ' into n from t',
        ' from t for update',
        "; copy t to program 'TRIP'",
      ],
      ...[
        "; copy t to 'ROOT/out'",
        '; create table n (a int)',
        " from pg_read_file('SECRET')",
        '\n\\! ./trip',
        "; do 'begin drop table t; end'",
      ],
    ),
    5,
  ),
)

/** The server is a real one; its tables, sequences and large objects are watched like files. */
export const PSQL: Fuzzed = {
  program: 'psql',
  args: fc
    .tuple(
      pick('', '', '-At', '-x', '--csv', '-q', '-o|out', '-L|out', '-v|x=1', '-f|f', '-1', '-P|pager=off'),
      mostly(
        postgresText,
        pick(
          ...[
            '\\! ./trip',
            '\\d',
            '\\dt',
            '\\l',
            '\\copy t to out',
            '\\o out',
            '\\d `./trip`',
            '\\dt \\! ./trip',
            '\\i f',
            '\\w out',
            '\\e',
          ],
          ...[
            '\\lo_export 1 out',
            '\\set x `./trip`',
            '\\d t | ./trip',
            'with d as (delete from t returning 1) select * from d',
            'table t',
          ],
          ...[
            'values (1), (2)',
            'show server_version',
            'explain analyze delete from t',
            'prepare p as delete from t; execute p',
            '\\conninfo',
          ],
          ...[
            'copy t to stdout',
            "copy t from 'SECRET'",
            "copy (select 1) to program 'TRIP'",
            'vacuum',
            'truncate t',
            'lock t',
            '\\sf touch',
          ],
        ),
        6,
      ),
    )
    .map(([flag, sql]) => ['-X', ...flag.split('|').filter(Boolean), '-c', sql]),
  holes: {
    'a backslash escapes no quote': inEach(sql => sql.replace(/E'\\''; drop table t; --'/g, "'x'")),
    'a function in quotes is a column': inEach(sql => sql.replace(/"pg_read_file"\('SECRET'\)/g, '"b"')),
    'a second statement is overlooked': inEach(sql => sql.replace(/;[^;]+$/, '')),
    'a function of another schema is the one that is known': inEach(sql =>
      sql.replace(/public\.touch\(\)/g, 'upper(b)'),
    ),
    'a text in dollars is a name': inEach(sql =>
      sql.replace(/\$\$x\$\$; drop table t; select \$\$y\$\$/g, 'a'),
    ),
    'a command of the client is a list': inEach(sql => sql.replace(/^\\(!|copy|o|w) .*/g, '\\d')),
    'a table that is made is an alias': inEach(sql => sql.replace(' into n from t', ' from t')),
    'a file for the output is overlooked': args =>
      args.filter((flag, at) => !/^-[oL]$/.test(flag) && !/^-[oL]$/.test(args[at - 1] ?? '')),
  },
}
