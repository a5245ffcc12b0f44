import type { ProgramTable } from '../spec.ts'

const HELP = '--help --version'
/** Shows what its arguments name. All of its flags are listed, and none of them does harm. */
const shows = (flags: string) =>
  ({ kind: 'read', args: 'read', complete: true, flags: `${flags} ${HELP}` }) as const

const withOptionFiles = (flags: string) => ({ ...shows(flags), optionFiles: true }) as const

const CHECKSUM = `-b|--binary -c|--check --tag -t|--text -z|--zero --ignore-missing --quiet --status --strict -w|--warn -a|--algorithm=
  -l|--length= --untagged --base64 --raw --debug -r -q -s= -p -n -x -0 -U -1`
const YQ = {
  kind: 'read',
  check: 'yq',
  args: ['text', 'read'],
  flags: `-i|--inplace|--in-place?!write -s|--split-exp=!write --split-exp-file=!write --from-file=!no -p|--input-format= -o|--output-format= -I|--indent=
    --arg== --argjson== -P|--prettyPrint -C|--colors -M|--no-colors -n|--null-input -r|--raw-output|--unwrapScalar? -e|--exit-status -N|--no-doc
    -j|--tojson|--join-output -y|--yaml-output -Y|--yaml-roundtrip -t|--toml-output -x|--xml-output -c|--compact-output -S|--sort-keys -v|--verbose -V|--version
    -h|--help -0|--nul-output --header-preprocess --xml-attribute-prefix= --xml-content-name= --csv-separator= --no-doc --front-matter= -a|--ascii-output --tab`,
} as const

