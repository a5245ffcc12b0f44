import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', any: true } as const

/** Services, packages and processes of the machine. */
export const SYSTEM: ProgramTable = {
  systemctl: {
    globals:
      '--user --system -a|--all -t|--type= --state= --no-pager -l|--full -n= -o|--output= -q|--quiet -p|--property= --failed --no-legend --plain -r --value --version -h|--help',
    bare: 'read',
    sub: {
      'status list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines show cat is-active is-enabled is-failed is-system-running get-default help show-environment':
        READ,
      'start stop restart reload enable disable mask unmask daemon-reload kill edit set-property isolate reboot poweroff halt suspend reset-failed link set-default':
        'system',
    },
  },
  journalctl: {
    kind: 'read',
    any: true,
    flags:
      '--vacuum-size=!system --vacuum-time=!system --vacuum-files=!system --rotate!system --flush!system --sync!system --relinquish-var!system --smart-relinquish-var!system --setup-keys!system --update-catalog!system --cursor-file=:write',
  },
  dmesg: {
    kind: 'read',
    any: true,
    flags:
      '-C|--clear!system -c|--read-clear!system -D|--console-off!system -E|--console-on!system -n=!system --console-level=!system -f|--facility= -l|--level= -F|--file=:read -s= --since= --until= --time-format= -T -H -w -L',
  },
  sysctl: {
    kind: 'read',
    any: true,
    flags: '-w|--write!system -p|--load?!system --system!system -f!system',
    check: 'sysctl',
  },
  'kill pkill killall skill xkill renice shutdown reboot poweroff halt init telinit': {
    kind: 'system',
    any: true,
  },
  'service update-rc.d chkconfig rc-service': 'system',
  crontab: { kind: 'system', flags: '-l', check: 'list-only' },
  'apt apt-get aptitude': {
    globals: '-q -qq -y --yes -o|--option=!no -c|--config-file=!no',
    sub: {
      'list show search policy depends rdepends showsrc madison changelog': READ,
      'install remove purge update upgrade dist-upgrade full-upgrade autoremove autoclean clean source build-dep download edit-sources':
        'system',
    },
  },
  'apt-cache': { kind: 'read', any: true, flags: '-o|--option=!no -c|--config-file=!no' },
  dpkg: {
    kind: 'system',
    flags:
      '-l|--list -L|--listfiles -s|--status -S|--search -p|--print-avail --get-selections --print-architecture -I|--info -c|--contents --compare-versions --version',
    check: 'list-only',
  },
  'dpkg-query': READ,
  'yum dnf microdnf zypper pacman apk': {
    kind: 'system',
    any: true,
    sub: { 'list info search repolist provides repoquery se if lr lu history check-update': READ },
  },
  rpm: {
    kind: 'system',
    flags: '-q -qa -qi -ql -qf -qd -qc -qR -V --query --verify --version',
    check: 'rpm',
  },
  'snap flatpak': {
    sub: { 'list info find search version': READ, 'install remove refresh update run': 'system' },
  },
  brew: {
    flags:
      '--cache --cellar --caskroom --prefix --repo --repository --env --version|-v --help|-h --taps --config',
    bare: 'unlisted',
    check: 'brew',
    kind: 'unlisted',
    sub: {
      'info abv list ls search deps desc descriptions leaves uses outdated missing config doctor dr options tap-info formulae casks log cat commands help home homepage shellenv which-formula formula command docs unbottled --cache --cellar --caskroom --prefix --repo --repository --env --version':
        { kind: 'read', any: true, check: 'brew-read' },
      fetch: { kind: 'fetch', any: true },
      analytics: { kind: 'system', any: true, bare: 'read', sub: { state: READ } },
      bundle: { kind: 'system', any: true, sub: { 'check list': READ } },
      'install uninstall remove rm reinstall upgrade update up tap untap link ln unlink pin unpin cleanup autoremove migrate edit create gist-logs services developer audit bottle bump-formula-pr test style vendor-install postinstall':
        'system',
    },
  },
  'nix nix-env nix-store': { sub: { 'search show-config path-info why-depends': READ } },
  'mount umount swapon swapoff modprobe insmod rmmod losetup cryptsetup lvm': {
    kind: 'system',
    any: true,
    check: 'bare-only',
  },
  'useradd userdel usermod groupadd groupdel passwd chpasswd visudo chsh adduser deluser': 'system',
  'timedatectl hostnamectl loginctl localectl resolvectl networkctl': {
    bare: 'read',
    globals: '--no-pager -p=',
    sub: {
      'status show list-timezones list-sessions list-users list-keymaps list-locales query session-status user-status list show-session show-user timesync-status statistics':
        READ,
      'set-timezone set-time set-ntp set-hostname set-locale': 'system',
    },
  },
  'tmux screen': {
    globals: '-L= -S= -f=!no',
    sub: {
      'ls list-sessions list-windows lsw list-panes lsp has-session has show-options list-clients list-keys list-commands info':
        READ,
      'send-keys send kill-server kill-session new-session new new-window split-window run-shell': 'exec',
    },
  },
  'vi vim nvim view ex gvim nano emacs ed pico micro hx helix code cursor subl xdg-open gedit': {
    kind: 'exec',
    any: true,
    check: 'version-only',
  },
  'gpg gpg2': {
    kind: 'unlisted',
    flags: '-k|--list-keys -K|--list-secret-keys --list-sigs --fingerprint --version --verify --list-packets',
    any: true,
    check: 'list-only',
  },
  pass: 'credential',
  'op bw lpass': 'credential',
  'bash sh dash zsh ksh mksh ash fish rbash csh tcsh': {
    kind: 'read',
    any: true,
    posix: true,
    wrapper: true,
    check: 'shell',
  },
  'source .': 'exec',
  'ffmpeg convert magick mogrify': 'write',
  'ffprobe mediainfo': READ,
  claude: 'exec',
  'codex gemini opencode aider': 'exec',
}
