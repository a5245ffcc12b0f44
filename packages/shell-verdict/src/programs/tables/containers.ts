import { CONTAINER_FLAGS } from '../../nested/wrappers.ts'
import type { ProgramTable } from '../spec.ts'

/** Flags of the commands that list and show. */
const READ = {
  kind: 'read',
  flags: `-a|--all --format= -f|--filter|--follow? -q|--quiet --no-trunc -n|--last|--tail= -s|--size -l|--latest --since= --until= -t|--timestamps --details --type= --digests --tree --no-stream -H|--human? --limit= --stars= --automated --pretty --resolve --no-resolve --no-task-ids --services -v|--verbose --orphans? --status= --no-log-prefix --no-color --index= --json
    --sort= --noheading --no-hosts --raw --services --volumes --hash= --images --profiles --environment --variables --no-interpolate --no-normalize --no-path-resolution --no-consistency --resolve-image-digests --networks --models --dry-run --builder= --bootstrap!system --only-severity= --only-fixed --only-package= --details`,
} as const
const EXEC = {
  kind: 'read',
  posix: true,
  wrapper: true,
  check: 'needs-command',
  flags: CONTAINER_FLAGS,
} as const
const GLOBALS = `-c|--context= -H|--host=!no -l|--log-level= -D|--debug --config=!no --tls --tlscacert= --tlscert= --tlskey= --tlsverify -v|--version
  --url=!no --identity= --connection= --remote -r --help`
const COMPOSE_GLOBALS =
  '-f|--file= -p|--project-name= --project-directory= --profile= --env-file=:read --ansi= --progress= --parallel= --compatibility --dry-run --verbose -v|--version'
const COMPOSE_READ = { kind: 'read', flags: `${READ.flags} -o|--output=:write --lock-image-digests` } as const
const COMPOSE = {
  globals: COMPOSE_GLOBALS,
  sub: {
    'ps logs images top version ls port events stats volumes': COMPOSE_READ,
    // The project's files name files of this machine whose text is printed, as in `env_file`.
    'config convert': { ...COMPOSE_READ, kind: 'project' },
    // Into one of several containers: left to a person.
    exec: { ...EXEC, kind: 'unlisted' },
    'up down start stop restart kill pause unpause build pull push create rm run attach wait watch export cp scale commit publish bridge alpha':
      'system',
  },
} as const

/** Containers: looking is reading; starting, building or removing changes the machine. */
export const CONTAINERS: ProgramTable = {
  'docker podman nerdctl': {
    globals: GLOBALS,
    sub: {
      'ps images inspect logs port stats top history events diff version info search': READ,
      export: { kind: 'read', flags: '-o|--output=:write' },
      exec: EXEC,
      container: {
        sub: {
          'ls list ps inspect logs port stats top diff': READ,
          export: { kind: 'read', flags: '-o|--output=:write' },
          exec: { ...EXEC, kind: 'unlisted' },
          'start stop restart kill pause unpause wait create commit update rename attach rm prune run cp clone checkpoint restore':
            'system',
        },
      },
      image: {
        sub: {
          'ls list inspect history tree': READ,
          'build tag pull push import load save rm prune': 'system',
        },
      },
      'network volume': {
        sub: { 'ls list inspect': READ, 'create rm remove prune connect disconnect update': 'system' },
      },
      system: { sub: { 'df events info': READ, 'prune migrate reset renumber service': 'system' } },
      context: { sub: { 'ls list show inspect': READ, 'use create rm update export import': 'system' } },
      compose: COMPOSE,
      'service stack node secret config plugin': {
        sub: {
          'ls list inspect logs ps services': READ,
          'create rm remove update rollback scale deploy demote promote install disable enable push set upgrade up down':
            'remote',
        },
      },
      swarm: { sub: { 'init join join-token leave unlock unlock-key update ca': 'remote' } },
      buildx: {
        sub: {
          'du ls inspect version': READ,
          imagetools: { sub: { inspect: READ, create: 'remote' } },
          history: { sub: { 'ls logs inspect': READ } },
          'build bake create use rm stop prune': 'system',
        },
      },
      builder: { sub: { 'prune build': 'system' } },
      manifest: { sub: { inspect: READ, 'create annotate push rm': 'remote' } },
      trust: { sub: { inspect: READ, 'sign revoke key signer': 'remote' } },
      checkpoint: { sub: { 'ls list': READ } },
      scout: { sub: { 'cves quickview recommendations compare version': READ } },
      'pod machine': { sub: { 'ls list ps inspect logs stats top info': READ } },
      'run start stop restart kill pause unpause wait create build commit tag pull push login logout cp import load save rename update attach rm rmi prune init':
        'system',
    },
  },
  'docker-compose podman-compose': COMPOSE,
  'dive skopeo crane': { sub: { 'inspect list-tags ls manifest digest catalog': READ } },
}