/** Tools that read texts and print them in another form. */
export const TEXT_TOOLS: ProgramTable = {
  cat: shows(
    '-A|--show-all -b|--number-nonblank -e -E|--show-ends -n|--number -s|--squeeze-blank -t -T|--show-tabs -u -v|--show-nonprinting -l',
  ),
  tac: shows('-b|--before -r|--regex -s|--separator='),
  nl: shows(
    '-b|--body-numbering= -d|--section-delimiter= -f|--footer-numbering= -h|--header-numbering= -i|--line-increment= -l|--join-blank-lines= -n|--number-format= -p|--no-renumber -s|--number-separator= -v|--starting-line-number= -w|--number-width=',
  ),
  'head ghead': shows('-c|--bytes= -n|--lines= -q|--quiet|--silent -v|--verbose -z|--zero-terminated -NUM'),
  'tail gtail': shows(
    '-c|--bytes= -f|--follow? -F -n|--lines= --max-unchanged-stats= --pid= -q|--quiet|--silent --retry -s|--sleep-interval= -v|--verbose -z|--zero-terminated -NUM -r -b=',
  ),
  'zcat bzcat xzcat zstdcat gzcat lz4cat': shows('-f|--force -q|--quiet -v|--verbose -l|--list -t|--test'),
  more: shows(
    '-d|--silent -f|--logical -l|--no-pause -c|--print-over -p|--clean-print -s|--squeeze -u|--plain -n|--lines= -NUM -e|--exit-on-eof',
  ),
  'zless zmore bzless bzmore xzless xzmore': shows('-N -S -R -F -X -i'),
  'zgrep zegrep zfgrep xzgrep bzgrep': {
    kind: 'read',
    args: ['text', 'read'],
    firstIsPathWith: '-e --regexp',
    complete: true,
    flags: `-E -F -G -P -e|--regexp= -i|--ignore-case -w -x -v|--invert-match -c|--count -l|--files-with-matches -L -n|--line-number -H -h -o|--only-matching -q -s -m|--max-count= -A|--after-context= -B|--before-context= -C|--context= -NUM -a|--text --color? ${HELP}`,
  },
  'zdiff zcmp bzdiff xzdiff': shows('-u -c -i -w -b -B -q -s -y -r'),
  'rev colrm': shows('-h -V'),
  fold: shows('-b|--bytes -s|--spaces -w|--width= -c -NUM'),
  fmt: shows(
    '-c|--crown-margin -p|--prefix= -s|--split-only -t|--tagged-paragraph -u|--uniform-spacing -w|--width= -g|--goal= -NUM -n -m -l= -d=',
  ),
  pr: shows(
    '--columns= -a|--across -c|--show-control-chars -d|--double-space -D|--date-format= -e|--expand-tabs? -F|-f|--form-feed -h|--header= -i|--output-tabs? -J|--join-lines -l|--length= -m|--merge -n|--number-lines? -N|--first-line-number= -o|--indent= -r|--no-file-warnings -s|--separator? -S|--sep-string? -t|--omit-header -T|--omit-pagination -v|--show-nonprinting -w|--width= -W|--page-width= -NUM',
  ),
  'expand unexpand': shows('-i|--initial -t|--tabs= -a|--all --first-only -NUM'),
  column: shows(
    '-t|--table -n|--table-name= -O|--table-order= -N|--table-columns= -l|--table-columns-limit= -E|--table-noextreme= -d|--table-noheadings -e|--table-header-repeat -H|--table-hide= -R|--table-right= -T|--table-truncate= -W|--table-wrap= -L|--keep-empty-lines -J|--json -r|--tree= -i|--tree-id= -p|--tree-parent= -c|--output-width= -o|--output-separator= -s|--separator= -x|--fillrows -h -V',
  ),
  paste: shows('-d|--delimiters= -s|--serial -z|--zero-terminated'),
  join: shows(
    '-a= -e= -i|--ignore-case -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header -z|--zero-terminated',
  ),
  comm: shows('-1 -2 -3 -i --check-order --nocheck-order --output-delimiter= --total -z|--zero-terminated'),
  'cut gcut': shows(
    '-b|--bytes= -c|--characters= -d|--delimiter= -f|--fields= -n --complement -s|--only-delimited --output-delimiter= -z|--zero-terminated -w',
  ),
  look: shows('-a|--alternative -d|--alphanum -f|--ignore-case -t|--terminate= -h -V'),
  strings: withOptionFiles(
    '-a|--all -d|--data -f|--print-file-name -n|--bytes= -t|--radix= -w|--include-all-whitespace -o -T|--target= -e|--encoding= -U|--unicode= -s|--output-separator= -h -v -V -NUM -',
  ),
  od: shows(
    '-A|--address-radix= --endian= -j|--skip-bytes= -N|--read-bytes= -S|--strings? -t|--format= -v|--output-duplicates -w|--width? --traditional -a -b -c -d -f -i -l -o -s -x -B -D -e -F -h -H -I -L -O -X',
  ),
  'hexdump hd': shows(
    '-b|--one-byte-octal -c|--one-byte-char -C|--canonical -d|--two-bytes-decimal -o|--two-bytes-octal -x|--two-bytes-hex -X -L|--color? -e|--format= -f|--format-file=:read -n|--length= -s|--skip= -v|--no-squeezing -h -V',
  ),
  'base32 basenc': shows(
    '-d|--decode -i|--ignore-garbage -w|--wrap= --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --base58',
  ),
  'base64 gbase64': {
    kind: 'read',
    args: 'read',
    flags: `-d|-D|--decode -e|--encode -n --ignore-garbage -o|--output=:write -i|--input=:read -w|--wrap= -b|--break= -h ${HELP}`,
  },
  'cksum sum md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum gsha256sum gmd5sum':
    shows(CHECKSUM),
  'wc gwc': shows(
    '-c|--bytes -m|--chars -l|--lines --files0-from=!no -L|--max-line-length -w|--words --total=',
  ),
  cmp: shows(
    '-b|--print-bytes -i|--ignore-initial= -l|--verbose -n|--bytes= -s|--quiet|--silent -v -x -z -h',
  ),
  'diff gdiff colordiff': shows(
    `--normal -q|--brief -s|--report-identical-files -c -C|--context? -u -U|--unified? -e|--ed -n|--rcs -y|--side-by-side -W|--width= --left-column --suppress-common-lines -p|--show-c-function -F|--show-function-line= --label=
    -L= -t|--expand-tabs -T|--initial-tab --tabsize= --suppress-blank-empty -r|--recursive --no-dereference -N|--new-file -P|--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case -x|--exclude= -X|--exclude-from=:read
    -S|--starting-file= --from-file=:read --to-file=:read -i|--ignore-case -E|--ignore-tab-expansion -Z|--ignore-trailing-space -b|--ignore-space-change -w|--ignore-all-space -B|--ignore-blank-lines -I|--ignore-matching-lines= -a|--text --strip-trailing-cr
    -D|--ifdef= --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --old-group-format= --new-group-format= --unchanged-group-format= --changed-group-format= -d|--minimal --horizon-lines= -H|--speed-large-files --color? --palette= -v -NUM`,
  ),
  icdiff: {
    kind: 'read',
    args: 'read',
    flags:
      '-r -N -u -W -H --numlines= --cols= --whole-file --line-numbers --no-headers --recursive -h --help --version',
  },
  diffstat: {
    kind: 'read',
    args: 'read',
    flags: '-p= -c -C -D= -E= -f= -k -K -l -m -n= -N= -q -r= -R -s -S= -t -T -u -v -V -w= -h',
  },
  'ul lolcat': { kind: 'read', args: 'read', flags: '-t= -T= -i -h -V -f -p= -F= -S=' },
  sdiff: {
    kind: 'read',
    args: 'read',
    flags:
      '-o|--output=:write --diff-program=!exec -s|--suppress-common-lines -l|--left-column -w|--width= -i -W -b -B -a -t -d -H --help --version',
  },
  diff3: {
    kind: 'read',
    args: 'read',
    flags: '--diff-program=!exec -A -e -E -3 -x -X -i -m -a -T -L= --help --version',
  },
  'uniq guniq': {
    kind: 'read',
    args: ['read', 'write'],
    flags: `-c|--count -d|--repeated -D --all-repeated? -f|--skip-fields= --group? -i|--ignore-case -s|--skip-chars= -u|--unique -z|--zero-terminated -w|--check-chars= ${HELP}`,
  },
  'sort gsort': {
    kind: 'read',
    args: 'read',
    flags: `-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort -i|--ignore-nonprinting -M|--month-sort
      -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort --random-source=:read -r|--reverse --sort= -V|--version-sort --batch-size= -c|--check? -C
      --debug --files0-from=!no -k|--key= -m|--merge -o|--output=:write -s|--stable -S|--buffer-size= -t|--field-separator= -T|--temporary-directory=
      --parallel= -u|--unique -z|--zero-terminated --mmap --radixsort --mergesort --qsort --heapsort ${HELP}`,
  },
  'shuf gshuf': {
    kind: 'read',
    args: 'read',
    flags: `-e|--echo -i|--input-range= -n|--head-count= -o|--output=:write --random-source=:read -r|--repeat -z|--zero-terminated ${HELP}`,
  },
  'split gsplit': {
    kind: 'write',
    args: ['read', 'write'],
    flags:
      '--filter=!exec -a|--suffix-length= --additional-suffix= -b|--bytes= -C|--line-bytes= -l|--lines= -n|--number= -t|--separator= -d|--numeric-suffixes? -x|--hex-suffixes? -e -u --verbose',
  },
  'csplit gcsplit': {
    kind: 'write',
    args: ['read', 'text'],
    flags:
      '-f|--prefix=:write -b|--suffix-format= -n|--digits= -k|--keep-files -s|--quiet -z|--elide-empty-files',
  },
  'tr gtr': {
    kind: 'read',
    complete: true,
    flags: `-c|-C|--complement -d|--delete -s|--squeeze-repeats -t|--truncate-set1 -u ${HELP}`,
  },
  'numfmt tsort': {
    kind: 'read',
    flags: `--debug -d|--delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding= --round= --suffix= --to= --to-unit= -z|--zero-terminated ${HELP}`,
  },
  bc: {
    kind: 'read',
    args: 'read',
    flags: '-l|--mathlib -q|--quiet -i|--interactive -s|--standard -w|--warn -h|--help -v|--version',
  },
  less: {
    kind: 'read',
    args: 'read',
    flags:
      '-a -A -c -C -d -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -w -W -X -x= -z= -p= -h= -j= -# --help --version -V -NUM +*!no',
  },
  'jq gojq jaq': {
    kind: 'read',
    args: ['text', 'read'],
    check: 'jq',
    flags: `-f|--from-file=!no --slurpfile==:read --rawfile==:read --argfile==:read --arg== --argjson== --args --jsonargs --indent= -L=!no --tab -n|--null-input -R|--raw-input -s|--slurp
      -c|--compact-output -r|--raw-output --raw-output0 -j|--join-output -a|--ascii-output -S|--sort-keys -C|--color-output -M|--monochrome-output -e|--exit-status
      --seq --stream --stream-errors --unbuffered -h|--help -V|--version -y|--yaml-output --yaml-input -i!write`,
  },
  'gron xmllint csvcut csvgrep csvlook csvstat csvsort csvjson tidy-viewer tv': {
    kind: 'read',
    args: 'read',
    flags: '-r --raw -c= -C -M -n -p= -o!no --format --noout --xpath= -f=:read -s= -h --help --version',
  },
  'xq tomlq': {
    kind: 'read',
    args: ['text', 'read'],
    check: 'jq',
    flags: '-r --raw-output -c -C -M -n -o!no -f=!no -s -h --help --version',
  },
  'htmlq pup': {
    kind: 'read',
    args: 'text',
    flags: '-r --raw -c -p -o!no -f=:read -i= -n -t --text -h --help --version',
  },
  yq: { ...YQ, sub: { 'eval e eval-all ea': YQ } },
  'awk gawk mawk nawk original-awk': {
    kind: 'read',
    posix: true,
    args: ['text', 'read'],
    flags:
      '-F|--field-separator= -v|--assign= -W= -e|--source= -b|--characters-as-bytes -c -C|--copyright -h|--help -V|--version -n|--non-decimal-data -N|--use-lc-numeric -r|--re-interval -s|--no-optimize -S|--sandbox -t|--lint-old -P|--posix -O|--optimize --traditional --csv -k',
  },
  'sed gsed': {
    kind: 'read',
    args: ['text', 'read'],
    firstIsPathWith: '-e --expression',
    flags: `-e|--expression= -n|--quiet|--silent -E|-r|--regexp-extended -i|--in-place?!write -I?!write -s|--separate -u|--unbuffered -z|--null-data -l|--line-length= --posix --debug --sandbox -b|--binary -a ${HELP}`,
    check: 'sed',
  },
  xxd: {
    kind: 'read',
    args: ['read', 'write'],
    flags: '-a -b -c= -C -e -E -g= -h|--help -i -l= -n= -o= -p -ps -r!write -s|-seek= -u -v -R= -d',
  },
  iconv: {
    kind: 'read',
    args: 'read',
    flags:
      '-f|--from-code= -t|--to-code= -l|--list -c -s|--silent --verbose -o|--output=:write --help --version --usage --byte-subst= --unicode-subst=',
  },
  'dos2unix unix2dos': { kind: 'write', args: 'write' },
  'bat batcat': {
    kind: 'read',
    args: 'read',
    flags: `-A|--show-all -p|--plain? -l|--language= -H|--highlight-line= --file-name= -d|--diff --diff-context= --tabs= --wrap= -S|--chop-long-lines --terminal-width= -n|--number --color= --italic-text= --decorations=
      -f|--force-colorization --paging= -P|--no-paging -m|--map-syntax= --theme= --list-themes --style= -r|--line-range= -L|--list-languages -s|--squeeze-blank -u|--unbuffered -h|--help -V|--version --pager=!exec --generate-config-file!write`,
  },
}
