import type { ProgramTable } from '../spec.ts'

/** Flags of Terraform's commands that show. */
const TERRAFORM = {
  kind: 'read',
  single: true,
  flags:
    '-json -no-color -raw -state= -type= -draw-cycles -plan= -module-depth= -no-tests -test-directory= -platform= -id= -help',
} as const

/** Those that start the providers, which are programs below the project's `.terraform`, or ask the backend that its settings name. */
const TERRAFORM_PROVIDERS = { ...TERRAFORM, kind: 'project' } as const

/** Programs that make servers and services what files of the project say. */
export const INFRASTRUCTURE: ProgramTable = {
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
