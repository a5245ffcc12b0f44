import { wrapperFlags } from '../../nested/wrappers.ts'
import type { ProgramTable } from '../spec.ts'

const wrapper = (name: string) =>
  ({ kind: 'read', posix: true, wrapper: true, flags: wrapperFlags(name) }) as const

/** The shell's own builtins, and the programs that only start another one. */
export const BUILTINS: ProgramTable = {
  // Without effect outside the shell; shell/builtins.ts knows the arguments that have one.
  'echo printf': { kind: 'read', flagless: true, check: 'environment' },
  'export readonly declare typeset local set': { kind: 'read', flagless: true, check: 'variables' },
  'true false : pwd type times test [ let shift return break continue exit wait umask dirs caller cd pushd popd unset read mapfile readarray getopts shopt hash jobs disown bg fg ulimit':
    { kind: 'read', flagless: true },
  alias: { kind: 'read', max: 0, flags: '-p' },
  help: { kind: 'read', flags: '-d -m -s', args: 'text' },
  history: { kind: 'read', max: 1, check: 'plain-args' },
  command: wrapper('command'),
  builtin: wrapper('builtin'),
  exec: wrapper('exec'),
  eval: wrapper('eval'),
  trap: { kind: 'read', posix: true, wrapper: true, flags: '-l -p' },
  nohup: wrapper('nohup'),
  setsid: wrapper('setsid'),
  'nice gnice': wrapper('nice'),
  ionice: wrapper('ionice'),
  chrt: wrapper('chrt'),
  taskset: wrapper('taskset'),
  'stdbuf gstdbuf': wrapper('stdbuf'),
  unbuffer: wrapper('unbuffer'),
  catchsegv: wrapper('catchsegv'),
  'time gtime': wrapper('time'),
  'timeout gtimeout': wrapper('timeout'),
  'env genv': { ...wrapper('env'), check: 'env' },
  watch: wrapper('watch'),
  caffeinate: wrapper('caffeinate'),
  arch: { ...wrapper('arch'), flags: `${wrapperFlags('arch')} -e=!no` },
  flock: { kind: 'write', posix: true, wrapper: true, args: ['write', 'text'] },
  'strace ltrace': {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: '-f -c -C -q -qq -t -tt -T -v -y -x -e= -s= -S= -o=:write',
    check: 'trace',
  },
  'xargs gxargs': {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: `-0|--null -r|--no-run-if-empty -t|--verbose -p|--interactive!no -x|--exit -o|--open-tty!no -a|--arg-file=:read -d|--delimiter= -E= -e|--eof?
      -I= -i|--replace? -J= -L= -l|--max-lines? -n|--max-args= -P|--max-procs= -R= -S= -s|--max-chars= --show-limits --process-slot-var=!no --help --version`,
  },
  parallel: { kind: 'unlisted', posix: true, wrapper: true },
  script: {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: '-q|--quiet -a|--append -e|--return -f|--flush -d -p -k -r -t? -c|--command=',
    check: 'script',
  },
  rtk: {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: '-v --verbose -q --version -V',
    check: 'needs-command',
    sub: {
      gain: {
        kind: 'read',
        flags: '-p|--project -g|--graph -H|--history -q|--quota -a|--all -d|--daily -w|--weekly -m|--monthly',
      },
      proxy: { kind: 'read', posix: true, wrapper: true, check: 'needs-command' },
    },
  },
  'sudo doas su runuser run0 pkexec': { kind: 'system', posix: true, wrapper: true },
  'chroot unshare nsenter busybox toybox': { kind: 'unlisted', posix: true, wrapper: true },
  'bash sh dash zsh ksh mksh ash fish rbash csh tcsh': {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags:
      '-c -l -i -e -u -x -v -n -r -f -p -s -h -m -b -B -C -E -T +x +e +u -o= -O= +o= --login --norc --noprofile --posix --version --help',
    check: 'shell',
  },
  'source .': 'exec',
}
