import type { ProgramTable } from '../spec.ts'

const YQ = {
  kind: 'read',
  check: 'yq',
  any: true,
  args: ['text', 'read'],
  flags:
    '-i|--inplace|--in-place?!write -s|--split-exp=!write --split-exp-file=!write --from-file=:read -w!no -p= -o= -I= --arg= --argjson= -P -C -M -n',
} as const

/** The shell's own builtins and the small tools that only read and print. */
export const COREUTILS: ProgramTable = {
  // Builtins without effect outside the shell.
  'echo true false : printf pwd type times test [ let shift return break continue exit wait umask dirs caller':
    { kind: 'read', any: true },
  'cd pushd popd': { kind: 'read', any: true },
  'export readonly declare typeset local unset read mapfile readarray getopts set shopt hash jobs disown bg fg ulimit':
    { kind: 'read', any: true },
  alias: { kind: 'read', max: 0, flags: '-p' },
  'command builtin exec nohup setsid nice gnice ionice chrt taskset stdbuf gstdbuf unbuffer catchsegv': {
    kind: 'read',
    any: true,
    posix: true,
    wrapper: true,
  },
  'time gtime': {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: '-p|--portability -v|--verbose -f|--format= -o|--output=:write -a|--append -q|--quiet -l -h',
  },
  'timeout gtimeout': { kind: 'read', any: true, posix: true, wrapper: true },
  'env genv': { kind: 'read', any: true, posix: true, wrapper: true },
  eval: { kind: 'read', any: true, posix: true, wrapper: true },
  trap: { kind: 'read', any: true, posix: true, wrapper: true },
  watch: { kind: 'read', any: true, posix: true, wrapper: true },
  flock: { kind: 'write', any: true, posix: true, wrapper: true, args: ['write', 'text'] },
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
  parallel: { kind: 'unlisted', any: true, posix: true, wrapper: true },
  // Contents of files.
  'cat tac nl head tail more zcat bzcat xzcat zstdcat gzcat zless zmore bzless zgrep zegrep zfgrep xzgrep bzgrep zdiff zcmp rev fold fmt pr expand unexpand column paste join comm cut colrm look strings od hexdump hd base32 basenc cksum sum md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum wc cmp diff colordiff icdiff diffstat ul lolcat':
    { kind: 'read', any: true, args: 'read' },
  less: {
    kind: 'read',
    any: true,
    args: 'read',
    flags:
      '-o|-O|--log-file|--LOG-FILE=:write -k=!no --lesskey-content=!no --lesskey-file=!no --lesskey-src= +*!no',
  },
  'sort gsort': {
    kind: 'read',
    args: 'read',
    flags: `-b|--ignore-leading-blanks -d|--dictionary-order -f|--ignore-case -g|--general-numeric-sort -i|--ignore-nonprinting -M|--month-sort
      -h|--human-numeric-sort -n|--numeric-sort -R|--random-sort --random-source=:read -r|--reverse --sort= -V|--version-sort --batch-size= -c|--check? -C
      --debug --files0-from=:read -k|--key= -m|--merge -o|--output=:write -s|--stable -S|--buffer-size= -t|--field-separator= -T|--temporary-directory=
      --parallel= -u|--unique -z|--zero-terminated --mmap --radixsort --mergesort --qsort --heapsort --help --version`,
  },
  'base64 gbase64': {
    kind: 'read',
    any: true,
    args: 'read',
    flags: '-o|--output=:write -i=:read --input=:read -w|--wrap= -b|--break=',
  },
  sdiff: { kind: 'read', any: true, args: 'read', flags: '-o|--output=:write --diff-program=!exec' },
  'uniq guniq': { kind: 'read', any: true, args: ['read', 'write'] },
  'shuf gshuf': {
    kind: 'read',
    args: 'read',
    flags:
      '-e|--echo -i|--input-range= -n|--head-count= -o|--output=:write --random-source=:read -r|--repeat -z|--zero-terminated',
  },
  diff3: { kind: 'read', any: true, args: 'read', flags: '--diff-program=!exec' },
  'split gsplit': {
    kind: 'write',
    any: true,
    args: ['read', 'write'],
    flags:
      '--filter=!exec -a|--suffix-length= --additional-suffix= -b|--bytes= -C|--line-bytes= -l|--lines= -n|--number= -t|--separator=',
  },
  'csplit gcsplit': {
    kind: 'write',
    any: true,
    args: ['read', 'text'],
    flags: '-f|--prefix=:write -b|--suffix-format= -n|--digits=',
  },
  'tr seq gseq basename dirname expr factor yes sleep usleep nproc tty logname whoami id groups users who w uptime uname printenv hostid tsort numfmt getconf locale cal ncal bc figlet fortune banner toilet jot':
    { kind: 'read', any: true },
  history: { kind: 'read', max: 1, check: 'plain-args' },
  info: { kind: 'read', args: 'text', flags: '-k|--apropos= -w|--where|--location --usage -a|--all' },
  file: {
    kind: 'read',
    any: true,
    args: 'read',
    namesOnly: true,
    flags: '-C|--compile!write -m|--magic-file= -f|--files-from=:read',
  },
  mdls: {
    kind: 'read',
    any: true,
    single: true,
    args: 'read',
    namesOnly: true,
    flags: '-plist=:write -name=',
  },
  'nvidia-smi': {
    kind: 'read',
    flags:
      '-L|--list-gpus -q|--query -x -i|--id= -d|--display= -l|--loop= --query-gpu= --query-compute-apps= --format= -f=:write',
  },
  bc: { kind: 'read', any: true, args: 'read' },
  'ls gls dir vdir exa eza lsd tree stat gstat readlink realpath greadlink grealpath du gdu df gdf namei pathchk lsattr getfacl lsof dust duf mountpoint findmnt lsblk blkid':
    { kind: 'read', any: true, args: 'read', namesOnly: true },
  tree: {
    kind: 'read',
    any: true,
    args: 'read',
    namesOnly: true,
    flags: '-o=:write -R!no -H= -T= -L= -P= -I= --charset= --filelimit= --timefmt= --sort= --output=:write',
  },
  fuser: {
    kind: 'read',
    args: 'read',
    namesOnly: true,
    flags:
      '-a|--all -l|--list-signals -m|--mount -M -n|--namespace= -s|--silent -u|--user -v|--verbose -4 -6 -k|--kill!system',
  },
  'which whereis whatis apropos man command_not_found_handle tldr help': { kind: 'read', any: true },
  man: { kind: 'read', flags: '-k|--apropos -f|--whatis -a|--all -w|--path -K -S|-s|--sections= --no-pager' },
  'date gdate': {
    kind: 'read',
    max: 1,
    flags:
      '-d|--date= -f=:read --file=:read -I|--iso-8601? -R|--rfc-email --rfc-3339= -r|--reference= -u|--utc|--universal -v= -j --debug --resolution --help --version -n -s|--set=!system',
    check: 'date',
  },
  hostname: { kind: 'read', max: 0, any: true, flags: '-F|--file=!system -b!system' },
  domainname: { kind: 'read', max: 0, any: true },
  'mktemp gmktemp': { kind: 'write', any: true, check: 'mktemp' },
  'ps pgrep pstree top htop btop vmstat iostat mpstat free lscpu lsusb lspci lsmod lshw lsipc lslocks lslogins last lastb lastlog acpi':
    { kind: 'read', any: true },
  'grep egrep fgrep ggrep': {
    kind: 'read',
    any: true,
    args: ['text', 'read'],
    firstIsPathWith: '-e -f --regexp --file',
    flags:
      '-e|--regexp= -f|--file=:read -A|--after-context= -B|--before-context= -C|--context= -m|--max-count= --include= --exclude= --exclude-from=:read --exclude-dir= --label= --color? --colour? -D|--devices= -d|--directories= --binary-files=',
  },
  'rg ripgrep': {
    kind: 'read',
    any: true,
    args: ['text', 'read'],
    firstIsPathWith: '-e -f --regexp --file --files',
    flags:
      '--pre=!exec --pre-glob= --hostname-bin=!exec -e|--regexp= -f|--file=:read -g|--glob= --iglob= -t|--type= -T|--type-not= -A|--after-context= -B|--before-context= -C|--context= -m|--max-count= -r|--replace= --ignore-file=:read --sort= --sortr= -M|--max-columns= -d|--max-depth= -E|--encoding= -j|--threads= --files',
  },
  'ag ack': { kind: 'read', any: true, args: ['text', 'read'], flags: '--pager=!exec --ackrc=!no' },
  'ugrep ug': {
    kind: 'read',
    any: true,
    args: ['text', 'read'],
    flags: '--filter=!exec --pager?!exec --save-config?!write --view?!exec',
  },
  'fd fdfind': { kind: 'read', any: true, args: ['text', 'read'], namesOnly: true },
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
      -version --version -help --help -files0-from=:read -exec -execdir -ok!no -okdir!no -delete!write -fprint=:write -fprint0=:write -fprintf=:write -fls=:write -rm!write -unsetlog!no`,
  },
  'locate mlocate plocate mdfind': { kind: 'read', any: true },
  'jq gojq jaq': {
    kind: 'read',
    any: true,
    args: ['text', 'read'],
    firstIsPathWith: '-f --from-file --slurpfile --rawfile --argfile',
    flags: '-f|--from-file=:read --slurpfile= --rawfile= --arg= --argjson= --indent= -L= --tab',
  },
  'gron xmllint xq tomlq htmlq pup csvcut csvgrep csvlook csvstat csvsort csvjson tidy-viewer tv': {
    kind: 'read',
    args: ['text', 'read'],
    flags: '-r --raw -c -C -M -n -p= -o!no --format --noout --xpath= -f= -s= -h --help --version',
  },
  yq: { ...YQ, sub: { 'eval e eval-all ea': YQ } },
  'awk gawk mawk nawk original-awk': {
    kind: 'read',
    posix: true,
    args: ['text', 'read'],
    flags:
      '-F|--field-separator= -v|--assign= -W= -e|--source= -b -c -C -h|--help -V|--version -n|--non-decimal-data -N -r|--re-interval -s -S|--sandbox -t|--lint-old -P|--posix -O --traditional --csv -k',
  },
  'sed gsed': {
    kind: 'read',
    args: ['text', 'read'],
    firstIsPathWith: '-e --expression',
    flags:
      '-e|--expression= -n|--quiet|--silent -E|-r|--regexp-extended -i|--in-place?!write -I?!write -s|--separate -u|--unbuffered -z|--null-data -l|--line-length= --posix --debug --sandbox -b|--binary -a --help --version',
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
  'dos2unix unix2dos': { kind: 'write', any: true, args: 'write' },
  'bat batcat': {
    kind: 'read',
    any: true,
    args: 'read',
    flags: '--pager=!exec --generate-config-file!write --diff',
  },
  'fzf sk': {
    kind: 'read',
    any: true,
    posix: false,
    flags:
      '--listen? --listen-unsafe?!exec --with-shell=!exec --info-command=!exec --preview= --bind= --history=:write',
    check: 'fzf',
  },
  script: {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: '-q|--quiet -a|--append -e|--return -f|--flush -d -p -k -r -t? -c|--command=',
    check: 'script',
  },
  arch: { kind: 'read', posix: true, wrapper: true, any: true, flags: '-e=!no -d=' },
  caffeinate: { kind: 'read', posix: true, wrapper: true, flags: '-d -i -m -s -u -t= -w=' },
  rtk: {
    kind: 'read',
    posix: true,
    wrapper: true,
    flags: '-v --verbose -q --version -V',
    check: 'needs-command',
    sub: {
      gain: { kind: 'read', any: true },
      proxy: { kind: 'read', posix: true, wrapper: true, check: 'needs-command' },
    },
  },
  'sudo doas su runuser run0 pkexec': { kind: 'system', any: true, posix: true, wrapper: true },
  'chroot unshare nsenter busybox toybox': { kind: 'unlisted', any: true, posix: true, wrapper: true },
  // Files.
  'mv gmv': {
    kind: 'write',
    args: 'copy',
    deletes: true,
    flags:
      '-f|--force -i|--interactive -n|--no-clobber -v|--verbose -t|--target-directory=:write -T|--no-target-directory -u|--update? -b -S|--suffix= --backup? -Z --strip-trailing-slashes -h',
  },
  'cp gcp': {
    kind: 'write',
    args: 'copy',
    flags:
      '-a|--archive -f|--force -i|--interactive -n|--no-clobber -r|-R|--recursive -p --preserve? --no-preserve= -v|--verbose -t|--target-directory=:write -T|--no-target-directory -u|--update? -l|--link -s|--symbolic-link -L|--dereference -P|--no-dereference -H -d -x|--one-file-system -b --backup? -S|--suffix= --reflink? --sparse= -c -X --parents --attributes-only --remove-destination',
  },
  'rm grm': {
    kind: 'write',
    args: 'write',
    deletes: true,
    flags:
      '-f|--force -i -I --interactive? -r|-R|--recursive -d|--dir -v|--verbose -x --one-file-system --preserve-root? --no-preserve-root!destroy -P -W',
  },
  'rmdir grmdir unlink': {
    kind: 'write',
    args: 'write',
    deletes: true,
    flags: '-p|--parents -v|--verbose --ignore-fail-on-non-empty',
  },
  'mkdir gmkdir': {
    kind: 'write',
    args: 'write',
    flags: '-p|--parents -v|--verbose -m|--mode= -Z --context?',
  },
  'touch gtouch': {
    kind: 'write',
    args: 'write',
    flags: '-a -c|--no-create -d|--date= -f -h|--no-dereference -m -r|--reference= -t= -A= --time=',
  },
  'ln gln': {
    kind: 'write',
    check: 'ln',
    args: 'write',
    flags:
      '-s|--symbolic -f|--force -n|--no-dereference -v|--verbose -r|--relative -T -t=:write -i -b -S= -h -F -L -P',
  },
  'chmod gchmod chown gchown chgrp': {
    kind: 'write',
    args: ['text', 'write'],
    flags:
      '-R|--recursive -v|--verbose -c|--changes -f|--silent|--quiet --reference= -h -H -L -P --preserve-root --no-preserve-root --from=',
  },
  'tee gtee': {
    kind: 'write',
    args: 'write',
    flags: '-a|--append -i|--ignore-interrupts -p --output-error?',
  },
  'truncate gtruncate': {
    kind: 'write',
    args: 'write',
    flags: '-s|--size= -c|--no-create -r|--reference= -o|--io-blocks',
  },
  'install ginstall': {
    kind: 'write',
    any: true,
    args: 'copy',
    flags:
      '--strip-program=!exec -m|--mode= -o|--owner= -g|--group= -S|--suffix= -t|--target-directory=:write',
  },
  'dd gdd': { kind: 'write', any: true, check: 'dd' },
  'shred wipe srm': { kind: 'destroy', any: true, args: 'write', deletes: true },
  'mkfs mkfs.ext4 mkfs.xfs mkfs.vfat mkswap wipefs fdisk sfdisk parted gdisk sgdisk': {
    kind: 'destroy',
    any: true,
  },
  rsync: { kind: 'write', any: true },
  patch: {
    kind: 'write',
    flags:
      '-p|--strip= -i|--input=:read -R|--reverse -N|--forward -s|--silent -f|--force -t|--batch -d|--directory=:write --dry-run -E -u -l',
    args: 'write',
  },
  'mkfifo mknod': { kind: 'write', any: true, args: 'write' },
}
