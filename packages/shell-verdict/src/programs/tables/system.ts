import type { ProgramTable } from '../spec.ts'

/** Services, packages and processes of the machine. */
export const SYSTEM: ProgramTable = {
  systemctl: {
    globals:
      '--user --system -a|--all -t|--type= --state= --no-pager -l|--full -n= -o|--output= -q|--quiet -p|--property= --failed --no-legend --plain -r --value --version -h|--help',
    bare: 'read',
    sub: {
      'show-environment': 'credential',
      'status list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines show cat is-active is-enabled is-failed is-system-running get-default help':
        {
          kind: 'read',
          flags:
            '-a|--all -t|--type= --state= --no-pager -l|--full -n|--lines= -o|--output= -q|--quiet -p|--property= -P= --failed --no-legend --plain -r|--recursive --value --reverse --after --before --with-dependencies --job-mode= --show-types -s= --legend= --timestamp= -j',
        },
      'start stop restart reload enable disable mask unmask daemon-reload kill edit set-property isolate reboot poweroff halt suspend reset-failed link set-default':
        'system',
    },
  },
  journalctl: {
    kind: 'read',
    flags:
      '-u|--unit= --user-unit= -t|--identifier= -p|--priority= -g|--grep= --case-sensitive? --facility= -k|--dmesg -b|--boot? --list-boots -n|--lines? -f|--follow --no-tail -r|--reverse -o|--output= --output-fields= --utc -x|--catalog --no-full -l|--full -a|--all -q|--quiet --no-hostname -m|--merge -S|--since= -U|--until= -c|--cursor= --after-cursor= --show-cursor -D|--directory=:read --file=:read --root= --image= --namespace= --system --user --interval= --header --disk-usage --verify --list-catalog --dump-catalog -F|--field= -N|--fields --no-pager -e|--pager-end --truncate-newline -h|--help --version -NUM -T|--exclude-identifier= -M|--machine= -i= --list-namespaces --vacuum-size=!system --vacuum-time=!system --vacuum-files=!system --rotate!system --flush!system --sync!system --relinquish-var!system --smart-relinquish-var!system --setup-keys!system --update-catalog!system --cursor-file=:write',
  },
  dmesg: {
    kind: 'read',
    flags:
      '-C|--clear!system -c|--read-clear!system -D|--console-off!system -E|--console-on!system -n=!system --console-level=!system -f|--facility= -l|--level= -F|--file=:read -s= --since= --until= --time-format= -T|--ctime -H|--human -w|--follow -W|--follow-new -L|--color? -x|--decode -r|--raw -t|--notime -u|--userspace -k|--kernel -d|--show-delta -e|--reltime -P|--nopager -p|--force-prefix -S|--syslog -J|--json --noescape -h|--help -V|--version',
  },
  sysctl: {
    kind: 'read',
    flags:
      '-w|--write!system -p|--load?!system --system!system -f!system -a|-A|-X|--all -n|--values -N|--names -e|--ignore -q|--quiet -b|--binary -r|--pattern= --deprecated -d -h|--help -V|--version -o -x -l -t -i',
    check: 'sysctl',
  },
  'kill pkill killall skill xkill renice shutdown reboot poweroff halt init telinit': {
    kind: 'system',
  },
  'service update-rc.d chkconfig rc-service': 'system',
  crontab: { kind: 'system', flags: '-l', check: 'list-only' },
  'apt apt-get aptitude': {
    globals: '-q -qq -y --yes -o|--option=!no -c|--config-file=!no',
    sub: {
      'list show search policy depends rdepends showsrc madison changelog': {
        kind: 'read',
        flags:
          '-a|--all-versions|--all -n|--names-only -f|--full --installed --upgradable|--upgradeable --manual-installed -v|--verbose -i|--important --no-recommends --recurse -q|--quiet --no-suggests',
      },
      'install remove purge update upgrade dist-upgrade full-upgrade autoremove autoclean clean source build-dep download edit-sources':
        'system',
    },
  },
  'apt-cache': {
    kind: 'read',
    flags:
      '-o|--option=!no -c|--config-file=!no -n|--names-only -f|--full -a|--all-versions -i|--important --installed --recurse -q|--quiet --no-recommends --no-suggests -h --help --version',
  },
  dpkg: {
    kind: 'system',
    flags:
      '-l|--list -L|--listfiles -s|--status -S|--search -p|--print-avail --get-selections --print-architecture -I|--info -c|--contents --compare-versions --version',
    check: 'list-only',
  },
  'dpkg-query': {
    kind: 'read',
    flags:
      '-l|--list -W|--show -s|--status -L|--listfiles -S|--search -p|--print-avail -c|--control-path --control-list= --control-show= -f|--showformat= --no-pager --admindir=!no --version --help',
  },
  'yum dnf microdnf zypper pacman apk': {
    kind: 'system',
    sub: {
      'list info search repolist provides repoquery se if lr lu history check-update': {
        kind: 'read',
        flags:
          '-q|--quiet -v|--verbose -a|--all --installed --available --updates --showduplicates --enablerepo= --disablerepo= -C|--cacheonly --list --requires --whatrequires= --provides --whatprovides= --info -s -i -l --qf= --refresh!system',
      },
    },
  },
  rpm: {
    kind: 'system',
    flags:
      '-q|--query -a|--all -i|--info -l|--list -f|--file -d|--docfiles -c|--configfiles -R|--requires --provides --changelog -p|--package --qf|--queryformat= --last -v --scripts -g|--group= --whatprovides= --whatrequires= -V|--verify --version --nosignature --nodigest',
    check: 'rpm',
  },
  'snap flatpak': {
    sub: {
      'list info find search version': {
        kind: 'read',
        flags: '--all --verbose --app --runtime --columns= --user --system --show-details',
      },
      'install remove refresh update run': 'system',
    },
  },
  brew: {
    flags:
      '--cache --cellar --caskroom --prefix --repo --repository --env --version|-v --help|-h --taps --config --HEAD --build-from-source -s --installed --formula --cask --force-bottle --os= --arch= --unbrewed',
    bare: 'unlisted',
    check: 'brew',
    kind: 'unlisted',
    sub: {
      'info abv list ls search deps desc descriptions leaves uses outdated missing config doctor dr options tap-info formulae casks log cat commands help home homepage shellenv which-formula formula command docs unbottled --cache --cellar --caskroom --prefix --repo --repository --env --version':
        {
          kind: 'read',
          check: 'brew-read',
          flags: `--formula|--formulae --cask|--casks -v|--verbose -q|--quiet -d|--debug|--description --json? --installed --installed-on-request --installed-as-dependency --full-name --versions --multiple --pinned -1 -l -r|--reverse|--recursive -t --analytics --days= --category= --github --fetch-manifest --eval-all --all -n|--name|--max-count= --topological --1 --direct --union --for-each --tree --graph --dot --annotate
            --missing --include-build --include-optional --include-test --include-implicit --include-requirements --skip-recommended --declared --os= --arch= -s|--search|--build-from-source --HEAD --bottle-tag= --force-bottle --fetch-HEAD -g|--greedy --greedy-latest --greedy-auto-updates --minimum-version= --hide= --audit-debug -D --list-checks --compact --command= -p|--patch --stat --oneline --open --closed --pull-request
            --desc --fedora --debian --ubuntu --arch-linux --repology --macports --fink --opensuse --archlinux --include-aliases --unbrewed -h|--help --taps --config`,
        },
      fetch: {
        kind: 'fetch',
        flags:
          '--deps -f|--force -s|--build-from-source -v|--verbose -q|--quiet --HEAD --retry --formula|--formulae --cask|--casks --build-bottle --force-bottle --bottle-tag= --os= --arch=',
      },
      analytics: { kind: 'system', bare: 'read', sub: { state: { kind: 'read' } } },
      // A Brewfile is Ruby code.
      bundle: 'exec',
      'install uninstall remove rm reinstall upgrade update up tap untap link ln unlink pin unpin cleanup autoremove migrate edit create gist-logs services developer audit bottle bump-formula-pr test style vendor-install postinstall':
        'system',
    },
  },
  'nix nix-env nix-store': {
    sub: {
      'show-config path-info': {
        kind: 'read',
        flags: '--json -r|--recursive -s|--size -S|--closure-size -h|--human-readable',
      },
    },
  },
  'mount umount swapon swapoff modprobe insmod rmmod losetup cryptsetup lvm': {
    kind: 'system',
    check: 'bare-only',
  },
  'useradd userdel usermod groupadd groupdel passwd chpasswd visudo chsh adduser deluser': 'system',
  'timedatectl hostnamectl loginctl localectl resolvectl networkctl': {
    bare: 'read',
    globals: '--no-pager -p=',
    sub: {
      'status show list-timezones list-sessions list-users list-keymaps list-locales query session-status user-status list show-session show-user timesync-status statistics':
        {
          kind: 'read',
          flags: '-p|--property= -a|--all -l|--full --value --no-pager --no-legend -n= -o= -s',
        },
      'set-timezone set-time set-ntp set-hostname set-locale': 'system',
    },
  },
  tmux: {
    globals: '-L= -S=:read -u -2 -f=!no -c=!exec -C!exec -CC!exec -V',
    sub: {
      'ls list-sessions list-windows lsw list-panes lsp has-session has show-options show list-clients lsc list-commands lscm list-buffers lsb info':
        { kind: 'read', check: 'tmux', flags: '-t= -F= -f= -a -s -g -A -q -v -w -p -H -J -T -I' },
      'show-environment showenv': 'credential',
      'display-message display': { kind: 'exec', check: 'tmux-display', flags: '-p -t= -F= -a -v' },
      'capture-pane capturep': {
        kind: 'exec',
        check: 'tmux-display',
        flags: '-p -t= -S= -E= -e -J -N -C -a -q -T',
      },
      'send-keys send kill-server kill-session new-session new new-window neww split-window splitw run-shell run if-shell if source-file source pipe-pane pipep set-option set set-hook bind-key bind respawn-pane respawn-window attach-session attach a kill-pane kill-window':
        'exec',
    },
  },
  screen: { kind: 'exec', single: true, flags: '-ls -list -v', check: 'list-only' },
  'vi vim nvim view ex gvim nano emacs ed pico micro hx helix code cursor subl xdg-open gedit': {
    kind: 'exec',
    check: 'version-only',
  },
  'gpg gpg2': {
    kind: 'unlisted',
    flags: '-k|--list-keys -K|--list-secret-keys --list-sigs --fingerprint --version --verify --list-packets',
    check: 'list-only',
  },
  pass: 'credential',
  'op bw lpass': 'credential',
  'ffmpeg convert magick mogrify': 'write',
  'ffprobe mediainfo': {
    kind: 'read',
    check: 'media',
    single: true,
    args: 'read',
    flags:
      '-v= -loglevel= -show_format -show_streams -show_entries= -print_format= -of= -hide_banner -select_streams= -i=:read -count_frames -show_frames -show_packets -show_chapters --Output= --Full --Version -version -h',
  },
  claude: 'exec',
  'codex gemini opencode aider': 'exec',
}
