import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', any: true } as const

/** Verbs that change something, in the words of every cloud command line. */
const CHANGES = `create create-* delete delete-* update update-* set set-* add add-* remove remove-* put put-* start start-* stop stop-* restart reboot*
  terminate* modify* attach* detach* associate* disassociate* authorize* revoke* enable* disable* register* deregister* import import-* export export-*
  copy move purge purge-* restore* run invoke* publish publish-* send send-* tag-* untag-* upload upload-* deploy deploy-* undeploy cancel* reset* rotate* grant* apply*
  deallocate redeploy open-port resize* scale* failover* regenerate* renew* approve* reject* assign assign-* unassign unassign-* sync cp mv rm rb mb login logout configure upgrade
  install uninstall exec ssh scp call write patch replace* clear* move-* rename* swap* release* accept* allocate* promote* rollback* convert* undelete destroy encrypt decrypt sign*
  browse up wait execute* change* complete* confirm* initiate* admin-* batch-write* batch-delete* transact* unload* resume* suspend* submit* upsert connect*
  restart* generate-* recover* trigger* queue pause* migrate* abandon* bulk-* extend* join leave lock unlock bind unbind mount* flush* merge* provision* drain* swap activate* deactivate* init initialize* link unlink rebuild* resync*`

/** Cloud command lines: which service, then which verb. */
export const CLOUD: ProgramTable = {
  aws: {
    bare: 'unlisted',
    globals:
      '--profile= --region= --output= --query= --endpoint-url=!no --no-verify-ssl --no-paginate --color= --no-sign-request --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --no-cli-pager --cli-binary-format= --debug --no-cli-auto-prompt --version',
    verbs: {
      read: `describe-* list-* get-* head-* batch-get-* lookup-* search-* query scan select-* filter-* check-* validate-* verify-* estimate-* simulate-* detect-* test-* preview-* view-* ls tail help receive-message download-db-log-file-portion generate-credential-report decode-authorization-message generate-service-last-accessed-details list history discover-* is-* compare-* count-* resolve-*`,
      remote: CHANGES,
    },
    verbAt: 1,
    paths: {
      read: [
        'help',
        's3 ls',
        'configure list',
        'configure get',
        'configure list-profiles',
        'sts get-caller-identity',
        'sts get-access-key-info',
        'iam generate-credential-report',
      ],
      credential: [
        'sts get-session-token',
        'sts get-federation-token',
        'sts assume-role',
        'sts assume-role-with-saml',
        'sts assume-role-with-web-identity',
        'secretsmanager get-secret-value',
        'secretsmanager batch-get-secret-value',
        'ecr get-login',
        'ecr get-login-password',
        'ecr get-authorization-token',
        'ecr-public get-login-password',
        'configure export-credentials',
        'codeartifact get-authorization-token',
        'sso get-role-credentials',
        'cognito-identity get-credentials-for-identity',
        'ec2 get-password-data',
        'eks get-token',
        'rds generate-db-auth-token',
        'redshift get-cluster-credentials',
        'kms generate-data-key',
      ],
      remote: [
        'configure',
        's3',
        'lambda invoke',
        'logs start-query',
        'ssm start-session',
        'sts',
        'sso login',
        's3api get-object',
        's3api select-object-content',
        'kms decrypt',
      ],
    },
    flags:
      '--query-string= --with-decryption!credential --generate-cli-skeleton? --cli-input-json=:read --cli-input-yaml=:read',
    check: 'aws',
  },
  'az azure': {
    globals:
      '-o|--output= --query= --subscription= -g|--resource-group= --only-show-errors --verbose --debug -h|--help --version',
    verbs: {
      read: 'list list-* show show-* get get-* exists query check-* version tail validate* what-if logs url find usage view summarize',
      remote: CHANGES,
    },
    nouns: 'queue lock run tag deployment export',
    paths: {
      credential: [
        'account get-access-token',
        'keyvault secret show',
        'keyvault secret download',
        'storage account keys list',
        'storage account show-connection-string',
        'acr credential show',
        'acr token credential',
        'webapp deployment list-publishing-credentials',
        'webapp deployment list-publishing-profiles',
        'functionapp deployment list-publishing-profiles',
        'functionapp deployment list-publishing-credentials',
        'redis list-keys',
        'cosmosdb keys list',
        'cosmosdb list-connection-strings',
        'servicebus namespace authorization-rule keys list',
        'functionapp keys list',
        'cognitiveservices account keys list',
      ],
      write: [
        'aks get-credentials',
        'storage blob download',
        'storage blob download-batch',
        'storage file download',
        'storage file download-batch',
      ],
      remote: ['vm run-command', 'keyvault key download', 'rest'],
    },
    flags: '-f|--file=',
    bare: 'unlisted',
  },
  gcloud: {
    globals:
      '--project= --format= --account= --configuration= --region= --zone= --quiet -q --verbosity= --impersonate-service-account= --billing-project= --flags-file=!no --log-http --user-output-enabled= --filter= --limit= --sort-by= --page-size= -h --help --version',
    verbs: {
      read: 'list list-* describe get get-* read info version search search-* lookup tail check-* validate diff print-settings explain test-* get-value get-iam-policy ls du cat hash log help topic preview',
      remote: CHANGES,
    },
    nouns: 'run queue export import',
    paths: {
      read: [
        'components list',
        'config list',
        'config get',
        'config get-value',
        'auth list',
        'cheat-sheet',
        'info',
        'version',
        'help',
        'topic',
        'app logs read',
        'config configurations list',
      ],
      credential: [
        'auth print-access-token',
        'auth print-identity-token',
        'auth application-default print-access-token',
        'secrets versions access',
        'config config-helper',
      ],
      system: [
        'container clusters get-credentials',
        'init',
        'config set',
        'config unset',
        'components',
        'auth login',
        'auth activate-service-account',
        'auth configure-docker',
      ],
    },
    bare: 'unlisted',
  },
  gsutil: {
    globals: '-m -q -o= -D',
    sub: { 'ls cat du stat hash help version': READ, 'cp mv rm rsync mb rb setmeta acl iam': 'remote' },
  },
  bq: {
    globals: '--project_id= --format= --location= --dataset_id=',
    sub: { 'ls show head version help': READ, 'query load mk rm cp update insert extract': 'remote' },
  },
  'terraform tofu terragrunt': {
    single: true,
    globals: '-chdir= -version -help --version -v',
    sub: {
      'show validate output providers graph version modules metadata console get': {
        kind: 'read',
        any: true,
        single: true,
      },
      plan: {
        kind: 'project',
        any: true,
        single: true,
        flags: '-out=:write -generate-config-out=:write -destroy',
      },
      refresh: { kind: 'project', any: true, single: true },
      test: { kind: 'project', any: true, single: true },
      fmt: { kind: 'project', any: true, single: true },
      state: {
        sub: {
          'list show pull': { kind: 'read', any: true, single: true },
          'mv rm push replace-provider': 'remote',
        },
      },
      workspace: {
        sub: {
          'list show': READ,
          select: { kind: 'project', any: true, single: true },
          'new delete': 'remote',
        },
      },
      'apply destroy init import force-unlock taint untaint login logout': 'remote',
    },
  },
  cdk: {
    globals:
      '-a|--app= -c|--context= --profile= -v --verbose --debug --json -j -h|--help --version --strict --no-color -o|--output= -q|--quiet',
    sub: {
      'diff synth synthesize ls list doctor metadata notices': {
        kind: 'project',
        any: true,
        flags: '-a|--app=!exec',
      },
      'docs doc version': READ,
      context: { kind: 'project', flags: '-j|--json --clear!write --reset=!write -e!write' },
      'deploy destroy bootstrap init import migrate watch gc refactor rollback drift': 'remote',
    },
  },
  pulumi: {
    globals: '-s= --stack= -C= --cwd= --non-interactive --color=',
    sub: {
      'about version whoami logs': READ,
      preview: { kind: 'project', any: true },
      stack: {
        kind: 'read',
        flags: '-i --show-urns --show-ids --show-name -s= --show-secrets!credential',
        sub: { 'ls output history graph': { kind: 'read', any: true, flags: '--show-secrets!credential' } },
      },
      config: { kind: 'read', flags: '--json', sub: { get: 'credential' } },
    },
  },
  packer: {
    single: true,
    flags: '-v -version --version -machine-readable',
    sub: {
      'validate inspect version console': { kind: 'read', any: true, single: true, args: 'read' },
      fmt: {
        kind: 'write',
        any: true,
        single: true,
        flags: '-write= -check -diff -recursive',
        check: 'packer-fmt',
      },
      plugins: { sub: { 'required installed': READ, 'install remove': 'exec' } },
      'build init fix hcl2_upgrade': 'remote',
    },
  },
  'ansible-playbook': {
    kind: 'remote',
    any: true,
    flags: '--syntax-check --list-hosts --list-tasks --list-tags --check|-C -h|--version',
    check: 'check-only',
  },
  ansible: { kind: 'remote', any: true, flags: '--list-hosts --check|-C -h|--version', check: 'check-only' },
  'ansible-pull': {
    kind: 'remote',
    any: true,
    flags: '--check|-C --list-hosts -h|--version',
    check: 'check-only',
  },
  'ansible-console': { kind: 'remote', any: true, flags: '--list-hosts -h|--version', check: 'check-only' },
  'ansible-vault': {
    sub: { view: { kind: 'read', any: true }, 'create edit encrypt encrypt_string decrypt rekey': 'write' },
  },
  'ansible-galaxy': {
    sub: {
      'role collection': {
        sub: {
          'list search info verify': READ,
          'install remove init delete setup import build publish download': 'exec',
        },
      },
      'list search info': READ,
      'install remove init delete setup import': 'exec',
    },
  },
  'ansible-inventory': { kind: 'read', any: true, flags: '--output=:write' },
  'ansible-doc ansible-config': {
    kind: 'read',
    any: true,
    sub: { 'list dump view validate': READ, init: 'write' },
  },
  'ansible-lint': { kind: 'read', any: true, flags: '--fix?!write --write?!write -r= -R' },
  'ansible-test': {
    sub: {
      'sanity units env': { kind: 'project', any: true },
      'integration network-integration windows-integration shell coverage': 'exec',
    },
  },
  auth0: {
    globals: '--tenant= -t= --debug --no-color --no-input --json --csv -h|--help -v|--version',
    bare: 'unlisted',
    verbs: {
      read: 'list ls show get search search-by-email tail diff stats',
      remote: `create update delete rm import download enable disable deploy customize login logout use open token post put patch assign add remove set regenerate rotate trigger redeliver switch apply`,
    },
    paths: {
      read: ['tenants list'],
      credential: ['test token'],
      remote: ['test', 'quickstarts download', 'qs download'],
    },
    sub: { api: { kind: 'read', any: true, flags: '-d|--data= -q|--query=', check: 'auth0-api' } },
  },
  'doctl heroku flyctl fly vercel netlify railway render wrangler firebase supabase': {
    globals: '-a= --app= -c= --config= --json -j --verbose --version -t= --access-token= -o= --output=',
    verbs: {
      read: 'list ls get show status info logs whoami version inspect ps help regions releases',
      remote: CHANGES,
      credential: 'token config:get ',
    },
  },
  prometheus: { kind: 'system', any: true, check: 'version-only' },
  promtool: { sub: { check: READ, query: READ } },
  vault: { globals: '-address= -namespace=', sub: { 'status version': READ, 'read kv token': 'credential' } },
  consul: { sub: { 'members info catalog version': READ } },
  nomad: {
    sub: { 'status version': READ, 'node job alloc': { sub: { 'status inspect history logs': READ } } },
  },
}
