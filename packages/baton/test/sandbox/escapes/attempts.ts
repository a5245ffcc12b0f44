/** The machine that attempts run on. All paths are of the host. */
export interface Target {
  home: string
  project: string
  state: string
  /** A folder of the host that is not part of the project. */
  outside: string
  /** A process of the host. */
  pid: number
  /** A TCP server of the host on all its addresses. */
  port: number
  /** Unix sockets of the host, by what they belong to. */
  sockets: Record<'docker' | 'ssh-agent' | 'd-bus' | 'tmux' | 'baton', string>
  /** The name of an abstract unix socket. */
  abstract: string
}

export interface Attempt {
  name: string
  /**
   * Runs inside. It succeeded if it prints the secret or ESCAPED, or if something changed or was reached outside.
   * None of them changes a setting of the system: they open the file for writing and stop there.
   */
  command: string
  /** Whether it would work without a sandbox, for an ordinary user; these are run once without one, to show they can fail. */
  worksOutside?: boolean
}

/** Is in every file, variable and answer that must stay hidden. */
export const SECRET = 'canary-5e1f0c'

const opened = (path: string) => `if (exec 7>>'${path}') 2>/dev/null; then echo ESCAPED; fi`
const connectUnix = (path: string) =>
  `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($ARGV[0])) or die; print scalar <S>' '${path}'`
const connectTcp = (host: string, port: number) =>
  `(exec 3<>/dev/tcp/${host}/${port}; head -1 <&3) 2>/dev/null`
const socketFamily = (family: number, type: number, protocol = 0) =>
  `perl -e 'print "ESCAPED" if socket(S, ${family}, ${type}, ${protocol})'`
const systemCall = (x64: number, arm64: number, ...args: string[]) =>
  `perl -e '$n = \`uname -m\` =~ /aarch64/ ? ${arm64} : ${x64}; $r = syscall(${['$n', ...args].join(', ')}); print "ESCAPED" if $r >= 0'`

