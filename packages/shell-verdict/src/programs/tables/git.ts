import { GIT_GLOBALS } from '../../nested/git.ts'
import type { ProgramTable } from '../spec.ts'

/** What `log`, `show`, `diff` and their kind understand. */
const DIFF_FLAGS = `-p|-u|--patch -s|--no-patch -U|--unified= -W|--function-context --no-function-context --raw --patch-with-raw --patch-with-stat --numstat --shortstat -X|--dirstat? --cumulative --dirstat-by-file? --check --summary --name-only --name-status
  --stat? --stat-width= --stat-name-width= --stat-graph-width= --stat-count= --compact-summary --binary -a|--text --full-index --color? --no-color --ws-error-highlight= -z --abbrev? --no-abbrev --src-prefix= --dst-prefix= --line-prefix= --no-prefix --default-prefix --inter-hunk-context=
  --output-indicator-new= --output-indicator-old= --output-indicator-context= -B|--break-rewrites? -M|--find-renames? -D|--irreversible-delete -C|--find-copies? --find-copies-harder --no-renames --rename-empty --no-rename-empty --follow -l= --minimal -w|--ignore-all-space -b|--ignore-space-change
  --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines -I|--ignore-matching-lines= --indent-heuristic --no-indent-heuristic --patience --histogram --diff-algorithm= --anchored= --word-diff? --word-diff-regex= --color-words? --color-moved? --color-moved-ws= --no-color-moved --relative? --no-relative -R
  --exit-code --quiet --ignore-submodules? --submodule? --pickaxe-all --pickaxe-regex -O=:read --rotate-to= --skip-to= --find-object= --diff-filter= -S= -G= -m -c --cc --combined-all-paths --diff-merges= --no-diff-merges --no-ext-diff --no-textconv --textconv --ext-diff!exec --output=:write
  --cached --staged --merge-base --no-index -1 -2 -3 --base --ours --theirs -r -t --root -q --ita-invisible-in-index --ita-visible-in-index --dd --remerge-diff`
const LOG_FLAGS = `${DIFF_FLAGS} -NUM -n|--max-count= --skip= --since|--after= --until|--before= --since-as-filter= --max-age= --min-age= --author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i|--regexp-ignore-case --basic-regexp -E|--extended-regexp -F|--fixed-strings -P|--perl-regexp --remove-empty --merges
  --no-merges --min-parents= --max-parents= --first-parent --exclude-first-parent-only --not --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry
  -g|--walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --pretty? --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs
  --notes? --no-notes --show-notes? --standard-notes --show-signature --no-show-signature --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break? --count --timestamp --header --objects --objects-edge --no-object-names --object-names --use-bitmap-index --filter= --disk-usage? --decorate?
  --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --mailmap --use-mailmap --no-mailmap --log-size -L= -h`
const LOG = { kind: 'read', flags: LOG_FLAGS, args: 'read', check: 'git-shows' } as const
const DIFF = { kind: 'read', flags: DIFF_FLAGS, args: 'read', check: 'git-shows' } as const
const shows = (flags: string) => ({ kind: 'read', args: 'read', check: 'git-shows', flags }) as const
const reads = (flags: string) => ({ kind: 'read', args: 'text', flags }) as const

