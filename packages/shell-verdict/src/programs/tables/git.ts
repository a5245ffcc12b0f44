import { GIT_GLOBALS } from '../../nested/git.ts'
import type { ProgramTable } from '../spec.ts'

const SHOW = {
  kind: 'read',
  any: true,
  flags: '--output=:write --ext-diff!exec -O= --textconv',
  args: 'text',
} as const

/** git: reading history and state, fetching; what touches the index, refs or remotes is a write or remote. */
export const GIT: ProgramTable = {
  git: {
    globals: GIT_GLOBALS,
    sub: {
      'status diff-files diff-index diff-tree describe rev-parse rev-list name-rev ls-files ls-tree ls-remote cat-file check-ignore check-attr check-mailmap check-ref-format cherry merge-base merge-tree show-ref for-each-ref var count-objects fsck whatchanged shortlog blame annotate range-diff get-tar-commit-id patch-id stripspace verify-commit verify-tag verify-pack show-branch show-index column help version request-pull':
        {
          ...SHOW,
          flags:
            '--output=:write --ext-diff!exec -O= --filters!no --upload-pack=!exec --exec=!exec --in-place!write --edit!write --lost-found!write',
          check: 'git-transport',
        },
      'log show': SHOW,
      diff: { ...SHOW, args: 'read' },
      reflog: {
        kind: 'read',
        any: true,
        sub: { 'show list exists': SHOW, 'expire delete drop write': { kind: 'write', any: true } },
      },
      grep: {
        kind: 'read',
        any: true,
        args: ['text', 'read'],
        firstIsPathWith: '-e -f',
        flags:
          '-O|--open-files-in-pager?!exec --textconv -e= -f=:read -A= -B= -C= -m= --max-depth= --threads= -I',
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
          -a|--annotate!write -s|--sign!write -u|--local-user=!write -f|--force!write -d|--delete!write -m|--message=!write -F|--file=!write -e|--edit!write --cleanup=`,
        check: 'git-branch',
      },
      remote: {
        kind: 'read',
        flags: '-v|--verbose',
        max: 0,
        sub: {
          'show get-url': { kind: 'read', any: true },
          'add remove rm rename set-url set-head set-branches prune': 'write',
          update: 'fetch',
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
        any: true,
        sub: {
          'list show': SHOW,
          'push save pop apply': { kind: 'write', any: true, check: 'git-write' },
          'drop clear create store branch': 'write',
        },
      },
      notes: {
        bare: 'read',
        sub: {
          'list show get-ref': { kind: 'read', any: true },
          'add append copy edit merge remove prune': 'write',
        },
      },
      worktree: { sub: { list: 'read', 'add remove move lock unlock prune repair': 'write' } },
      submodule: {
        bare: 'read',
        sub: {
          'status summary': 'read',
          'add init deinit update set-branch set-url sync absorbgitdirs foreach': 'write',
        },
      },
      bisect: {
        sub: { 'log view visualize': 'read', 'start good bad new old skip reset replay run terms': 'write' },
      },
      'sparse-checkout': { sub: { list: 'read', 'init set add reapply disable': 'write' } },
      bundle: { sub: { 'verify list-heads': 'read', create: 'write', unbundle: 'write' } },
      lfs: {
        flags: '--version',
        sub: {
          'status ls-files env logs version pointer': 'read',
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
        any: true,
        flags: '--exec=!exec -o|--output=:write --remote= --format= --prefix= --add-file=:read -v -l|--list',
      },
      'format-patch': {
        kind: 'project',
        any: true,
        flags:
          '-o|--output-directory=:write --output=:write --cover-letter --stdout --to= --cc= --ext-diff!exec',
      },
      difftool: { kind: 'read', any: true, flags: '-x|--extcmd=!exec -t|--tool=!exec -g --gui!exec' },
      fetch: {
        kind: 'fetch',
        any: true,
        flags:
          '--upload-pack=!exec -u!no --update-head-ok!no -f|--force!write --refmap=!no -o= --server-option=',
        check: 'git-fetch',
      },
      rerere: {
        kind: 'write',
        any: true,
        sub: { 'status diff remaining': 'read', 'clear forget gc': 'write' },
      },
      'maintenance gc prune repack pack-refs pack-objects prune-packed multi-pack-index commit-graph':
        'write',
      'add stage': { kind: 'write', any: true, check: 'git-write' },
      'commit merge rebase cherry-pick revert reset checkout switch restore rm mv clean am apply init clone pull update-index update-ref read-tree write-tree commit-tree replace fast-import filter-branch subtree checkout-index merge-file merge-index mailinfo quiltimport':
        { kind: 'write', any: true, check: 'git-write' },
      'symbolic-ref': {
        kind: 'read',
        max: 1,
        flags: '-q|--quiet --short --no-recurse -d|--delete!write -m=!write',
      },
      push: { kind: 'remote', any: true, check: 'git-push' },
      'send-email imap-send send-pack http-push svn p4 cvsimport': 'remote',
      'daemon instaweb credential credential-store credential-cache mergetool gui citool gitk web--browse shell upload-pack receive-pack':
        'exec',
    },
  },
  'tig lazygit gitui': 'exec',
  hub: 'unlisted',
  'git-lfs': { sub: { 'status ls-files env version': 'read' } },
}
