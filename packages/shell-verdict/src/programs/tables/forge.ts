import type { ProgramTable } from '../spec.ts'

/** GitHub's and GitLab's command lines: looking is reading, the rest changes the forge. */
export const FORGE: ProgramTable = {
  gh: {
    globals: '-R|--repo= --hostname= --help|-h --version',
    sub: {
      pr: {
        sub: {
          'list ls view diff checks status': { kind: 'read', any: true },
          'create new checkout co close merge edit comment review ready reopen lock unlock update-branch revert':
            'remote',
        },
      },
      issue: {
        sub: {
          'list ls view status': { kind: 'read', any: true },
          'create new close comment delete develop edit lock unlock pin unpin reopen transfer': 'remote',
        },
      },
      repo: {
        sub: {
          'list ls view': { kind: 'read', any: true },
          'gitignore license autolink deploy-key': { sub: { 'list ls view': { kind: 'read', any: true } } },
          'create clone fork delete edit archive unarchive rename sync set-default': 'remote',
        },
      },
      run: {
        sub: {
          'list ls view watch': { kind: 'read', any: true },
          download: { kind: 'write', any: true, flags: '-D|--dir=:write' },
          'delete rerun cancel': 'remote',
        },
      },
      workflow: { sub: { 'list ls view': { kind: 'read', any: true }, 'run enable disable': 'remote' } },
      release: {
        sub: {
          'list ls view verify verify-asset': { kind: 'read', any: true },
          download: { kind: 'write', any: true, flags: '-D|--dir=:write -O|--output=:write -p|--pattern=' },
          'create new delete delete-asset edit upload': 'remote',
        },
      },
      gist: {
        sub: { 'list ls view': { kind: 'read', any: true }, 'create new edit delete rename clone': 'remote' },
      },
      search: { sub: { 'repos issues prs commits code': { kind: 'read', any: true } } },
      cache: { sub: { 'list ls': { kind: 'read', any: true }, delete: 'remote' } },
      'secret variable': {
        sub: { 'list ls get': { kind: 'read', any: true }, 'set delete remove': 'remote' },
      },
      label: { sub: { 'list ls': { kind: 'read', any: true }, 'create clone delete edit': 'remote' } },
      auth: {
        sub: {
          status: { kind: 'read', any: true, flags: '-t|--show-token!credential' },
          token: 'credential',
          'login logout refresh switch setup-git': 'system',
        },
      },
      config: { sub: { 'get list ls': { kind: 'read', any: true }, 'set clear-cache': 'system' } },
      'codespace cs': {
        sub: {
          'list ls view logs ports': { kind: 'read', any: true },
          'create delete code cp jupyter rebuild ssh stop edit': 'remote',
        },
      },
      'extension extensions ext': {
        sub: {
          'list ls search browse': { kind: 'read', any: true },
          'install create remove upgrade exec': 'exec',
        },
      },
      alias: { sub: { 'list ls': { kind: 'read', any: true }, 'set delete import': 'system' } },
      'ssh-key gpg-key': { sub: { 'list ls': { kind: 'read', any: true }, 'add delete': 'remote' } },
      project: {
        sub: {
          'list ls view field-list item-list': { kind: 'read', any: true },
          'create delete edit copy close link unlink mark-template item-add item-create item-edit item-delete item-archive field-create field-delete':
            'remote',
        },
      },
      org: { sub: { 'list ls': { kind: 'read', any: true } } },
      'ruleset rs': { sub: { 'list ls view check': { kind: 'read', any: true } } },
      'attestation at': {
        sub: {
          'verify trusted-root': { kind: 'read', any: true },
          download: { kind: 'write', any: true, flags: '-D|--dir=:write -O|--output=:write -p|--pattern=' },
        },
      },
      'status browse version completion help': { kind: 'read', any: true },
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
          'list ls view show diff status trace get search lint contributors': { kind: 'read', any: true },
          'create close merge delete update note approve rebase run retry cancel reopen checkout fork clone':
            'remote',
        },
      },
      'version help': 'read',
    },
  },
}
