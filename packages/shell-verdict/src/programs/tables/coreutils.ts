import type { ProgramTable } from '../spec.ts'

const HELP = '--help --version'
/** All flags are listed, and none of them does harm. */
const prints = (flags: string) => ({ kind: 'read', complete: true, flags: `${flags} ${HELP}` }) as const
/** Reads what its arguments name only to print names or sizes. */
const lists = (flags: string) =>
  ({ kind: 'read', args: 'read', namesOnly: true, complete: true, flags: `${flags} ${HELP}` }) as const

/** The same without flags that show what variables processes were given. */
const shownProcesses = (flags: string) => ({ ...prints(flags), args: 'text', check: 'ps' }) as const

/** Small tools that print facts about the machine and its files, and those that change files. */
export const COREUTILS: ProgramTable = {
  'seq gseq': prints('-f|--format= -s|--separator= -w|--equal-width -t= -NUM'),
  'basename gbasename': prints('-a|--multiple -s|--suffix= -z|--zero'),
  'dirname gdirname': prints('-z|--zero'),
  'expr factor yes sleep usleep': { kind: 'read', flagless: true },
  'nproc tty logname whoami groups users hostid': prints('--all --ignore= -s|--silent|--quiet'),
  id: prints('-a -A -F -p -P -Z|--context -g|--group -G|--groups -n|--name -r|--real -u|--user -z|--zero'),
  who: prints(
    '-a|--all -b|--boot -d|--dead -H|--heading --ips -l|--login --lookup -m -p|--process -q|--count -r|--runlevel -s|--short -t|--time -T|-w|--mesg -u|--users --message --writable',
  ),
  w: prints('-h|--no-header -u|--no-current -s|--short -f|--from -o|--old-style -i|--ip-addr -V'),
  uptime: prints('-p|--pretty -h -s|--since -V'),
  uname: prints(
    '-a|--all -s|--kernel-name -n|--nodename -r|--kernel-release -v|--kernel-version -m|--machine -p|--processor -i|--hardware-platform -o|--operating-system',
  ),
  printenv: { ...prints('-0|--null'), bare: 'credential', check: 'environment' },
  getconf: prints('-a -v='),
  locale: prints('-a|--all-locales -m|--charmaps -c|--category-name -k|--keyword-name -v|--verbose'),
  'cal ncal': prints('-1 -3 -h -j -y -m= -d= -H= -A= -B= -C -N -w -b -e -M -S -J -p'),
  'figlet toilet banner fortune jot': { kind: 'read', flags: '-w= -c -f=' },
  info: { kind: 'read', args: 'text', flags: '-k|--apropos= -w|--where|--location --usage -a|--all' },
  file: {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags: `-C|--compile!write -m|--magic-file=!no -f|--files-from=!no -b|--brief -c|--checking-printout -e|--exclude= --exclude-quiet= -F|--separator= -i|-I|--mime --apple --extension --mime-type --mime-encoding -k|--keep-going
      -l|--list -L|--dereference -h|--no-dereference -n|--no-buffer -N|--no-pad -0|--print0 -p|--preserve-date -P|--parameter= -r|--raw -s|--special-files -v -d ${HELP}`,
    // A file that lists files is read line by line.
    complete: false,
  },
  mdls: {
    kind: 'read',
    single: true,
    args: 'read',
    namesOnly: true,
    flags: '-plist=:write -name= -raw -nullMarker=',
  },
  'nvidia-smi': {
    kind: 'read',
    flags:
      '-L|--list-gpus -q|--query -x -i|--id= -d|--display= -l|--loop= --query-gpu= --query-compute-apps= --format= -f=:write',
  },
  'ls gls dir vdir': lists(
    `-a|--all -A|--almost-all --author -b|--escape --block-size= -B|--ignore-backups -c -C --color? --colour? -d|--directory -D|--dired -f -F|--classify? --file-type --format= --full-time -g --group-directories-first -G|--no-group
    -h|--human-readable --si -H|--dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style= -i|--inode -I|--ignore= -k|--kibibytes -l -L|--dereference -m -n|--numeric-uid-gid -N|--literal -o -p
    -q|--hide-control-chars --show-control-chars -Q|--quote-name --quoting-style= -r|--reverse -R|--recursive -s|--size -S --sort= --time= --time-style= -t -T|--tabsize? -u -U -v -w|--width= -x -X -Z|--context --zero -1 -@ -e -O -P -W -y -% -E`,
  ),
  'exa eza lsd': {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags: `-1|--oneline -l|--long -G|--grid -x|--across -R|--recurse -T|--tree -X|--dereference -F|--classify? --color? --colour? --icons? --no-icons -a|--all -A|--almost-all -d|--list-dirs -D|--only-dirs -f|--only-files -L|--level= -r|--reverse
      -s|--sort= --group-directories-first --git-ignore -I|--ignore-glob= -b|--binary -B|--bytes -g|--group -h|--header -H|--links -i|--inode -m|--modified -S|--blocksize -t|--time= -u|--accessed -U|--created --time-style= --no-permissions --no-filesize
      --no-user --no-time --git --no-git --total-size --hyperlink -o|--octal-permissions --absolute? -v|--version --depth= --blocks= --date= --size= --permission= --icon= ${HELP}`,
  },
  tree: {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags: `-o=:write -R!no -H= -T= -L= -P= -I= --charset= --filelimit= --timefmt= --sort= --output=:write -a -d -l -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --dirsfirst --filesfirst --noreport --du --si --inodes
      --device --prune --gitignore --matchdirs --ignore-case --metafirst --fromfile!no --nolinks --hintro= --houtro= ${HELP}`,
  },
  'stat gstat': lists(
    '-L|--dereference -f|--file-system? --cached= -c|--format= --printf= -t|--terse -x -r -s -n -q -l -F',
  ),
  'readlink greadlink realpath grealpath': lists(
    '-f|--canonicalize -e|--canonicalize-existing -m|--canonicalize-missing -n|--no-newline -q|--quiet -s|--silent|--strip|--no-symlinks -v|--verbose -z|--zero -L|--logical -P|--physical --relative-to= --relative-base=',
  ),
  'du gdu': lists(
    '-0|--null -a|--all --apparent-size -B|--block-size= -b|--bytes -c|--total -D|--dereference-args -d|--max-depth= --files0-from=!no -H -h|--human-readable --inodes -k -L|--dereference -l|--count-links -m -P|--no-dereference -S|--separate-dirs --si -s|--summarize -t|--threshold= --time? --time-style= -X|--exclude-from=:read --exclude= -x|--one-file-system -g -I= -n -A -r',
  ),
  'df gdf': lists(
    '-a|--all -B|--block-size= -h|--human-readable -H|--si -i|--inodes -I -k -l|--local --no-sync --output? -P|--portability --sync --total -t|--type= -T|--print-type -x|--exclude-type= -v -b -c -g -m -n -Y',
  ),
  'namei pathchk lsattr getfacl mountpoint': lists(
    '-x -m|--modes -o|--owners -l|--long -n|--nosymlinks -v|--vertical -h -V -p|--portability -P -R -a|--access -d -q|--quiet --nofollow -c|--omit-header -e|--all-effective -s -t -L',
  ),
  lsof: {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags:
      '-a -b -c= -C -d= -e= -E -f -F? -g? -h -i? -K? -l -L? -M -n -N -o -O -p= -P -Q -R -s? -S? -t -T? -u= -U -v -V -w -W -x? -X -z -Z +D= +d= +c= +L? +f +w +E',
  },
  'dust duf': {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags:
      '-d= -n= -r -s -b -x -X= -c -f -i -p -a -v -D -F -H --json --only= --hide= --all --inodes --help --version',
  },
  'findmnt lsblk blkid': lists(
    `-A|--all|--noempty -D|--df|--discard -E|--dedup= -I|--include= -J|--json -M|--mountpoint= -O|--options= --output-all -P|--pairs -S|--source? -T|--target? -a|--ascii -b|--bytes -d|--nodeps -e|--exclude= -f|--fs|--first-only -i|--invert -l|--list -m|--perms -n|--noheadings
    -o|--output= -p|--paths -r|--raw -s|--inverse|--fstab -t|--topology -w|--width= -x|--sort= -y|--shell -z|--zoned -k|--kernel -R|--submounts -U|--uniq -u|--notruncate -v|--nofsroot --tree --real --pseudo --types= -h -V`,
  ),
  fuser: {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags:
      '-a|--all -l|--list-signals -m|--mount -M -n|--namespace= -s|--silent -u|--user -v|--verbose -4 -6 -k|--kill!system',
  },
  'which whereis whatis apropos command_not_found_handle tldr': {
    kind: 'read',
    flags: `-a|--all -s -b -m -u -l|--long -k -e|--exact -w|--wildcard -r|--regex -B= -M= -S= -f --skip-alias --skip-dot -p= ${HELP}`,
  },
  man: {
    kind: 'read',
    args: 'read',
    flags: '-k|--apropos -f|--whatis -a|--all -w|--path -K -S|-s|--sections= --no-pager',
  },
  'date gdate': {
    kind: 'read',
    max: 1,
    flags: `-d|--date= -f=:read --file=:read -I|--iso-8601? -R|--rfc-email --rfc-3339= -r|--reference= -u|--utc|--universal -v= -j --debug --resolution ${HELP} -n -s|--set=!system`,
    check: 'date',
  },
  'hostname domainname dnsdomainname': {
    kind: 'read',
    max: 0,
    flags:
      '-F|--file=!system -b!system -a|--alias -A|--all-fqdns -d|--domain -f|--fqdn|--long -i|--ip-address -I|--all-ip-addresses -s|--short -y|--yp|--nis -h|--help -V|--version',
  },
  'mktemp gmktemp': {
    kind: 'write',
    check: 'mktemp',
    flags: '-u|--dry-run -t? -d|--directory -p|--tmpdir? --suffix= -q|--quiet --help --version',
  },
  ps: shownProcesses(
    '-e -f -A -a -d -l -L -T -M -m -j -H -F -y -c -C= -G= -g= -p= -s= -t= -U= -u= -o= -O= -q= -w -x -v -n= -N -r -h -Z -V -X -E!credential -S --forest --sort= --pid= --ppid= --user= --headers --no-headers --no-heading --cols= --columns= --width= --lines= --rows= --format= --context --cumulative --deselect --Group= --group= --info --quick-pid= --sid= --tty= --User=',
  ),
  pgrep: prints(
    '-d|--delimiter= -l|--list-name -a|--list-full -v|--inverse -w|--lightweight -c|--count -f|--full -g|--pgroup= -G|--group= -i|--ignore-case -n|--newest -o|--oldest -O|--older= -P|--parent= -s|--session= -t|--terminal= -u|--euid= -U|--uid= -x|--exact -F|--pidfile=:read -L|--logpidfile -r|--runstates= -A|--ignore-ancestors --cgroup= --ns= --nslist= -h -V -q -I',
  ),
  pstree: prints(
    '-a|--arguments -A|--ascii -c|--compact-not -C|--color= -g|--show-pgids -G|--vt100 -h|--highlight-all -H|--highlight-pid= -l|--long -n|--numeric-sort -N|--ns-sort= -p|--show-pids -s|--show-parents -S|--ns-changes -t|--thread-names -T|--hide-threads -u|--uid-changes -U|--unicode -V -w',
  ),
  'top htop btop': {
    kind: 'read',
    flags:
      '-b -n= -d= -p= -u= -U= -o= -c -H -i -S -s -w? -E= -e= -l= -O -1 -h -v -C -t -V -stats= --sort-key= --tree --delay= --no-color --help --version',
  },
  'free vmstat iostat mpstat': prints(
    '-b|--bytes --kilo --mega --giga --tera --peta -k|--kibi -m|--mebi -g|--gibi --tebi --pebi -h|--human --si -l|--lohi -t|--total -v|--committed -s? -c? -w|--wide -a|--active -f|--forks -n|--one-header -d|--disk -D|--disk-sum -p|--partition= -S|--unit= -y|--no-first -V -x -z -N -P= -A -u -I= -C -K -o=',
  ),
  lscpu: prints(
    '-a|--all -b|--online -B|--bytes -C|--caches? -c|--offline -J|--json -e|--extended? -p|--parse? -x|--hex -y|--physical --output-all -h -V',
  ),
  'lsusb lspci lsmod lshw lsipc lslocks lslogins acpi': {
    kind: 'read',
    flags:
      '-v|--verbose -vv -vvv -t -s= -d= -D= -k -n -nn -q -b -m -mm -x -xxx -short -json -html -xml -class= -C= -businfo -sanitize -quiet -numeric -J|--json -i= -o|--output= -p|--pid= -r|--raw -u -c -e -l -g -a -V -h --help --version',
  },
  'last lastb lastlog': prints(
    '-a|--hostlast -d|--dns -f|--file=:read -F|--fulltimes -i|--ip -n|--limit= -R|--nohostname -s|--since= -t|--until= -p|--present= -w|--fullnames -x|--system --time-format= -h -V -NUM -u= -b=',
  ),
  'grep egrep fgrep ggrep': {
    kind: 'read',
    args: ['text', 'read'],
    firstIsPathWith: '-e -f --regexp --file',
    complete: true,
    flags: `-E|--extended-regexp -F|--fixed-strings -G|--basic-regexp -P|--perl-regexp -e|--regexp= -f|--file=:read -i|-y|--ignore-case --no-ignore-case -w|--word-regexp -x|--line-regexp -z|--null-data -s|--no-messages -v|--invert-match -V -m|--max-count=
      -b|--byte-offset -n|--line-number --line-buffered -H|--with-filename -h|--no-filename --label= -o|--only-matching -q|--quiet|--silent --binary-files= -a|--text -I -d|--directories= -D|--devices= -r|--recursive -R|--dereference-recursive --include= --exclude= --exclude-from=:read
      --exclude-dir= --include-dir= -L|--files-without-match -l|--files-with-matches -c|--count -T|--initial-tab -Z|--null -B|--before-context= -A|--after-context= -C|--context= -NUM --group-separator= --no-group-separator --color? --colour? -U|--binary -u -S -p -O ${HELP}`,
  },
  'rg ripgrep': {
    kind: 'read',
    args: ['text', 'read'],
    firstIsPathWith: '-e -f --regexp --file --files --type-list',
    flags: `--pre=!exec --pre-glob= --hostname-bin=!exec -e|--regexp= -f|--file=:read -g|--glob= --iglob= -t|--type= -T|--type-not= -A|--after-context= -B|--before-context= -C|--context= -m|--max-count= -r|--replace= --ignore-file=:read --sort= --sortr= -M|--max-columns=
      -d|--max-depth|--maxdepth= -E|--encoding= -j|--threads= --files -i|--ignore-case -S|--smart-case -s|--case-sensitive -w|--word-regexp -x|--line-regexp -v|--invert-match -c|--count --count-matches -l|--files-with-matches --files-without-match -n|--line-number -N|--no-line-number
      -o|--only-matching -q|--quiet -F|--fixed-strings -P|--pcre2 -U|--multiline --multiline-dotall -u|--unrestricted -uu -uuu -. --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global -L|--follow -H|--with-filename -I|--no-filename --heading
      --no-heading --color= --colors= --column --no-column -b|--byte-offset --json --stats --trim --vimgrep -p|--pretty -0|--null --null-data --passthru -a|--text --binary --max-filesize= --one-file-system --path-separator= --debug --trace --type-list --type-add= --type-clear= --crlf --engine= --no-messages
      --no-config --context-separator= --field-match-separator= --line-buffered --block-buffered --max-columns-preview --no-require-git --glob-case-insensitive --sort-files -h|--help -V|--version --no-unicode --auto-hybrid-regex --dfa-size-limit= --regex-size-limit= --hyperlink-format= --include-zero`,
  },
  'ag ack': {
    kind: 'read',
    args: ['text', 'read'],
    flags:
      '--pager=!exec --ackrc=!no -i -s -S -w -v -l -L -c -n -o -A= -B= -C= -m= -Q -G= -g= -a -u -U -z --hidden --ignore= --ignore-dir= --nocolor --color --group --nogroup --heading --noheading --column --depth= --stats -h --help --version --type= -H -t= -1 -r -R -f -k --python --js --ts --java --go --ruby --cpp --cc --html --css',
  },
  'ugrep ug': {
    kind: 'read',
    args: ['text', 'read'],
    flags:
      '--filter=!exec --pager?!exec --save-config?!write --view?!exec -r -R -i -n -l -L -c -o -v -w -x -E -F -P -A= -B= -C= -m= -g= -t= -e= -h -H --include= --exclude= --exclude-dir= --help --version',
  },
  'fd fdfind': {
    kind: 'read',
    args: ['text', 'read'],
    namesOnly: true,
    strip: 'fd',
    complete: false,
    flags: `-H|--hidden -I|--no-ignore --no-ignore-vcs --no-ignore-parent -u|--unrestricted -s|--case-sensitive -i|--ignore-case -g|--glob --regex -F|--fixed-strings --and= -a|--absolute-path -l|--list-details -L|--follow -p|--full-path -0|--print0 -d|--max-depth|--maxdepth= --min-depth= --exact-depth=
      -E|--exclude= --prune -t|--type= -e|--extension= -S|--size= --changed-within|--newer|--change-newer-than= --changed-before|--older|--change-older-than= -o|--owner= --format= -x|--exec -X|--exec-batch --batch-size= --ignore-file=:read -c|--color= --hyperlink? -j|--threads= --max-results= -1
      -q|--quiet --show-errors --base-directory=:read --path-separator= --search-path=:read --strip-cwd-prefix? --one-file-system|--mount|--xdev --gen-completions? -h|--help -V|--version --no-hidden --ignore --no-follow --relative-path`,
  },
  'find gfind': {
    kind: 'read',
    single: true,
    args: 'read',
    namesOnly: true,
    strip: 'find',
    check: 'find',
    flags: `-H -L -P -E -X -x -s -d -f= -O* -D= -name= -iname= -path= -ipath= -wholename= -iwholename= -lname= -ilname= -regex= -iregex= -regextype= -type= -xtype=
      -size= -empty -mtime= -atime= -ctime= -mmin= -amin= -cmin= -Btime= -Bmin= -newer* -anewer= -cnewer= -daystart -used= -perm= -readable -writable -executable
      -user= -group= -uid= -gid= -nouser -nogroup -maxdepth= -mindepth= -depth -xdev -mount -noleaf -links= -inum= -samefile= -fstype= -flags= -xattr -xattrname=
      -print -print0 -printf= -printx -ls -prune -quit -true -false -not -o -or -a -and -follow -ignore_readdir_race -noignore_readdir_race -warn -nowarn -context= -acl -sparse
      -version --version -help --help -files0-from=:read -exec -execdir -ok!no -okdir!no -delete!write -fprint=:write -fprint0=:write -fprintf==:write -fls=:write -rm!write -unsetlog!no`,
  },
  'locate mlocate plocate mdfind': {
    kind: 'read',
    flags:
      '-i|--ignore-case -c|--count -l|--limit= -n= -b|--basename -w|--wholename -r|--regexp= --regex -e|--existing -0|--null -A|--all -S -q -name= -onlyin= -literal -live --help --version',
  },
  'fzf sk': {
    kind: 'read',
    flags: `--listen? --listen-unsafe?!exec --with-shell=!exec --info-command=!exec --preview= --bind= --history=:write -x|--extended +x -e|--exact +e -i|--ignore-case +i --scheme= --literal -n|--nth= --with-nth= --accept-nth= -d|--delimiter= +s|--no-sort --track --tac --tail= --disabled --phony --tiebreak=
      -m|--multi? +m|--no-multi --no-mouse --cycle --wrap? --wrap-sign= --no-multi-line --raw --gap? --gap-line= --keep-right --scroll-off= --no-hscroll --hscroll-off= --jump-labels= --gutter= --gutter-raw= --pointer= --marker= --marker-multi-line= --ellipsis= --tabstop= --scrollbar? --no-scrollbar --list-border? --list-label= --list-label-pos=
      --no-input --prompt= --info= --separator= --no-separator --ghost= --filepath-word --input-border? --input-label= --input-label-pos= --preview-window= --preview-border? --preview-label= --preview-label-pos= --header= --header-lines= --header-first --header-border? --header-lines-border? --header-label= --header-label-pos= --footer= --footer-border?
      --footer-label= --footer-label-pos= --height= --min-height= --tmux? --popup? --layout= --reverse --margin= --padding= --border? --border-label= --border-label-pos= --color= --no-color --no-bold --black --style= --ansi --sync --bash --zsh --fish --man -q|--query= -1|--select-1 -0|--exit-0 -f|--filter= --print-query --expect= --no-expect
      --read0 --print0 --no-clear --history-size= --walker= --walker-root= --walker-skip= --no-ignore-case --smart-case --no-extended --no-exact --no-unicode --ambidouble --version --help -h --highlight-line --no-height --no-preview --cmd=!exec -c=!exec -I= --regex --case= --algo= -s --sort`,
    check: 'fzf',
  },
}
