import type { ProgramTable } from '../spec.ts'

/** Archives: listing and testing read; everything else writes. */
export const ARCHIVES: ProgramTable = {
  'tar gtar bsdtar': {
    kind: 'unlisted',
    check: 'tar',
    flags: `-t|--list -f|--file=:read -v|--verbose -z|--gzip|--gunzip|--ungzip -j|--bzip2 -J|--xz --zstd --lzma --lzip --lzop -Z|--compress|--uncompress -a|--auto-compress -C|--directory=:read --wildcards --no-wildcards --wildcards-match-slash --exclude= -X|--exclude-from=:read
      -T|--files-from=:read --strip-components= --show-transformed-names --full-time --utc --quoting-style= --anchored --no-anchored --ignore-case --numeric-owner --null -R|--block-number --totals --occurrence? -i|--ignore-zeros --warning= --help --version
      -x|--extract|--get!write -c|--create!write -r|--append!write -u|--update!write -A|--catenate|--concatenate!write --delete!write -d|--diff|--compare!write -k!write -p -m -P -O|--to-stdout!write -h -w!no -S -W!write
      -I|--use-compress-program=!exec -F|--info-script|--new-volume-script=!exec --to-command=!exec --checkpoint? --checkpoint-action=!exec --rsh-command=!exec --rmt-command=!exec`,
  },
  unzip: {
    kind: 'write',
    args: ['read', 'text'],
    flags:
      '-l -v -t -Z* -z -h -hh -q -qq -1 -2 -s -m -M -T -C -P= -O= -I=  -x= -d=:write -o -f -u -j -a -c -p -n -L -V -X -K -W -D -B -b -U -aa',
    check: 'unzip',
  },
  'zipinfo lsar': {
    kind: 'read',
    args: ['read', 'text'],
    flags: '-1 -2 -s -m -l -v -h -t -T -z -C -M -j -L',
  },
  zip: {
    kind: 'write',
    args: ['write', 'read'],
    flags: '-TT=!exec --unzip-command=!exec -O|--output-file=:write -b|--temp-path=:write',
  },
  '7z 7za 7zr 7zz 7zzs': {
    bare: 'read',
    flags: '-h|--help',
    sub: {
      'l t h b i': {
        kind: 'read',
        single: true,
        args: 'read',
        optionFiles: true,
        flags:
          '-slt -scrc* -p* -m* -r -r0 -r- -bb* -bd -bs* -bt -ba -t* -y -sccUTF-8 -scsUTF-8 -spd -ssc -ssc-',
      },
      'a d e rn u x': { kind: 'write', single: true },
    },
  },
  'gzip ggzip pigz gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 compress uncompress brotli':
    {
      kind: 'write',
      args: 'write',
      check: 'compressor',
      flags: `-c|--stdout|--to-stdout -d|--decompress|--uncompress -t|--test -l|--list -k|--keep -f|--force -q|--quiet -v|--verbose -n|--no-name -N|--name -r|--recursive!write -S|--suffix= -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best -a|--ascii -h|--help -V|--version -L|--license -z -s|--small
        -T|--threads= -e|--extreme -o|--output=:write --rsyncable -p= -m -b= -i --no-check -F|--format= --robot --info-memory -D= --ultra --long? --rm!write -B* -j= -w= -Z --single-stream`,
    },
  ar: { kind: 'unlisted', posix: true, check: 'ar' },
  cpio: { kind: 'unlisted' },
  unrar: {
    sub: { 'l v t lb lt vb vt': { kind: 'read', args: 'read', optionFiles: true, flags: '-p- -idq -c- -y' } },
  },
  compression_tool: {
    kind: 'read',
    single: true,
    flags: '-encode -decode -a= -A= -i=:read -o=:write -b= -h -v -t=',
  },
  'binhex applesingle macbinary': {
    bare: 'unlisted',
    flags: '-V|--version -h|--help',
    sub: {
      probe: { kind: 'read', args: 'read', flags: '-v -V|--verbose' },
      'encode decode': {
        kind: 'write',
        check: 'to-stdout',
        flags: '-c|--pipe|--to-stdout -o|--output=:write -C|--directory=:write',
      },
    },
  },
}
