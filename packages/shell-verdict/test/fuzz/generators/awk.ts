import fc from 'fast-check'
import { type Fuzzed, inEach, joined, mostly, pick } from '../fuzzed.ts'

const harmless = pick(
  ...[
    '{ print }',
    '{ print $1, $2 }',
    'NR > 1',
    '/x/',
    '{ print (1 > 2) }',
    'NR == 1, NR == 2 { print }',
    '!seen[$0]++',
  ],
  ...[
    'BEGIN { i = 4 / 2; print i }',
    '{ n++ } END { print n }',
    '/[ab]/ { print length($0) }',
    '{ print length }',
  ],
  ...[
    '{ gsub(/a/, "b"); print }',
    '$1 ~ /x/ && NF > 1 { printf "%s\\n", $1 }',
    '{ print substr($0, 1, 2) > 0 ? 1 : 2 }',
  ],
  ...['{ if ($1 > 1) print "y"; else print "n" }', '{ a[$1] = NR } END { for (k in a) print k, a[k] }'],
  ...['{ for (i = 1; i <= NF; i++) s = s $i; print s }', 'function f(x) { return x + 1 } { print f(1) }'],
  ...[
    '{ while (i < 2) { i++; print i } }',
    '{ do { j++ } while (j < 2) }',
    '{ print toupper($0) " > out" }',
    '{ x = $1 / 2 / 3 }',
  ],
  ...[
    '{ $2 = ""; print; next }',
    '{ print "a" "b", 1 + 2 * 3 }',
    '{ delete a; exit }',
    '{ printf("%d\\n", NR) }',
    '# system("./trip")',
  ],
)
const hostile = pick(
  ...[
    '{ system("./trip") }',
    'BEGIN { print "x",\n"y" > "out" }',
    '/[]/"]/ { system("./trip") } #"]/',
    '{ print $1 > $2 }',
  ],
  ...[
    '{ i++ / 1; system("./trip"); j = 1 / 1 }',
    'BEGIN { "./trip" | getline }',
    '{ print | "./trip" }',
    '{ print("x") > "out" }',
  ],
  ...[
    'BEGIN { printf "x" >> "out" }',
    '{ x = length / 1; system("./trip") } #/',
    'BEGIN { system ("./trip") }',
  ],
  ...[
    'BEGIN { while (("./trip" | getline l) > 0) print l }',
    'BEGIN { while ((getline l < "../secret") > 0) print l }',
  ],
  ...[
    'BEGIN { ARGV[1] = "../secret"; ARGC = 2 }',
    'BEGIN { print ENVIRON["WIRE"] }',
    '{ print "x" > "/dev/stderr" > "out" }',
  ],
  ...[
    'function s(c) { return system(c) } { s("./trip") }',
    '{ print (1)(2) > "out" }',
    '{ print a, b > "o" "ut" }',
  ],
  ...[
    'BEGIN { s = "/inet/tcp/0/127.0.0.1/PORT"; print "x" |& s; close(s) }',
    'BEGIN { @include "f" }',
    '@load "filefuncs"',
  ],
  ...[
    '{ if (1) /[]/"]/; system("./trip") } #"]/',
    'BEGIN { printf "x" | "./trip" }',
    '{ close("x"); print "y" | "cat 1>&2; ./trip" }',
  ],
)
const args = fc
  .tuple(
    pick('', '', '-F:', '-vx=1', '-F ,', '-v x=/', '--', '-f f'),
    joined(mostly(harmless, hostile, 5), pick('\n', ' ', ';', '\n\n'), 3),
    mostly(pick('f', 'f', 'x=1 f', '', '-'), pick('/inet/tcp/0/127.0.0.1/PORT', 'FS=: f'), 30),
  )
  .map(([flag, program, files]) => [
    ...flag.split(' ').filter(Boolean),
    program,
    ...files.split(' ').filter(Boolean),
  ])

const awk = (program: string, more: Fuzzed['holes']): Fuzzed => ({
  program,
  args,
  holes: {
    'a line ends print, also after a comma': inEach(text => text.replace(/,\n"y" > "out"/g, '')),
    'system with a blank before its parenthesis is overlooked': inEach(text =>
      text.replace(/system \("[^"]*"\)/g, 'x'),
    ),
    'a redirection by >> is overlooked': inEach(text => text.replace(/ >> "out"/g, '')),
    'reading by getline is harmless': inEach(text =>
      text.replace(/BEGIN \{ while \(\(getline [^}]*\}/g, '{ print }'),
    ),
    'the list of files may be changed': inEach(text => text.replace(/ARGV\[1\]|ARGC/g, 'x')),
    ...more,
  },
})

export const MAWK = awk('mawk', {})

export const GAWK = awk('gawk', {
  'a slash after a name begins a pattern': inEach(text =>
    text.replace(/length \/ 1; system\("[^"]*"\) \} #\//g, 'length ~ /x/ }'),
  ),
  'a bracket begins with its end': inEach(text =>
    text.replace(/\/\[\]\/"\]\/ \{ system\([^)]*\) \} #"\]\//g, '/x/ "y"'),
  ),
  'a slash after ++ begins a pattern': inEach(text =>
    text.replace(/\/ 1; system\("\.\/trip"\); j = 1 \//g, '~ /x/ ~'),
  ),
  'a network connection is a file': inEach(text => text.replace('/inet/tcp/0/127.0.0.1/PORT', 'f')),
})
