/** How a program names the commands it starts. */
export interface Wrapper {
  readonly names: string
  /** Sub-command path that makes it a wrapper, each step one of the listed words. */
  readonly under?: readonly string[]
  /** First words that are its own sub-commands. */
  readonly except?: readonly string[]
  /** Flags before the sub-command. */
  readonly globals?: string
  readonly flags: string
  /** Positional words before the command: a duration, a lock file, a host. */
  readonly skip?: number
  /** Leading NAME=value words set variables. */
  readonly assigns?: boolean
  /** `argv`: the rest is run as it is; `shell`: the rest is joined and read by a shell; `none`: only flags hold commands. */
  readonly rest: 'argv' | 'shell' | 'none'
  /** Arguments are added that only the run shows. */
  readonly appends?: boolean
  /** A flag that sets the placeholder which is replaced by such arguments. */
  readonly placeholder?: readonly string[]
  readonly elsewhere?: boolean
  /** Flags after the first positional still belong to the wrapper. */
  readonly permute?: boolean
  /** The command is after `--` only. */
  readonly afterDashes?: boolean
  /** Flags after which nothing is run. */
  readonly inert?: string
}

/** Flags of `docker exec` and its kind. */
export const CONTAINER_FLAGS = `-i|--interactive -t|--tty -d|--detach -e|--env= --env-file= -u|--user= -w|--workdir= --privileged
  --detach-keys= -T|--no-TTY|--no-tty --index= --latest|-l --preserve-fds= -it -ti`
const CONTAINER_GLOBALS = `-c|--context= -H|--host= -l|--log-level= -D|--debug --config= --tls --tlscacert= --tlscert=
  --tlskey= --tlsverify -f|--file= -p|--project-name= --project-directory= --profile= --env-file= --ansi= --url=
  --identity= --connection= --remote -r`
/** Flags of `uv run`. What `--with` names is installed first: that may run its build. */
export const UV_RUN_FLAGS = `--with=!exec --with-requirements=!exec --with-editable=!exec --script!exec -m|--module!exec -p|--python= --project= --directory=:directory --group= --extra= --only-group=
  --no-group= --package= --env-file=:read --index=!exec --default-index=!exec -i|--index-url=!exec --extra-index-url=!exec --config-file=!no --cache-dir=
  --frozen --locked --no-sync --no-project --isolated -q|--quiet -v|--verbose --all-extras --all-groups --dev --no-dev --only-dev
  --offline --no-cache|-n --exact --active --no-env-file --all-packages -U|--upgrade --reinstall --no-config --no-progress
  --native-tls --color=  -P|--upgrade-package=`