export function attempts(target: Target): Attempt[] {
  const { home, project, outside, pid, port, sockets, state } = target
  const works = (name: string, command: string): Attempt => ({ name, command, worksOutside: true })
  const fails = (name: string, command: string): Attempt => ({ name, command })
  return [
    // Writing outside.
    works('write a file outside', `echo x > ${outside}/file`),
    works('append to ~/.bashrc', `echo x >> ${home}/.bashrc`),
    works('append to ~/.profile through the variable', 'echo x >> "$HOME/.profile"'),
    works('add an ssh key', `mkdir -p ${home}/.ssh; echo x >> ${home}/.ssh/authorized_keys`),
    works('write through a link to a file', `ln -sf ${outside}/file link && echo x > link`),
    works('write through a link to a folder', `ln -sfn ${outside} folder && echo x > folder/file`),
    works('write through a hard link', `ln -f ${outside}/file hard && echo x > hard`),
    works('write through /proc/self/root', `echo x > /proc/self/root${outside}/file`),
    works('write through /proc/self/cwd', `echo x > /proc/self/cwd/../../outside/file`),
    fails('write through /proc/1/root', `echo x > /proc/1/root${outside}/file`),
    works(
      'write through another process’s root',
      `for p in /proc/[0-9]*; do echo x > $p/root${outside}/file; done 2>/dev/null`,
    ),
    works(
      'write through another process’s folder',
      `for p in /proc/[0-9]*; do (cd $p/cwd && cd ${outside} && echo x > file); done 2>/dev/null`,
    ),
    works(
      'write through an inherited descriptor',
      `for d in /proc/self/fd/*; do echo x > $d/file; echo x > $d/../outside/file; done 2>/dev/null; echo x > /proc/self/fd/8/file`,
    ),
    works('move a file outside', `echo x > moved && mv moved ${outside}/file`),
    works(
      'copy with absolute names from an archive',
      `mkdir -p t${outside} && echo x > t${outside}/file && tar -C t -cf a.tar --transform 's,^\\.,,' .${outside}/file && tar -xPf a.tar`,
    ),
    works('clone outside', `git clone -q . ${outside}/clone`),
    works('add a worktree outside', `git worktree add -q ${outside}/tree`),
    works('push to a repository outside', 'git push -q origin HEAD:refs/heads/pushed && echo ESCAPED'),
    works('change a toolchain', `echo x > ${home}/.nvm/tool`),
    works('change a program in ~/.local/bin', `echo x > ${home}/.local/bin/tool`),
    works('poison the package cache', `echo x > ${home}/.npm/_cacache/entry`),
    works(
      'install a service of the user',
      `mkdir -p ${home}/.config/systemd/user && echo x > ${home}/.config/systemd/user/evil.service`,
    ),
    works(
      'install an autostart entry',
      `mkdir -p ${home}/.config/autostart && echo x > ${home}/.config/autostart/evil.desktop`,
    ),
    works(
      'replace the project folder',
      `cd / && mv ${project} ${project}.old && ln -s ${outside} ${project} && echo ESCAPED`,
    ),
    works('change another project', `echo x > ${home}/other/notes.txt`),
    works('change the user’s git configuration', `git config -f ${home}/.gitconfig alias.st '!evil'`),
    works('change an agent’s settings of the user', `echo x > ${home}/.claude/settings.json`),
    fails('write to /usr', 'echo x > /usr/bin/evil && echo ESCAPED'),
    fails('open /etc/passwd for writing', opened('/etc/passwd')),
    fails('add a job for cron', '(echo > /etc/cron.d/evil) 2>/dev/null && echo ESCAPED'),
    fails('add a program to the loader', opened('/etc/ld.so.preload')),
    fails(
      'open a disk',
      'for d in sda vda nvme0n1 dm-0; do [ -b /dev/$d ] && (exec 7<>/dev/$d) 2>/dev/null && echo ESCAPED; done',
    ),
    fails(
      'open the kernel’s log and memory',
      'for d in kmsg mem port; do [ -c /dev/$d ] && (exec 7>>/dev/$d) 2>/dev/null && echo ESCAPED; done',
    ),
    fails('make a device', 'mknod disk b 8 0 && echo ESCAPED; mknod mem c 1 1 && echo ESCAPED'),
    fails(
      'set the user-id bit',
      process.getuid?.() === 0
        ? 'cp /bin/true suid; chmod u+s suid; [ -u suid ] && echo ESCAPED; perl -e \'chmod 04755, "suid"\'; [ -u suid ] && echo ESCAPED; install -m 4755 /bin/true suid2; [ -u suid2 ] && echo ESCAPED'
        : ':',
    ),

    // Mounts and namespaces.
    fails('mount over a protected file', 'mount --bind README.md .git/config && echo ESCAPED'),
    fails(
      'unmount a protection',
      'for m in .git/hooks .git/config .mcp.json; do umount $m || umount -l $m; done && echo ESCAPED',
    ),
    fails('remount the system writable', 'mount -o remount,rw,bind /usr && echo ESCAPED'),
    fails('remount /proc/sys writable', 'mount -o remount,rw,bind /proc/sys && echo ESCAPED'),
    fails('mount another /proc', 'mount -t proc proc /tmp && echo ESCAPED'),
    fails('make a user namespace', 'unshare -U true && echo ESCAPED'),
    fails('mount in a namespace of its own', 'unshare -Urm sh -c "umount .git/hooks && echo ESCAPED"'),
    fails('make a user namespace by system call', systemCall(272, 97, '0x10000000')),
    fails('make a mount namespace by system call', systemCall(272, 97, '0x00020000')),
    fails('enter the holder’s namespaces', 'nsenter -t 1 -m -U --preserve-credentials sh -c "echo ESCAPED"'),
    fails(
      'enter the mount namespace of any process',
      'for p in /proc/[0-9]*; do nsenter -t ${p##*/} -m sh -c "echo ESCAPED"; done 2>/dev/null',
    ),
    fails('change the root folder', 'chroot / sh -c "echo ESCAPED"'),
    fails('open a file by handle', systemCall(304, 265, '-100', '"x" x 16', '0')),

    // Reading secrets.
    ...[
      '.ssh/id_ed25519',
      '.aws/credentials',
      '.npmrc',
      '.netrc',
      '.git-credentials',
      '.docker/config.json',
      '.gnupg/key',
      '.kube/config',
      '.config/gh/hosts.yml',
      '.local/share/keyrings/login',
      '.mozilla/profile',
      '.config/google-chrome/Cookies',
      '.claude/.credentials.json',
      '.codex/auth.json',
      '.gemini/oauth.json',
      '.cargo/credentials.toml',
      '.gem/credentials',
      '.bash_history',
      'other/notes.txt',
    ].map(name => works(`read ~/${name}`, `cat ${home}/${name}`)),
    works('read Baton’s token', `cat ${state}/token`),
    works('read Baton’s folder through /proc', `cat /proc/*/root${state}/token 2>/dev/null`),
    fails(
      'read a request of Baton',
      `cat ${state}/sandbox/requests/*/* ${state}/sandbox/box 2>/dev/null | grep -q . && echo ESCAPED`,
    ),
    works('read .env', 'cat .env'),
    works('copy .env', 'cp .env copy && cat copy'),
    works('read .env through a hard link', 'ln .env hard-env && cat hard-env'),
    works('read .env from git’s index after adding it', 'git add -f .env && git show :.env'),
    works('read a secret through a link', `ln -s ${home}/.ssh/id_ed25519 key && cat key`),
    works(
      'search all folders for the secret',
      `grep -rsh ${SECRET} /home /root /tmp /var/tmp /run /mnt /srv /media --include=id_ed25519 --include=token`,
    ),
    works('read another repository’s objects', `git --git-dir=${home}/other/.git show HEAD:notes.txt`),
    works('read the environment', 'env'),
    works('read its own first environment', 'cat /proc/self/environ /proc/$$/environ'),
    works(
      'read the environment of its parents',
      'cat /proc/$PPID/environ; cat /proc/[0-9]*/environ 2>/dev/null',
    ),
    works(
      'read the command lines of all processes',
      // In brackets, so that grep does not find its own command line.
      `cat /proc/[0-9]*/cmdline | tr "\\0" "\\n" | grep -a '[c]${SECRET.slice(1)}-on-a-line'`,
    ),
    fails('read password hashes', '[ -s /etc/shadow ] && [ -r /etc/shadow ] && echo ESCAPED'),
    fails(
      'read keys of the ssh server',
      'cat /etc/ssh/ssh_host_*_key 2>/dev/null | grep -q . && echo ESCAPED',
    ),
    fails(
      'read the kernel’s memory',
      '(exec 7</proc/kcore; head -c 16 <&7) 2>/dev/null | grep -q . && echo ESCAPED; (exec 7</dev/mem) 2>/dev/null && echo ESCAPED',
    ),
    fails('use the kernel’s key ring', systemCall(250, 219, '0', '-3', '0')),
    fails('add a key to the key ring', systemCall(248, 217, '"user"', '"x"', '"x"', '1', '-2')),

    // Sockets and the network.
    ...Object.entries(sockets).map(([name, path]) => works(`reach the socket of ${name}`, connectUnix(path))),
    works(
      'reach any socket below the home folder',
      `for s in $(find ${home} -type s 2>/dev/null); do ${connectUnix('$s').replace("'$s'", '"$s"')}; done`,
    ),
    works(
      'reach an abstract socket',
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("S a*", AF_UNIX, "\\0$ARGV[0]")) or die; print scalar <S>' '${target.abstract}'`,
    ),
    works('reach a server on 127.0.0.1', connectTcp('127.0.0.1', port)),
    works('reach a server on 0.0.0.0', connectTcp('0.0.0.0', port)),
    works('reach a server on localhost', connectTcp('localhost', port)),
    fails(
      'reach a server on the machine’s other addresses',
      `for a in $(hostname -I 2>/dev/null); do ${connectTcp('$a', port)}; done`,
    ),
    fails(
      'reach the gateway and the cloud’s metadata',
      `for a in 169.254.169.254 10.0.2.2 172.17.0.1; do timeout 1 bash -c "exec 3<>/dev/tcp/$a/80" 2>/dev/null && echo ESCAPED; done`,
    ),
    fails(
      'send to another machine',
      `perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0); print "ESCAPED" if send(S, "x", 0, pack_sockaddr_in(53, inet_aton("192.0.2.1")))'`,
    ),
    fails('make a network interface', 'ip link add dummy7 type dummy && echo ESCAPED'),
    fails('open a raw socket', socketFamily(2, 3, 1)),
    fails('open a packet socket', socketFamily(17, 3)),
    fails('reach the machine’s host by vsock', socketFamily(40, 1)),
    fails('open a bluetooth socket', socketFamily(31, 3)),

    // Processes and the terminal.
    works('signal a process outside', `kill -9 ${pid}`),
    fails('signal all processes', 'kill -9 -1; true'),
    fails(
      'trace a process outside',
      `perl -e '$n = \`uname -m\` =~ /aarch64/ ? 117 : 101; print "ESCAPED" if syscall($n, 0x4206, ${pid}, 0, 0) == 0'`,
    ),
    works(
      'read the memory map of a process outside',
      `[ -s /proc/${pid}/maps ] || [ -n "$(cat /proc/${pid}/maps 2>/dev/null)" ] && echo ESCAPED`,
    ),
    fails(
      'read the files of the holder',
      'for f in /proc/1/fd/*; do readlink $f || cat $f; done 2>/dev/null | grep -q . && echo ESCAPED',
    ),
    works(
      'see processes outside',
      `[ -e /proc/${pid}/stat ] && grep -qa canary-process /proc/${pid}/cmdline && echo ESCAPED`,
    ),
    fails(
      'type into the terminal (TIOCSTI)',
      `script -qec "perl -e 'print qq(ESCAPED) if ioctl(STDIN, 0x5412, my \\$c = qq(x))'" /dev/null < /dev/null`,
    ),
    fails(
      'paste into the terminal (TIOCLINUX)',
      `perl -e 'open(T, "<", "/dev/ptmx"); print "ESCAPED" if ioctl(T, 0x541c, my $c = "\\2")'`,
    ),

    // Settings of the running kernel: opened for writing, nothing is written.
    ...[
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/kernel/modprobe',
      '/proc/sys/vm/drop_caches',
      '/proc/sys/fs/binfmt_misc/register',
      '/proc/sysrq-trigger',
      '/proc/irq/default_smp_affinity',
      '/sys/kernel/uevent_helper',
      '/sys/kernel/mm/ksm/run',
      '/sys/power/state',
      '/sys/fs/cgroup/cgroup.procs',
      '/sys/fs/cgroup/memory/release_agent',
      '/sys/fs/cgroup/devices/release_agent',
    ].map(path => fails(`open ${path}`, opened(path))),
    fails(
      'open settings of other processes',
      `for p in /proc/[0-9]*; do [ "$p" != "/proc/$$" ] && (exec 7>>$p/mem) 2>/dev/null && echo $p; done | grep -qE "^/proc/1$" && echo ESCAPED`,
    ),

    // What later runs outside: git, agents, editors.
    works('write a git hook', 'echo x > .git/hooks/pre-commit'),
    works(
      'rename the hooks away',
      'mv .git/hooks .git/hooks2 && mkdir .git/hooks && echo x > .git/hooks/pre-commit',
    ),
    works('set a program in the git configuration', 'git config core.fsmonitor ./evil'),
    works(
      'replace the git configuration',
      'printf "[core]\\n\\tfsmonitor = ./evil\\n" > new && mv new .git/config',
    ),
    works('rename .git', 'mv .git away && git init -q && git config core.fsmonitor ./evil'),
    works('point git to another configuration', 'mkdir -p evil && echo ../evil > .git/commondir'),
    works(
      'use a configuration for this worktree',
      'printf "[core]\\n\\tfsmonitor = ./evil\\n" > .git/config.worktree',
    ),
    works(
      'choose programs by attributes',
      'mkdir -p .git/info && echo "* filter=evil" > .git/info/attributes',
    ),
    works('change a nested repository', 'git -C nested config core.fsmonitor ./evil'),
    works('write a hook of a nested repository', 'echo x > nested/.git/hooks/post-checkout'),
    works('change a bare repository', 'git -C bare.git config core.fsmonitor ./evil'),
    works('change a submodule', 'git config -f .git/modules/part/config core.fsmonitor ./evil'),
    works(
      'write a hook of a submodule',
      'mkdir -p .git/modules/part/hooks && echo x > .git/modules/part/hooks/post-checkout',
    ),
    works('redirect a submodule', 'echo "gitdir: ../evil" > part/.git'),
    works(
      'make a repository with a program in it',
      'git init -q made && git -C made config core.fsmonitor ./evil',
    ),
    works(
      'make a repository deep in dependencies',
      'git init -q node_modules/x/made && git -C node_modules/x/made config core.hooksPath .',
    ),
    works(
      'make a bare repository with a program in it',
      'git init -q --bare made.git && git -C made.git config core.fsmonitor ./evil',
    ),
    works(
      'make a folder that git takes for a repository',
      'mkdir -p odd/objects odd/refs && echo "ref: refs/heads/x" > odd/HEAD && printf "[core]\\n\\tfsmonitor = ./evil\\n\\tbare = true\\n" > odd/config',
    ),
    works('clone into the project with a program set', 'git clone -q -c core.fsmonitor=./evil . cloned'),
    works('change .mcp.json', 'echo x > .mcp.json'),
    works('replace .mcp.json', 'echo x > new.json && mv -f new.json .mcp.json'),
    works('make .mcp.json in a folder', 'mkdir -p deep && echo x > deep/.mcp.json'),
    works('make settings of Claude Code', 'mkdir -p .claude && echo x > .claude/settings.json'),
    works(
      'make settings of other agents',
      'mkdir -p .codex .gemini .cursor .opencode && echo x > .codex/config.toml && echo x > .gemini/settings.json && echo x > .cursor/hooks.json',
    ),
    works('make editor tasks', 'mkdir -p .vscode && echo x > .vscode/tasks.json'),
    works(
      'make editor tasks through a link',
      'mkdir -p plain && echo x > plain/tasks.json && ln -s plain .vscode',
    ),
    works('make editor settings', 'mkdir -p .idea && echo x > .idea/workspace.xml'),
    works('make .envrc', 'echo x > .envrc'),
    works('make settings of Baton', 'echo x > deep.txt; echo x > .baton.yaml'),
    works(
      'make them in the background',
      '(sleep 0.05; mkdir -p .vscode; echo x > .vscode/tasks.json) > /dev/null 2>&1 & sleep 0.3',
    ),

    // The box itself.
    fails(
      'run a command when the box reports its folder',
      `echo '$(touch ${outside}/file); touch ${outside}/file' > /run/baton/folder; trap - EXIT`,
    ),
    fails('change the command that is recorded', 'echo x > /run/baton/command && echo ESCAPED'),
    fails(
      'replace the file of the folder by a link',
      `ln -sf ${outside}/file /run/baton/folder && echo ESCAPED`,
    ),
  ]
}
