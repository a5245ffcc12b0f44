import type { ProgramTable } from '../spec.ts'

/** Archives: listing and testing read; everything else writes. */
export const ARCHIVES: ProgramTable = {
  'tar gtar bsdtar': { kind: 'unlisted', any: true, check: 'tar' },
  unzip: {
    kind: 'write',
    args: ['read', 'text'],
    flags:
      '-l -v -t -Z* -z -h -hh -q -qq -1 -2 -s -m -M -T -C -P= -O= -I=  -x= -d=:write -o -f -u -j -a -c -p -n -L -V -X -K -W -D -B -b -U -aa',
    check: 'unzip',
  },
  'zipinfo lsar': { kind: 'read', any: true, args: ['read', 'text'] },
  zip: {
    kind: 'write',
    any: true,
    args: ['write', 'read'],
    flags: '-TT=!exec --unzip-command=!exec -O|--output-file=:write -b|--temp-path=:write',
  },
  '7z 7za 7zr 7zz 7zzs': {
    bare: 'read',
    sub: {
      'l t h b i': { kind: 'read', any: true, single: true, args: 'read' },
      'a d e rn u x': { kind: 'write', any: true, single: true },
    },
  },
  'gzip ggzip pigz gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 compress uncompress brotli':
    {
      kind: 'write',
      any: true,
      args: 'write',
      check: 'compressor',
    },
  ar: { kind: 'unlisted', posix: true, check: 'ar' },
  cpio: { kind: 'unlisted', any: true },
  unrar: { sub: { 'l v t lb lt vb vt': { kind: 'read', any: true, args: 'read' } } },
  compression_tool: {
    kind: 'read',
    single: true,
    flags: '-encode -decode -a= -A= -i=:read -o=:write -b= -h -v -t=',
  },
  'binhex applesingle macbinary': {
    bare: 'unlisted',
    flags: '-V|--version -h|--help',
    sub: {
      probe: { kind: 'read', any: true, args: 'read' },
      'encode decode': {
        kind: 'write',
        any: true,
        check: 'to-stdout',
        flags: '-c|--pipe|--to-stdout -o|--output=:write -C|--directory=:write',
      },
    },
  },
}