export const WRAPPERS: readonly Wrapper[] = [
  { names: 'command', flags: '-p -v -V', rest: 'argv', inert: '-v -V' },
  { names: 'builtin', flags: '', rest: 'argv' },
  { names: 'exec', flags: '-c -l -a=', rest: 'argv' },
  { names: 'eval', flags: '', rest: 'shell' },
  { names: 'nohup', flags: '--help --version', rest: 'argv' },
  { names: 'setsid', flags: '-c|--ctty -f|--fork -w|--wait', rest: 'argv' },
  { names: 'nice gnice', flags: '-n|--adjustment= -NUM', rest: 'argv' },
  { names: 'ionice', flags: '-c|--class= -n|--classdata= -p|--pid= -P= -t|--ignore -u|--uid=', rest: 'argv' },
  { names: 'chrt', flags: '-b -f -i -o -r -v -m -d -R -a -p -T= -P= -D=', skip: 1, rest: 'argv' },
  { names: 'taskset', flags: '-a -c -p', skip: 1, rest: 'argv' },
  {
    names: 'time gtime',
    flags: '-p|--portability -v|--verbose -f|--format= -o|--output=:write -a|--append -q|--quiet -l -h',
    rest: 'argv',
  },
  {
    names: 'timeout gtimeout',
    flags: '-s|--signal= -k|--kill-after= --foreground --preserve-status -v|--verbose -f -p',
    skip: 1,
    rest: 'argv',
  },
  { names: 'stdbuf gstdbuf', flags: '-i|--input= -o|--output= -e|--error=', rest: 'argv' },
  { names: 'unbuffer', flags: '-p', rest: 'argv' },
  { names: 'catchsegv', flags: '', rest: 'argv' },
  { names: 'caffeinate', flags: '-d -i -m -s -u -t= -w=', rest: 'argv' },
  {
    names: 'arch',
    flags: '-x86_64 -x86_64h -arm64 -arm64e -i386 -ppc -ppc64 -32 -64 --arch|-arch= -c -d= -e= -h',
    rest: 'argv',
  },
  {
    names: 'env genv',
    flags:
      '-i|--ignore-environment - -0|--null -u|--unset= -C|--chdir=:directory -S|--split-string=:source -v|--debug -P= --block-signal? --default-signal? --ignore-signal? --list-signal-handling',
    assigns: true,
    rest: 'argv',
  },
  {
    names: 'sudo',
    flags:
      '-A|--askpass -b|--background -B|--bell -C|--close-from= -D|--chdir=:directory -E|--preserve-env? -e|--edit -g|--group= -H|--set-home -h= --host= -i|--login -K -k -l|--list -n|--non-interactive -P -p|--prompt= -R|--chroot= -r|--role= -S|--stdin -s|--shell -T= -t|--type= -U|--other-user= -u|--user= -V|--version -v|--validate',
    assigns: true,
    rest: 'argv',
  },
  { names: 'doas', flags: '-C= -a= -L -n -s -u=', rest: 'argv' },
  { names: 'run0 pkexec', flags: '--user= --disable-internal-agent --keep-cwd -u=', rest: 'argv' },
  {
    names: 'su runuser',
    flags:
      '-c|--command=:source --session-command=:source - -l|--login -m|-p|--preserve-environment -s|--shell= -g= -G= -w= -P -f -u|--user=',
    skip: 1,
    rest: 'argv',
    permute: true,
  },
  { names: 'chroot', flags: '--userspec= --groups= --skip-chdir', skip: 1, rest: 'argv', elsewhere: true },
  {
    names: 'unshare',
    flags:
      '-m|--mount? -u|--uts? -i|--ipc? -n|--net? -p|--pid? -U|--user? -C|--cgroup? -T|--time? -f|--fork -r|--map-root-user -c|--map-current-user --kill-child? --mount-proc? --propagation= -R|--root= -w|--wd=:directory -S|--setuid= -G|--setgid=',
    rest: 'argv',
  },
  {
    names: 'nsenter',
    flags: '-t|--target= -m|--mount? -u|--uts? -i|--ipc? -n|--net? -p|--pid? -U|--user? -a|--all -r? -w? -F',
    rest: 'argv',
    elsewhere: true,
  },
  { names: 'firejail bwrap systemd-run', flags: '', rest: 'argv', permute: false },
  {
    names: 'strace ltrace dtruss',
    flags:
      '-f -ff -c -C -q -qq -t -tt -ttt -T -v -y -yy -x -xx -k -i -e= -o=:write -p= -s= -S= -E= -a= -P= -u= -I= -O= -D -h',
    rest: 'argv',
  },
  {
    names: 'perf',
    under: ['stat', 'record', 'trace'],
    flags: '-e= -a -g -o=:write -p= -r= -d -v -F= -B -x= -I=',
    rest: 'argv',
  },
  { names: 'valgrind', flags: '-q -v -s', rest: 'argv' },
  { names: 'gdb lldb', flags: '', rest: 'none' },
  {
    names: 'watch',
    flags:
      '-n|--interval= -d|--differences? -t|--no-title -b|--beep -e|--errexit -g|--chgexit -c|--color -x|--exec -p|--precise -w|--no-wrap -q|--equexit= -C',
    rest: 'shell',
  },
  {
    names: 'flock',
    flags:
      '-s|--shared -x|--exclusive -e -n|--nb|--nonblock -w|--wait|--timeout= -o|--close -u|--unlock -E|--conflict-exit-code= -F|--no-fork -v|--verbose -c|--command=:source',
    skip: 1,
    rest: 'argv',
    permute: true,
  },
  {
    names: 'xargs gxargs',
    flags:
      '-0|--null -r|--no-run-if-empty -t|--verbose -p|--interactive -x|--exit -o|--open-tty -a|--arg-file= -d|--delimiter= -E= -e|--eof? -I= -i|--replace? -J= -L= -l|--max-lines? -n|--max-args= -P|--max-procs= -R= -S= -s|--max-chars= --show-limits --process-slot-var=',
    rest: 'argv',
    appends: true,
    placeholder: ['-I', '-i', '--replace', '-J'],
  },
  {
    names: 'parallel',
    flags:
      '-j|--jobs= -k|--keep-order -a|--arg-file= -0|--null -n|--max-args= -N= -I= --colsep|-C= --bar --eta --dry-run -q|--quote -v -t --tag --halt= --delay= --timeout= -u|--ungroup --line-buffer|--lb -X -m --will-cite --citation',
    rest: 'shell',
    appends: true,
  },
  {
    names: 'ssh autossh',
    flags:
      '-1 -2 -4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -tt -V -v -vv -vvv -X -x -Y -y -B= -b= -c= -D= -E= -e= -F= -I= -i= -J= -L= -l= -m= -O= -o= -p= -Q= -R= -S= -W= -w=',
    skip: 1,
    rest: 'shell',
    elsewhere: true,
  },
  {
    names: 'script',
    flags:
      '-q|--quiet -a|--append -e|--return -f|--flush -F= -t? -k -r -d -p -T= -E= -I= -O= -B= -m= -o= -c|--command=:source',
    skip: 1,
    rest: 'argv',
    inert: '-p',
  },
  { names: 'busybox toybox', flags: '', rest: 'argv' },
  {
    names: 'npx',
    flags:
      '-y|--yes --no --no-install -p|--package= -q|--quiet -c|--call=:source -w|--workspace= --ignore-existing',
    rest: 'argv',
  },
  { names: 'bunx', flags: '--bun -p|--package= --silent --verbose', rest: 'argv' },
  { names: 'uvx pipx-run', flags: `--from= ${UV_RUN_FLAGS}`, rest: 'argv' },
  {
    names: 'npm',
    under: ['exec', 'x'],
    flags: '-y|--yes --no -p|--package= -c|--call=:source -w|--workspace= --ws',
    globals: '--prefix= -C= -w= --silent -s',
    rest: 'argv',
  },
  {
    names: 'pnpm yarn bun',
    under: ['exec', 'dlx', 'x'],
    flags: '-p|--package= -c|--shell-mode -q --silent -r --recursive --filter=',
    globals: '--silent -s -r --recursive --filter= -F= -C= --dir= -w',
    rest: 'argv',
  },
  {
    names: 'pipx',
    under: ['run'],
    flags: '--spec= --python= --no-cache --pip-args= --index-url=',
    rest: 'argv',
  },
  {
    names: 'uv',
    under: ['run'],
    globals:
      '-q|--quiet -v|--verbose --offline --no-cache -n --directory= --project= --config-file= --no-config --color=',
    flags: UV_RUN_FLAGS,
    rest: 'argv',
  },
  { names: 'uv', under: ['tool', 'run'], flags: `--from= ${UV_RUN_FLAGS}`, rest: 'argv' },
  {
    names: 'poetry pipenv pdm hatch rye',
    under: ['run'],
    globals: '-q -v --project=',
    flags: '',
    rest: 'argv',
  },
  {
    names: 'conda mamba micromamba',
    under: ['run'],
    flags: '-n|--name= -p|--prefix= --no-capture-output --live-stream -v --cwd=:directory',
    rest: 'argv',
  },
  { names: 'bundle bundler', under: ['exec'], flags: '--keep-file-descriptors --gemfile=', rest: 'argv' },
  { names: 'rbenv pyenv nodenv asdf', under: ['exec'], flags: '', rest: 'argv' },
  {
    names: 'mise rtx',
    under: ['exec', 'x'],
    flags: '-c|--command=:source -C|--cd=:directory -j= -q',
    rest: 'argv',
    afterDashes: true,
  },
  { names: 'direnv', under: ['exec'], flags: '', skip: 1, rest: 'argv' },
  { names: 'op', under: ['run'], flags: '--env-file= --no-masking', rest: 'argv' },
  { names: 'dotenv dotenvx', flags: '-e= -f= -o -c= -p= -v=', rest: 'argv' },
  { names: 'nix-shell', flags: '--run=:source --command=:source -p|--packages --pure -I=', rest: 'none' },
  { names: 'nix', under: ['develop', 'shell'], flags: '-c|--command', rest: 'none' },
  { names: 'rtk', under: ['proxy'], flags: '', rest: 'argv' },
  {
    names: 'rtk',
    except: ['gain', 'discover', 'init', 'config', 'proxy', 'telemetry'],
    flags: '-v --verbose -q',
    rest: 'argv',
  },
  {
    names: 'docker podman nerdctl',
    under: ['exec'],
    globals: CONTAINER_GLOBALS,
    flags: CONTAINER_FLAGS,
    skip: 1,
    rest: 'argv',
    elsewhere: true,
  },
  {
    names: 'docker podman nerdctl',
    under: ['container', 'exec'],
    globals: CONTAINER_GLOBALS,
    flags: CONTAINER_FLAGS,
    skip: 1,
    rest: 'argv',
    elsewhere: true,
  },
  {
    names: 'docker podman nerdctl',
    under: ['compose', 'exec'],
    globals: CONTAINER_GLOBALS,
    flags: CONTAINER_FLAGS,
    skip: 1,
    rest: 'argv',
    elsewhere: true,
  },
  {
    names: 'docker-compose podman-compose',
    under: ['exec'],
    globals: CONTAINER_GLOBALS,
    flags: CONTAINER_FLAGS,
    skip: 1,
    rest: 'argv',
    elsewhere: true,
  },
  {
    names: 'kubectl oc k',
    under: ['exec'],
    globals: '-n|--namespace= --context= --cluster= --kubeconfig= --user= --as=',
    flags:
      '-n|--namespace= -c|--container= -i|--stdin -t|--tty -it -ti -q|--quiet --pod-running-timeout= -f|--filename= --context= --cluster= --kubeconfig=',
    rest: 'argv',
    afterDashes: true,
    elsewhere: true,
    permute: true,
  },
  {
    names: 'toolbox distrobox',
    under: ['run', 'enter'],
    flags: '-c= -n= -r= -d=',
    rest: 'argv',
    afterDashes: true,
  },
  {
    names: 'aws-vault',
    under: ['exec'],
    flags: '-d= -n --no-session',
    skip: 1,
    rest: 'argv',
    afterDashes: true,
  },
  {
    names: 'ip',
    under: ['netns', 'exec'],
    globals: '-n|-netns= -4 -6 -j -o -br -s -d',
    flags: '',
    skip: 1,
    rest: 'argv',
  },
  { names: 'launchctl', under: ['asuser', 'bsexec'], flags: '', skip: 1, rest: 'argv' },
  { names: 'security', under: ['execute-with-privileges'], flags: '', rest: 'argv' },
  {
    names: 'tmux',
    under: [
      'new-session',
      'new',
      'new-window',
      'neww',
      'split-window',
      'splitw',
      'run-shell',
      'run',
      'if-shell',
      'if',
      'respawn-pane',
      'respawn-window',
    ],
    flags: '-d -b -P -A -D -X -E -h -v -I -k -t= -s= -n= -c= -e= -F= -x= -y= -l= -p= -C',
    rest: 'shell',
  },
  { names: 'at batch', flags: '', rest: 'none' },
]

/** The flags of a wrapper by its name, for the program tables. */
export const wrapperFlags = (name: string): string =>
  WRAPPERS.find(({ names }) => names.split(' ').includes(name))?.flags ?? ''
