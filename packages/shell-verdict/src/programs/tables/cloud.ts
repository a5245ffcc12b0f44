import type { ProgramTable } from '../spec.ts'

/** Verbs that change something, in the words of every cloud command line. */
const CHANGES = `create create-* delete delete-* update update-* set set-* add add-* remove remove-* put put-* start start-* stop stop-* restart reboot*
  terminate* modify* attach* detach* associate* disassociate* authorize* revoke* enable* disable* register* deregister* import import-* export export-*
  copy move purge purge-* restore* run invoke* publish publish-* send send-* tag-* untag-* upload upload-* deploy deploy-* undeploy cancel* reset* rotate* grant* apply*
  deallocate redeploy open-port resize* scale* failover* regenerate* renew* approve* reject* assign assign-* unassign unassign-* sync cp mv rm rb mb login logout configure upgrade
  install uninstall exec ssh scp call write patch replace* clear* move-* rename* swap* release* accept* allocate* promote* rollback* convert* undelete destroy encrypt decrypt sign*
  browse up wait execute* change* complete* confirm* initiate* admin-* batch-write* batch-delete* transact* unload* resume* suspend* submit* upsert connect*
  restart* generate-* recover* trigger* queue pause* migrate* abandon* bulk-* extend* join leave lock unlock bind unbind mount* flush* merge* provision* drain* swap activate* deactivate* init initialize* link unlink rebuild* resync*`

/** Flags of Terraform's commands that show. */
const TERRAFORM = {
  kind: 'read',
  single: true,
  flags:
    '-json -no-color -raw -state= -type= -draw-cycles -plan= -module-depth= -no-tests -test-directory= -platform= -id= -help',
} as const

/** Those that start the providers, which are programs below the project's `.terraform`, or ask the backend that its settings name. */
const TERRAFORM_PROVIDERS = { ...TERRAFORM, kind: 'project' } as const

