import type { ProgramTable } from '../spec.ts'

/** Flags of the commands that list and show. */
const GH_READ = `-L|--limit= --json= -q|--jq= -t|--template= -w|--web -s|--state= -a|--assignee= -A|--author= -l|--label= -S|--search= -m|--milestone= --mention= --app= -B|--base= -H|--head= -d|--draft -c|--comments --comments-only -u|--user= -b|--branch= -e|--event|--env= -k|--key= -O|--order= --sort= -r|--ref= --owner= -o|--org=
  --public --private --secret --filter= --include-content --files --filename= -f --raw --language= --visibility= --topic= --source --fork --archived --no-archived --exclude-drafts --exclude-pre-releases --required --watch --fail-fast -i|--interval= --patch --name-only --color= --log --log-failed --job= -v|--verbose --exit-status --attempt= --compact -y|--yaml
  --workflow= --status= --created= --commit= --all --no-browser -n --projects --releases --settings --wiki --actions --parents -p --closed --format= --include-forks= --license= --stars= --forks= --size= --updated= --followers= --good-first-issues= --help-wanted-issues= --number-topics= --match= --extension= --path= --repo= --checks= --review= --review-requested=
  --reviewed-by= --merged --merged-at= --comments= --involves= --interactions= --reactions= --locked --no-assignee --no-label --no-milestone --no-project --include-prs --author-date= --author-email= --author-name= --committer= --committer-date= --committer-email= --committer-name= --hash= --merge --parent= --tree= --deleteAfter -D|--digest-alg= --bundle= --predicate-type=
  --signer-workflow= --signer-repo= --cert-identity= --deny-self-hosted-runners --custom-trusted-root= --no-public-good --active --hostname= --exclude= --codespace= --follow --tail= --default -C|--org-name= --no-parents --query=`
const SHOWS = { kind: 'read', flags: GH_READ, check: 'gh-shows' } as const

/** GitHub's and GitLab's command lines: looking is reading, the rest changes the forge. */
export const FORGE: ProgramTable = {
  gh: {
    globals: '-R|--repo= --hostname= --help|-h --version',
    sub: {
      pr: {
        sub: {
          'list ls view diff checks status': SHOWS,
          'create new checkout co close merge edit comment review ready reopen lock unlock update-branch revert':
            'remote',
        },
      },
      issue: {
        sub: {
          'list ls view status': SHOWS,
          'create new close comment delete develop edit lock unlock pin unpin reopen transfer': 'remote',
        },
      },
      repo: {
        sub: {
          'list ls view': SHOWS,
          'gitignore license autolink deploy-key': { sub: { 'list ls view': SHOWS } },
          'create clone fork edit archive unarchive rename sync set-default': 'remote',
          delete: 'demolish',
        },
      },
      run: {
        sub: {
          'list ls view watch': SHOWS,
          download: { kind: 'write', flags: '-D|--dir=:write' },
          'delete rerun cancel': 'remote',
        },
      },
      workflow: { sub: { 'list ls view': SHOWS, 'run enable disable': 'remote' } },
      release: {
        sub: {
          'list ls view verify verify-asset': SHOWS,
          download: { kind: 'write', flags: '-D|--dir=:write -O|--output=:write -p|--pattern=' },
          'create new delete delete-asset edit upload': 'remote',
        },
      },
      gist: {
        sub: { 'list ls view': SHOWS, 'create new edit delete rename clone': 'remote' },
      },
      search: { sub: { 'repos issues prs commits code': SHOWS } },
      cache: { sub: { 'list ls': SHOWS, delete: 'remote' } },
      'secret variable': {
        sub: { 'list ls get': SHOWS, 'set delete remove': 'remote' },
      },
      label: { sub: { 'list ls': SHOWS, 'create clone delete edit': 'remote' } },
      auth: {
        sub: {
          status: { kind: 'read', flags: '-t|--show-token!credential -a|--active --json= -h|--hostname=' },
          token: 'credential',
          'login logout refresh switch setup-git': 'system',
        },
      },
      config: { sub: { 'get list ls': SHOWS, 'set clear-cache': 'system' } },
      'codespace cs': {
        sub: {
          'list ls view logs ports': SHOWS,
          'create delete code cp jupyter rebuild ssh stop edit': 'remote',
        },
      },
      'extension extensions ext': {
        sub: {
          'list ls search browse': SHOWS,
          'install create remove upgrade exec': 'exec',
        },
      },
      alias: { sub: { 'list ls': SHOWS, 'set delete import': 'system' } },
      'ssh-key gpg-key': { sub: { 'list ls': SHOWS, 'add delete': 'remote' } },
      project: {
        sub: {
          'list ls view field-list item-list': SHOWS,
          'create delete edit copy close link unlink mark-template item-add item-create item-edit item-delete item-archive field-create field-delete':
            'remote',
        },
      },
      org: { sub: { 'list ls': SHOWS } },
      'ruleset rs': { sub: { 'list ls view check': SHOWS } },
      'attestation at': {
        sub: {
          'verify trusted-root': SHOWS,
          download: { kind: 'write', flags: '-D|--dir=:write -O|--output=:write -p|--pattern=' },
        },
      },
      'status browse version completion help': SHOWS,
      api: {
        kind: 'read',
        flags:
          '-X|--method= -f|--raw-field= -F|--field= -H|--header= -i|--include --input= -q|--jq= -t|--template= --paginate --slurp --silent --cache= -p|--preview= --verbose --hostname=',
        check: 'gh-api',
      },
      'preview agent-task copilot': 'exec',
    },
  },
  glab: {
    globals: '-R|--repo=',
    sub: {
      'mr issue release pipeline ci repo label variable snippet milestone schedule job': {
        sub: {
          'list ls view show diff status trace get search lint contributors': {
            kind: 'read',
            flags:
              '-P|--per-page= -p|--page= -F|--output= -a|--assignee= --author= -l|--label= -m|--milestone= -A|--all -c|--closed -M|--merged -d|--draft -s|--state= -S|--search= --comments -w|--web -b|--branch= -o|--order= --sort= -g|--group= -r|--reviewer= --color= -R|--repo=',
          },
          'create close merge delete update note approve rebase run retry cancel reopen checkout fork clone':
            'remote',
        },
      },
      project: { sub: { delete: 'demolish' } },
      'version help': SHOWS,
    },
  },
}