/** git: reading history and state, fetching; what touches the index, refs or remotes is a write or remote. */
export const GIT: ProgramTable = {
  git: {
    globals: GIT_GLOBALS,
    sub: {
      'log show whatchanged rev-list': LOG,
      diff: DIFF,
      'diff-files diff-index diff-tree': { ...LOG, flags: `${LOG_FLAGS} --no-commit-id -v` },
      'range-diff': {
        ...LOG,
        flags: `${LOG_FLAGS} --creation-factor= --no-dual-color --left-only --right-only`,
      },
      shortlog: { ...LOG, flags: `${LOG_FLAGS} --numbered --summary -e|--email --group= -w?` },
      status: reads(
        '-s|--short -b|--branch --show-stash --porcelain? --long -v|--verbose -u|--untracked-files? --ignore-submodules? --ignored? -z|--null --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?',
      ),
      describe: reads(
        '--dirty? --broken? --all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent',
      ),
      'rev-parse': reads(
        `--verify -q|--quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --glob= --exclude= --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-git-dir --is-inside-work-tree
        --is-bare-repository --is-shallow-repository --resolve-git-dir= --show-object-format? --show-ref-format --local-env-vars --since= --until= --after= --before= --path-format= --revs-only --no-revs --flags --no-flags --default= --prefix= --not --disambiguate= --sq --shared-index-path --keep-dashdash --stop-at-non-option --end-of-options`,
      ),
      'name-rev': reads(
        '--tags --refs= --exclude= --all --annotate-stdin --stdin --name-only --no-undefined --always',
      ),
      'ls-files': reads(
        '-c|--cached -d|--deleted -m|--modified -o|--others -i|--ignored -s|--stage -u|--unmerged -k|--killed --directory --no-empty-directory --eol -z -x|--exclude= -X|--exclude-from=:read --exclude-per-directory= --exclude-standard --error-unmatch --with-tree= -t -v -f --full-name --recurse-submodules --abbrev? --debug --deduplicate --format= --sparse --resolve-undo',
      ),
      'ls-tree': reads(
        '-d -r -t -l|--long -z --name-only --name-status --object-only --abbrev? --full-name --full-tree --format=',
      ),
      'ls-remote': {
        ...reads(
          '--heads|-h --branches|-b --tags|-t --refs -q|--quiet --exit-code --get-url --symref --sort= -o|--server-option= --upload-pack=!exec --exec=!exec',
        ),
        check: 'git-transport',
      },
      'cat-file': shows(
        '-t -s -e -p --textconv --filters!no --path= --batch? --batch-check? --batch-command? --batch-all-objects --buffer --unordered --allow-unknown-type --follow-symlinks --use-mailmap --no-mailmap -z -Z --filter=',
      ),
      'check-ignore check-attr check-mailmap check-ref-format': reads(
        '-q|--quiet -v|--verbose --stdin -z -n|--non-matching --no-index -a|--all --cached --source= --normalize --branch --allow-onelevel --refspec-pattern',
      ),
      'cherry merge-base': reads('-v -a|--all --octopus --independent --is-ancestor --fork-point --abbrev?'),
      'show-ref for-each-ref show-branch': reads(
        '--head --heads --branches --tags -d|--dereference -s|--hash? --abbrev? --verify -q|--quiet --exists --exclude-existing? --count= --sort= --format= --color? --shell --perl --python --tcl --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --omit-empty --stdin --exclude= --include-root-refs -a|--all -r|--remotes --current --topo-order --date-order --sparse --more= --list --merge-base --independent --no-name --sha1-name --topics -g|--reflog? --no-color',
      ),
      'count-objects fsck verify-pack verify-commit verify-tag': reads(
        '-v|--verbose -H|--human-readable --unreachable --dangling --no-dangling --root --tags --cache --reflogs --no-reflogs --connectivity-only --strict --full --no-full --name-objects --progress --no-progress --lost-found!write -s|--stat-only --raw --format=',
      ),
      'blame annotate': shows(
        '-b --root --show-stats -L= -l -t -S=:read --reverse -p|--porcelain --line-porcelain --incremental --encoding= --contents=:read --date= -M? -C? --ignore-rev= --ignore-revs-file=:read --color-lines --color-by-age --progress --no-progress --first-parent -c --score-debug -f|--show-name -n|--show-number -s -e|--show-email -w --abbrev= --minimal --since=',
      ),
      'get-tar-commit-id patch-id stripspace show-index column version help': reads(
        '--stable --unstable --verbatim -s|--strip-comments -c|--comment-lines --object-format= --command= --mode= --width= --indent= --nl= --padding= --build-options -a|--all -g|--guides -v|--verbose',
      ),
      var: reads('-l'),
      'request-pull': reads('-p'),
      reflog: { ...LOG, sub: { 'show list exists': LOG, 'expire delete drop write': 'write' } },
      grep: {
        kind: 'read',
        args: ['text', 'read'],
        firstIsPathWith: '-e -f',
        flags: `-O|--open-files-in-pager?!exec --textconv --no-textconv -e= -f=:read -A|--after-context= -B|--before-context= -C|--context= -m|--max-count= --max-depth= --threads= -I -a|--text -i|--ignore-case -w|--word-regexp -v|--invert-match -h -H --full-name -E|--extended-regexp -G|--basic-regexp -P|--perl-regexp
          -F|--fixed-strings -n|--line-number --column -l|--files-with-matches|--name-only -L|--files-without-match -z|--null -o|--only-matching -c|--count --color? --no-color --break --heading -p|--show-function -W|--function-context -q|--quiet --all-match --and --or --not --cached --no-index --untracked --no-exclude-standard
          --exclude-standard --recurse-submodules -r|--recursive --no-recursive -NUM --ext-grep!no`,
      },
      branch: {
        kind: 'read',
        flags: `-a|--all -r|--remotes -v|--verbose -vv -l|--list --show-current --contains? --no-contains? --merged? --no-merged? --sort= --points-at= --format= --color? --no-color --column? --no-column -i|--ignore-case --abbrev? --no-abbrev -q|--quiet
          -d|--delete!write -D!write -m|--move!write -M!write -c|--copy!write -C!write -f|--force!write -u|--set-upstream-to=!write --unset-upstream!write -t|--track?!write --no-track!write --edit-description!write --create-reflog!write --recurse-submodules`,
        check: 'git-branch',
      },
      tag: {
        kind: 'read',
        flags: `-l|--list -n? --contains? --no-contains? --merged? --no-merged? --sort= --points-at= --format= --color? --column? --no-column -i|--ignore-case -v|--verify
          -a|--annotate!write -s|--sign!write -u|--local-user=!write -f|--force!write -d|--delete!write -m|--message=!write -F|--file=:read!write -e|--edit!write --cleanup=`,
        check: 'git-branch',
      },
      remote: {
        kind: 'read',
        flags: '-v|--verbose',
        max: 0,
        sub: {
          'show get-url': { kind: 'read', flags: '-n --push --all' },
          'add remove rm rename set-url set-head set-branches prune': 'write',
          update: { kind: 'fetch', flags: '-p|--prune' },
        },
      },
      config: {
        kind: 'read',
        flags: `-l|--list --get --get-all --get-regexp --get-urlmatch --get-color= --get-colorbool= --show-origin --show-scope --name-only -z|--null --global --system --local --worktree -f|--file=:read --blob= --type= --bool --int --bool-or-int --path --expiry-date --includes --no-includes --default= --all --regexp= --value= --fixed-value
          --edit!write -e!write --unset!write --unset-all!write --add!write --replace-all!write --rename-section!write --remove-section!write`,
        check: 'git-config',
      },
      stash: {
        kind: 'write',
        sub: {
          'list show': LOG,
          'push save pop apply': { kind: 'write', check: 'git-write' },
          'drop clear create store branch': 'write',
        },
      },
      notes: {
        bare: 'read',
        sub: {
          'list show get-ref': { kind: 'read', flags: '--ref=' },
          'add append copy edit merge remove prune': {
            kind: 'write',
            flags:
              '-F|--file=:read -m|--message= -C= -c= -f|--force --allow-empty --separator= -s= -v -q --ref=',
          },
        },
      },
      worktree: {
        sub: {
          list: { kind: 'read', flags: '-v --porcelain -z --expire=' },
          'add remove move lock unlock prune repair': 'write',
        },
      },
      submodule: {
        bare: 'read',
        sub: {
          'status summary': {
            kind: 'read',
            flags: '--recursive --cached -q|--quiet --files -n= --summary-limit=',
          },
          'add init deinit update set-branch set-url sync absorbgitdirs foreach': 'write',
        },
      },
      bisect: {
        sub: {
          log: { kind: 'read', max: 0 },
          'view visualize': 'exec',
          'start good bad new old skip reset replay run terms': 'write',
        },
      },
      'sparse-checkout': { sub: { list: 'read', 'init set add reapply disable': 'write' } },
      bundle: {
        sub: {
          'verify list-heads': { kind: 'read', flags: '-q|--quiet' },
          create: 'write',
          unbundle: 'write',
        },
      },
      lfs: {
        flags: '--version',
        sub: {
          'status ls-files env logs version pointer': {
            kind: 'read',
            flags:
              '-l|--long -s|--size -d|--debug -a|--all -n|--name-only -j|--json -p|--porcelain --deleted -I|--include= -X|--exclude= --file= --check',
          },
          'fetch pull checkout prune install uninstall track untrack migrate lock unlock push': 'write',
          locks: 'read',
        },
      },
      'hash-object': {
        kind: 'read',
        args: 'read',
        flags: '-t= --stdin --stdin-paths --path= --no-filters --literally -w!write',
      },
      archive: {
        check: 'git-transport',
        kind: 'project',
        flags:
          '--exec=!exec -o|--output=:write --remote= --format= --prefix= --add-file=:read --add-virtual-file= --worktree-attributes --mtime= -v|--verbose -l|--list -NUM',
      },
      'format-patch': {
        kind: 'project',
        flags: `${LOG_FLAGS} -o|--output-directory=:write --cover-letter --no-cover-letter --stdout --to= --cc= -N|--no-numbered --numbered --start-number= --signoff --attach? --inline? --thread? --no-thread --in-reply-to= --subject-prefix= --rfc? -v|--reroll-count= --signature= --no-signature --suffix= --zero-commit --base= --interdiff= --range-diff= --progress --filename-max-length= -k|--keep-subject`,
      },
      difftool: 'exec',
      fetch: {
        kind: 'fetch',
        flags: `--upload-pack=!exec -u!no --update-head-ok!no -f|--force!write --refmap=!no -o|--server-option= --all --no-all -a|--append --atomic --depth= --deepen= --shallow-since= --shallow-exclude= --unshallow --update-shallow --negotiation-tip= --dry-run --porcelain -k|--keep --multiple --auto-maintenance --no-auto-maintenance
          --auto-gc --no-auto-gc --write-commit-graph --prefetch -p|--prune -P|--prune-tags -n|--no-tags -t|--tags --recurse-submodules? --no-recurse-submodules -j|--jobs= --set-upstream!write -q|--quiet -v|--verbose --progress --no-progress --show-forced-updates --no-show-forced-updates -4|--ipv4 -6|--ipv6 --filter= --refetch --stdin --write-fetch-head --no-write-fetch-head`,
        check: 'git-fetch',
      },
      rerere: {
        kind: 'write',
        sub: { 'status diff remaining': { kind: 'read', max: 0 }, 'clear forget gc': 'write' },
      },
      'maintenance gc prune repack pack-refs pack-objects prune-packed multi-pack-index commit-graph':
        'write',
      'add stage': { kind: 'write', check: 'git-write' },
      commit: {
        kind: 'write',
        check: 'git-write',
        flags:
          '-F|--file=:read -t|--template=:read --pathspec-from-file=:read -m|--message= -a|--all -p|--patch --amend --no-edit -n|--no-verify -s|--signoff -q|--quiet -v|--verbose --author= --date= -C|--reuse-message= -c|--reedit-message= --fixup= --squash= --allow-empty --allow-empty-message --no-gpg-sign -S|--gpg-sign? -u|--untracked-files? -o|--only -i|--include --dry-run --short --porcelain -e|--edit --cleanup= --trailer= --reset-author --no-post-rewrite -z|--null --status --no-status',
      },
      'merge rebase cherry-pick revert reset checkout switch restore rm mv clean am apply init clone pull update-index update-ref read-tree write-tree commit-tree replace fast-import filter-branch subtree checkout-index merge-file merge-index mailinfo quiltimport':
        { kind: 'write', check: 'git-write' },
      'symbolic-ref': {
        kind: 'read',
        max: 1,
        flags: '-q|--quiet --short --no-recurse -d|--delete!write -m=!write',
      },
      push: { kind: 'remote', check: 'git-push' },
      'send-email imap-send send-pack http-push svn p4 cvsimport': 'remote',
      'daemon instaweb credential credential-store credential-cache mergetool gui citool gitk web--browse shell upload-pack receive-pack':
        'exec',
    },
  },
  'tig lazygit gitui': 'exec',
  hub: 'unlisted',
  'git-lfs': {
    sub: {
      'status ls-files env version': { kind: 'read', flags: '-l|--long -s|--size -p|--porcelain -j|--json' },
    },
  },
}
