import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', any: true } as const

/** Package managers of JavaScript, its runtimes and checkers. */
export const JAVASCRIPT: ProgramTable = {
  npm: {
    globals:
      '--prefix= -C= -w|--workspace= --workspaces --ws --silent -s --loglevel= -g|--global --json --long -l --registry= --version -v --git=!exec --userconfig=!no --globalconfig=!no --script-shell=!exec --shell=!exec --viewer=!exec --editor=!exec --browser=!exec --node-options=!exec',
    sub: {
      'list ls la ll view info show v search find s se outdated why explain query ping root prefix bin fund completion docs bugs repo help help-search stars diff sbom doctor whoami get':
        READ,
      audit: { kind: 'read', any: true, sub: { signatures: READ, fix: 'exec' } },
      'config c': { sub: { 'list ls get': READ, 'set delete rm edit fix': 'system' } },
      owner: { sub: { 'ls list': READ, 'add rm': 'remote' } },
      access: { sub: { 'list ls get': READ, 'grant revoke set public restricted': 'remote' } },
      cache: { sub: { 'ls list': READ, 'clean clear verify add rm': 'system' } },
      'run run-script rum urn': { kind: 'build', any: true, bare: 'read' },
      pack: { kind: 'write', any: true, flags: '--dry-run', check: 'dry-run' },
      profile: { sub: { get: READ, 'set enable-2fa disable-2fa': 'remote' } },
      pkg: { sub: { get: READ, 'set delete fix': 'write' } },
      'dist-tag dist-tags': { sub: { 'ls list': READ, 'add rm': 'remote' } },
      team: { sub: { 'ls list': READ, 'create destroy add rm': 'remote' } },
      org: { sub: { 'ls list': READ, 'set rm': 'remote' } },
      token: { sub: { 'list ls': READ, 'create revoke': 'remote' } },
      'hook hooks': { sub: { 'ls list': READ } },
      'test t tst': { kind: 'build', any: true },
      'start stop restart': 'build',
      'install i in ins add ci clean-install install-test it install-ci-test cit uninstall un remove rm r update up upgrade dedupe ddp prune link ln rebuild rb init create innit exec x explore edit shrinkwrap version set':
        'exec',
      'publish unpublish deprecate star unstar login logout adduser': 'remote',
    },
  },
  'yarn yarnpkg': {
    globals: '--silent -s --cwd= --json --version -v',
    sub: {
      'list info why outdated licenses audit versions help bin dir': READ,
      config: { sub: { 'list get current': READ, 'set delete': 'system' } },
      npm: { sub: { 'info audit whoami': READ } },
      workspaces: { sub: { 'list info': READ } },
      cache: { sub: { 'list dir': READ } },
      'install add remove upgrade up global link unlink dlx exec node create init import set plugin patch dedupe rebuild pack version autoclean policies':
        'exec',
      'run test start build': 'build',
      'publish tag team login logout owner': 'remote',
    },
  },
  pnpm: {
    globals: '--silent -s -r --recursive --filter= -F= -C= --dir= -w --workspace-root --json --version -v',
    sub: {
      'list ls ll la why outdated licenses audit view info show search root bin help doctor cat-index cat-file find-hash':
        READ,
      config: { sub: { 'list get': READ, 'set delete': 'system' } },
      store: { sub: { 'path status': READ } },
      'install i add remove rm uninstall un update up upgrade link unlink import rebuild prune fetch install-test patch patch-commit dlx exec create init deploy pack env setup self-update dedupe approve-builds':
        'exec',
      'run test t start build dev lint': 'build',
      'publish login logout': 'remote',
    },
  },
  bun: {
    globals: '--silent',
    flags: '--version|-v --revision --help',
    sub: {
      pm: { sub: { 'ls list bin hash cache version view whoami': READ } },
      'outdated why info audit': READ,
      'install i add remove rm update link unlink create x init upgrade repl patch': 'exec',
      'run test build': 'build',
      publish: 'remote',
    },
  },
  'npx bunx': { kind: 'exec', any: true, posix: true, wrapper: true },
  'node nodejs deno': { kind: 'exec', any: true, posix: true, check: 'version-only' },
  'tsx ts-node': { kind: 'exec', any: true, posix: true },
  tsc: {
    kind: 'write',
    any: true,
    flags:
      '--noEmit -v --version -b --build -p= --project= -w --watch --showConfig --listFilesOnly --init --outDir=:write --outFile=:write',
    check: 'tsc',
  },
  eslint: {
    kind: 'project',
    any: true,
    flags:
      '--fix!write --fix-dry-run -o|--output-file=:write --init!write --rulesdir=!exec --resolve-plugins-relative-to=!exec --parser=!exec --plugin=!exec -c|--config=!exec -f|--format= --cache-location=:write',
  },
  prettier: { kind: 'read', any: true, flags: '-w|--write!write --plugin=!exec --config=!no', args: 'read' },
  biome: {
    sub: {
      'check lint format ci': {
        kind: 'read',
        any: true,
        flags: '--write!write --fix!write --apply!write --apply-unsafe!write',
      },
      'version explain help': READ,
    },
  },
  'nvm fnm volta n': { sub: { 'ls list ls-remote list-remote current which version': READ } },
  'jest vitest mocha ava playwright cypress karma': 'build',
  'webpack vite rollup esbuild parcel turbo nx lerna gulp grunt next nuxt astro': 'build',
}