/** Cloud command lines: which service, then which verb. */
export const CLOUD: ProgramTable = {
  aws: {
    parameters: true,
    bare: 'unlisted',
    globals:
      '--profile= --region= --output= --query= --endpoint-url=!no --no-verify-ssl --no-paginate --color= --no-sign-request --ca-bundle= --cli-read-timeout= --cli-connect-timeout= --no-cli-pager --cli-binary-format= --debug --no-cli-auto-prompt --version',
    verbs: {
      read: `describe-* list-* get-* head-* batch-get-* lookup-* search-* query scan select-* filter-* check-* validate-* verify-* estimate-* simulate-* detect-* test-* preview-* view-* ls tail help receive-message download-db-log-file-portion generate-credential-report decode-authorization-message generate-service-last-accessed-details list history discover-* is-* compare-* count-* resolve-*`,
      remote: CHANGES,
    },
    verbAt: 1,
    paths: {
      demolish: [
        's3 rb',
        's3api delete-bucket',
        'rds delete-db-*',
        'rds delete-global-cluster',
        'dynamodb delete-table',
        'ec2 terminate-instances',
        'ec2 delete-volume',
        'ec2 delete-snapshot',
        'ec2 delete-vpc',
        'cloudformation delete-stack',
        'eks delete-*',
        'ecs delete-*',
        'ecr delete-repository',
        'elasticache delete-*',
        'redshift delete-*',
        'opensearch delete-domain',
        'docdb delete-*',
        'neptune delete-*',
        'efs delete-file-system',
        'fsx delete-*',
        'backup delete-*',
        'glacier delete-*',
        'kms schedule-key-deletion',
        'kms disable-key',
        'secretsmanager delete-secret',
        'route53 delete-hosted-zone',
        'cognito-idp delete-user-pool',
        'lambda delete-function',
        'sns delete-topic',
        'sqs delete-queue',
        'sqs purge-queue',
        'kinesis delete-stream',
        'logs delete-log-group',
        'iam delete-*',
        'organizations close-account',
        'organizations leave-organization',
      ],
      read: [
        'help',
        's3 ls',
        'configure list',
        'configure get region',
        'configure get output',
        'configure get sso_region',
        'configure get default.region',
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
        'configure get',
        'apigateway get-api-keys',
        'appsync list-api-keys',
        'lightsail get-instance-access-details',
        'gamelift get-compute-auth-token',
        'connect get-federation-token',
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
    parameters: true,
    globals:
      '-o|--output= --query= --subscription= -g|--resource-group= --only-show-errors --verbose --debug -h|--help --version',
    verbs: {
      read: 'list list-* show show-* get get-* exists query check-* version tail validate* what-if logs url find usage view summarize',
      remote: CHANGES,
    },
    nouns: 'queue lock run tag deployment export',
    paths: {
      demolish: [
        'group delete',
        'vm delete',
        'vmss delete',
        'disk delete',
        'snapshot delete',
        'aks delete',
        'acr delete',
        'acr repository delete',
        'sql db delete',
        'sql server delete',
        'sql mi delete',
        'mysql server delete',
        'mysql flexible-server delete',
        'postgres server delete',
        'postgres flexible-server delete',
        'cosmosdb delete',
        'redis delete',
        'storage account delete',
        'storage container delete',
        'storage share delete',
        'storage blob delete-batch',
        'keyvault delete',
        'keyvault purge',
        'keyvault key delete',
        'keyvault secret delete',
        'webapp delete',
        'functionapp delete',
        'network vnet delete',
        'network dns zone delete',
        'eventhubs namespace delete',
        'servicebus namespace delete',
        'backup vault delete',
        'ad app delete',
        'ad sp delete',
        'ad user delete',
        'deployment-stack delete',
        'resource delete',
      ],
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
        'eventhubs namespace authorization-rule keys list',
        'eventhubs eventhub authorization-rule keys list',
        'maps account keys list',
        'batch account keys list',
        'search admin-key show',
        'signalr key list',
        'iot hub connection-string show',
        'containerapp secret list',
        'containerapp secret show',
        'staticwebapp secrets list',
        'communication list-key',
        'network vpn-connection shared-key show',
        'webapp config appsettings list',
        'webapp config connection-string list',
        'functionapp config appsettings list',
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
    check: 'az',
    bare: 'unlisted',
  },
  gcloud: {
    parameters: true,
    globals:
      '--project= --format= --account= --configuration= --region= --zone= --quiet -q --verbosity= --impersonate-service-account= --billing-project= --flags-file=!no --log-http --user-output-enabled= --filter= --limit= --sort-by= --page-size= -h --help --version',
    verbs: {
      read: 'list list-* describe get get-* read info version search search-* lookup tail check-* validate diff print-settings explain test-* get-value get-iam-policy ls du cat hash log help topic preview',
      remote: CHANGES,
    },
    nouns: 'run queue export import',
    paths: {
      demolish: [
        'projects delete',
        'sql instances delete',
        'sql databases delete',
        'sql backups delete',
        'container clusters delete',
        'container images delete',
        'artifacts repositories delete',
        'compute instances delete',
        'compute disks delete',
        'compute snapshots delete',
        'compute images delete',
        'compute networks delete',
        'compute instance-groups managed delete',
        'storage buckets delete',
        'storage rm',
        'spanner instances delete',
        'spanner databases delete',
        'bigtable instances delete',
        'firestore databases delete',
        'redis instances delete',
        'filestore instances delete',
        'dns managed-zones delete',
        'kms keys versions destroy',
        'secrets delete',
        'pubsub topics delete',
        'run services delete',
        'functions delete',
        'app services delete',
        'dataproc clusters delete',
        'iam service-accounts delete',
        'organizations delete',
      ],
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
        'redis instances get-auth-string',
        'services api-keys get-key-string',
        'api-keys get-key-string',
        'config get auth/*',
        'config get-value auth/*',
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
    globals: '-m -q -o=!no -D',
    sub: {
      'ls cat du stat hash help version': {
        kind: 'read',
        flags: '-l -L -a -h -r -R -b -d -p= -s -c -m -t -e -X=:read -n',
      },
      'cp mv rsync mb setmeta acl iam': 'remote',
      rb: 'demolish',
      rm: { kind: 'remote', flags: '-r!demolish -R!demolish -a!demolish -f -I' },
    },
  },
  bq: {
    globals: '--project_id= --format= --location= --dataset_id=',
    sub: {
      'ls show head version help': {
        kind: 'read',
        flags:
          '-j -a -d -m -n|--max_results= --schema --view --format= -p -r --filter= -t --table --dataset --job --start_row= --selected_fields=',
      },
      'query load mk cp update insert extract': 'remote',
      rm: { kind: 'remote', flags: '-r!demolish -d!demolish -f -t --table' },
    },
  },
  'terraform tofu terragrunt': {
    single: true,
    globals: '-chdir= -version -help --version -v',
    sub: {
      'version modules': TERRAFORM,
      'show validate graph': TERRAFORM_PROVIDERS,
      // Values that are kept out of its own listing are printed by name, and as data.
      output: {
        ...TERRAFORM_PROVIDERS,
        flags: `${TERRAFORM.flags} -raw!credential -json!credential`,
      },
      metadata: { sub: { functions: TERRAFORM } },
      providers: {
        ...TERRAFORM_PROVIDERS,
        max: 0,
        sub: { schema: TERRAFORM_PROVIDERS, 'lock mirror': 'remote' },
      },
      // They run the configuration: a provider and an external data source are programs.
      'console get refresh test': 'build',
      plan: {
        kind: 'project',
        single: true,
        flags:
          '-out=:write -generate-config-out=:write -destroy -json -no-color -var= -var-file=:read -target= -refresh= -refresh-only -replace= -input= -lock= -lock-timeout= -compact-warnings -detailed-exitcode -parallelism= -state= -exclude= -concise',
      },
      fmt: { kind: 'project', single: true, flags: '-diff -list= -write= -check -recursive -no-color' },
      state: {
        sub: {
          'list show': TERRAFORM_PROVIDERS,
          pull: 'credential',
          'mv rm push replace-provider': 'remote',
        },
      },
      workspace: {
        sub: {
          show: TERRAFORM,
          list: TERRAFORM_PROVIDERS,
          select: { kind: 'project', single: true, flags: '-or-create? -no-color' },
          'new delete': 'remote',
        },
      },
      destroy: { kind: 'remote', single: true, flags: '-auto-approve?!demolish' },
      apply: { kind: 'remote', single: true, flags: '-auto-approve? -destroy?', check: 'terraform-apply' },
      'init import force-unlock taint untaint login logout': 'remote',
    },
  },
  cdk: {
    globals:
      '-a|--app=!exec -c|--context= --profile= -v --verbose --debug --json -j -h|--help --version --strict --no-color -o|--output= -q|--quiet',
    sub: {
      'diff synth synthesize ls list doctor metadata notices': {
        kind: 'project',
        flags:
          '-a|--app=!exec --security-only --fail --template= --context-lines= --strict -e|--exclusively --validation --long --show-dependencies --all --include-nested -l --no-staging --asset-metadata --no-notices --notices --path-metadata --version-reporting --ci --trace --proxy= --no-lookups --lookups --change-set --no-change-set --unacknowledged',
      },
      'docs doc version': { kind: 'read', max: 0 },
      context: { kind: 'project', flags: '-j|--json --clear!write --reset=!write -e!write' },
      'deploy bootstrap init import migrate watch gc refactor rollback drift': 'remote',
      destroy: { kind: 'remote', flags: '-f|--force!demolish' },
    },
  },
  pulumi: {
    globals: '-s= --stack= -C= --cwd= --non-interactive --color=',
    sub: {
      'about version whoami logs': {
        kind: 'read',
        flags: '-j|--json -v -f|--follow --since= -t= --resource=',
      },
      destroy: { kind: 'remote', flags: '-y|--yes!demolish -f|--skip-preview!demolish' },
      preview: {
        kind: 'project',
        flags:
          '-j|--json --diff -r|--refresh? -t|--target= --target-dependents -p|--parallel= --suppress-outputs --show-config --show-reads --show-replacement-steps --show-sames -m|--message= --expect-no-changes --policy-pack=!exec --import-file=:write --save-plan=:write -c|--config=',
      },
      stack: {
        kind: 'read',
        flags: '-i --show-urns --show-ids --show-name -s= --show-secrets!credential',
        sub: {
          'ls output history graph': {
            kind: 'read',
            flags: '--show-secrets!credential -j|--json -a|--all --full-dates -p= -o= -t= --shell',
          },
        },
      },
      config: { kind: 'read', flags: '--json', sub: { get: 'credential' } },
    },
  },
  packer: {
    single: true,
    flags: '-v -version --version -machine-readable',
    sub: {
      'validate inspect version': {
        kind: 'project',
        single: true,
        args: 'read',
        flags:
          '-var= -var-file=:read -machine-readable -syntax-only -except= -only= -evaluate-datasources!exec -no-warn-undeclared-var -ignore-prerelease-plugins -use-sequential-evaluation',
      },
      console: 'build',
      fmt: {
        kind: 'write',
        single: true,
        flags: '-write= -check -diff -recursive',
        check: 'packer-fmt',
      },
      plugins: { sub: { 'required installed': { kind: 'read' }, 'install remove': 'exec' } },
      'build init fix hcl2_upgrade': 'remote',
    },
  },
  // A playbook and an inventory may hold lookups that run programs; only listing and parsing does not evaluate them.
  'ansible-playbook': {
    kind: 'remote',
    flags:
      '--syntax-check --list-hosts --list-tasks --list-tags -i|--inventory=!exec -l|--limit= -t|--tags= --skip-tags= -e|--extra-vars=!no -v|--verbose -f|--forks= -u|--user= -b|--become -D|--diff -h|--help --version --check|-C!remote',
    check: 'ansible-lists',
  },
  'ansible ansible-console': {
    kind: 'remote',
    flags: '--list-hosts -i|--inventory=!exec -l|--limit= -v|--verbose -h|--help --version',
    check: 'ansible-lists',
  },
  'ansible-pull': 'exec',
  'ansible-vault': {
    sub: { view: 'credential', 'create edit encrypt encrypt_string decrypt rekey': 'write' },
  },
  'ansible-galaxy': {
    globals: '-v|--verbose -vvv -h|--help --version',
    sub: {
      'role collection': {
        sub: {
          'list search info verify': {
            kind: 'read',
            flags: '-p= --format= --author= --platforms= --galaxy-tags= -s|--server= --offline',
          },
          'install remove init delete setup import build publish download': 'exec',
        },
      },
      'list search info': {
        kind: 'read',
        flags: '-p= --author= --platforms= --galaxy-tags= -s|--server= --offline',
      },
      'install remove init delete setup import': 'exec',
    },
  },
  // An inventory may be a program.
  'ansible-inventory': {
    kind: 'project',
    flags:
      '--output=:write -i|--inventory=!exec --list --host= --graph --yaml -y --toml --export --vars -l|--limit= -v -h|--help --version',
  },
  'ansible-doc ansible-config': {
    kind: 'read',
    flags:
      '-l|--list -F|--list_files -s|--snippet -j|--json -t|--type= --metadata-dump -r|--roles-path= -e= -v|--verbose -h|--help --version --only-changed --format= -c|--config=!no -M=!no --playbook-dir=!no',
    sub: {
      'list dump view validate': { kind: 'read', flags: '--only-changed --format= -t|--type= -f= -v' },
      init: 'write',
    },
  },
  'ansible-lint': {
    kind: 'project',
    flags:
      '--fix?!write --write?!write -r=!exec -R -p|--parseable -q -v --offline -x= -w= -t= -T -L -f= --strict --profile= --exclude= -c=!no --nocolor --version -h|--help --skip-list= --warn-list= --tags= --progressive -P',
  },
  'ansible-test': { kind: 'build', check: 'version-only' },
  auth0: {
    globals: '--tenant= -t= --debug --no-color --no-input --json --json-compact --csv -h|--help -v|--version',
    flags: '-f|--filter= -q|--query= -n|--number= -s|--sort= -r|--reveal-secrets!credential --picker',
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
    sub: { api: { kind: 'read', flags: '-d|--data= -q|--query= --force', check: 'auth0-api' } },
  },
  'doctl heroku flyctl fly vercel netlify railway render wrangler firebase supabase': {
    globals:
      '-a|--app= -c|--config=!no --json -j --verbose --version -t|--access-token= -o|--output= -n|--num= --region= --format= --no-header -r|--remote= -s= --all --limit= --since= -i= --context=',
    verbs: {
      read: 'list ls get show status info logs whoami version inspect ps help regions releases',
      remote: CHANGES,
      credential: 'token config:get',
      demolish: 'apps:destroy apps:delete destroy sites:delete sites:rm pg:reset projects:delete',
    },
  },
  prometheus: { kind: 'system', check: 'version-only' },
  promtool: {
    sub: {
      'check query': {
        kind: 'read',
        flags:
          '--lint= --lint-fatal --extended -o|--format= --time= --start= --end= --step= --header= --syntax-only --agent',
      },
    },
  },
  vault: {
    // Its token would go to the server that is named here.
    globals: '-address=!no -namespace=',
    sub: {
      'status version': { kind: 'read', single: true, flags: '-format=' },
      'read kv token': 'credential',
    },
  },
  consul: {
    sub: {
      'members info catalog version': {
        kind: 'read',
        single: true,
        flags: '-http-addr=!no -detailed -wan -status= -datacenter= -format= -tags',
      },
    },
  },
  nomad: {
    sub: {
      'status version': { kind: 'read', single: true, flags: '-address=!no -short -verbose -json -t=' },
      'node job alloc': {
        sub: {
          'status inspect history logs': {
            kind: 'read',
            single: true,
            flags: '-address=!no -short -verbose -json -t= -stats -allocs -evals -f -tail -n= -stderr',
          },
        },
      },
    },
  },
  eksctl: {
    sub: {
      get: { kind: 'read', flags: '-n|--name= -r|--region= -o|--output= --cluster= -p|--profile=' },
      delete: 'demolish',
      'create update upgrade scale drain': 'remote',
    },
  },
  kops: {
    sub: { delete: { kind: 'remote', flags: '-y|--yes!demolish' }, 'create update replace edit': 'remote' },
  },
  'serverless sls': { kind: 'build', sub: { remove: 'demolish' } },
}
