import type { ProgramTable } from '../spec.ts'
import { CLOUD_CHANGES } from './cloud-changes.ts'

/** Platforms that run other people’s programs, and what watches over servers. */
export const CLOUD: ProgramTable = {
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
      remote: CLOUD_CHANGES,
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
}
