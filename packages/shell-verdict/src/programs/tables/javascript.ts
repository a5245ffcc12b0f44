import type { ProgramTable } from '../spec.ts'

/** Every setting of npm can be given as a flag, also those that name programs: only these are harmless. */
const NPM_READ = `--depth= -a|--all -p|--parseable --omit= --include= --prod --production --dev --only= --link --unicode --no-unicode --package-lock-only --audit-level= --dry-run --diff= --diff-name-only --diff-unified= --diff-ignore-all-space --diff-no-prefix --diff-src-prefix= --diff-dst-prefix= --diff-text --tag= --sbom-format= --sbom-type=
  --searchlimit= --searchopts= --searchexclude= --no-description --description --color= --no-color --offline --prefer-offline --prefer-online --no-fund --no-audit --which= --expect-results --expect-result-count= -h|--help --browser=!exec --no-browser --usage --before= --include-workspace-root --no-workspaces --install-links --location= --read-only --otp=`
const READ = { kind: 'read', flags: NPM_READ } as const
/** pnpm loads `.pnpmfile.cjs` of the project, yarn a release named in `.yarnrc`: both run code before they do anything. */
const RUNS_PROJECT_FILES = 'build'

/** Package managers of JavaScript, its runtimes and checkers. */
export const JAVASCRIPT: ProgramTable = {
  npm: {
    help: true,
    globals:
      '--prefix= -C= -w|--workspace= --workspaces --ws --silent -s --loglevel= -g|--global --json --long -l --registry=:url --version -v --git=!exec --userconfig=!no --globalconfig=!no --script-shell=!exec --shell=!exec --viewer=!exec --editor=!exec --browser=!exec --node-options=!exec',
    sub: {
      'list ls la ll view info show v search find s se outdated why explain query ping root prefix bin fund completion docs bugs repo help help-search stars diff sbom doctor whoami get':
        READ,
      audit: { ...READ, sub: { signatures: READ, fix: 'exec' } },
      'config c': { sub: { 'list ls get': READ, 'set delete rm edit fix': 'system' } },
      owner: { sub: { 'ls list': READ, 'add rm': 'remote' } },
      access: { sub: { 'list ls get': READ, 'grant revoke set public restricted': 'remote' } },
      cache: { sub: { 'ls list': READ, 'clean clear verify add rm': 'system' } },
      'run run-script rum urn': { kind: 'build', bare: 'read' },
      pack: 'build',
      profile: { sub: { get: READ, 'set enable-2fa disable-2fa': 'remote' } },
      pkg: { sub: { get: READ, 'set delete fix': 'write' } },
      'dist-tag dist-tags': { sub: { 'ls list': READ, 'add rm': 'remote' } },
      team: { sub: { 'ls list': READ, 'create destroy add rm': 'remote' } },
      org: { sub: { 'ls list': READ, 'set rm': 'remote' } },
      token: { sub: { 'list ls': READ, 'create revoke': 'remote' } },
      'hook hooks': { sub: { 'ls list': READ } },
      'test t tst': { kind: 'build' },
      'start stop restart': 'build',
      'install i in ins add ci clean-install install-test it install-ci-test cit uninstall un remove rm r update up upgrade dedupe ddp prune link ln rebuild rb init create innit exec x explore edit shrinkwrap version set':
        'exec',
      unpublish: 'demolish',
      'publish deprecate star unstar login logout adduser': 'remote',
    },
  },
  'yarn yarnpkg': {
    globals: '--silent -s --cwd= --json --version -v',
    kind: RUNS_PROJECT_FILES,
    sub: {
      'install add remove upgrade up global link unlink dlx exec node create init import set plugin patch dedupe rebuild pack version autoclean policies':
        'exec',
      'publish tag team login logout owner': 'remote',
    },
  },
  pnpm: {
    globals: '--silent -s -r --recursive --filter= -F= -C= --dir= -w --workspace-root --json --version -v',
    kind: RUNS_PROJECT_FILES,
    sub: {
      'root bin help': { kind: 'read', flags: '-g|--global' },
      store: { sub: { path: { kind: 'read' } } },
      'install i add remove rm uninstall un update up upgrade link unlink import rebuild prune fetch install-test patch patch-commit dlx exec create init deploy pack env setup self-update dedupe approve-builds':
        'exec',
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
  'npx bunx': { kind: 'exec', posix: true, wrapper: true },
  'node nodejs deno': { kind: 'exec', posix: true, check: 'version-only' },
  'tsx ts-node': { kind: 'exec', posix: true },
  tsc: {
    kind: 'write',
    optionFiles: true,
    flags:
      '--noEmit -v --version -b --build -p|--project= -w --watch --showConfig --listFilesOnly --init!write --outDir=:write --outFile=:write --declarationDir=:write --tsBuildInfoFile=:write --generateTrace=:write --generateCpuProfile=:write --strict? --skipLibCheck? --pretty? --incremental? --target= --module= --moduleResolution= --lib= --jsx= --allowJs? --checkJs? --esModuleInterop? --extendedDiagnostics --diagnostics --traceResolution --listFiles --explainFiles --noErrorTruncation --noUnusedLocals? --noUnusedParameters? --noImplicitAny? --resolveJsonModule? --isolatedModules? --types= --rootDir= --baseUrl= --all -h|--help -d',
    check: 'tsc',
  },
  eslint: {
    kind: 'project',
    flags:
      '--fix!write --fix-dry-run -o|--output-file=:write --init!write --rulesdir=!exec --resolve-plugins-relative-to=!exec --parser=!exec --plugin=!exec -c|--config=!exec -f|--format= --cache-location=:write --ext= --quiet --max-warnings= --no-eslintrc --no-config-lookup --env= --global= --rule= --ignore-path= --no-ignore --ignore-pattern= --stdin --stdin-filename= --color --no-color --no-inline-config --report-unused-disable-directives --report-unused-disable-directives-severity= --cache --cache-strategy= --cache-file=:write --no-error-on-unmatched-pattern --exit-on-fatal-error --no-warn-ignored --pass-on-no-patterns --debug --print-config= --env-info --stats --flag= --concurrency= -h|--help -v|--version',
    check: 'eslint',
  },
  prettier: {
    kind: 'project',
    args: 'read',
    flags:
      '-w|--write!write --plugin=!exec --config=!no -c|--check -l|--list-different --no-config --no-editorconfig --ignore-path= --log-level= --loglevel= --parser= --print-width= --tab-width= --use-tabs --no-semi --single-quote --trailing-comma= --prose-wrap= --end-of-line= --stdin-filepath= -u|--ignore-unknown --no-error-on-unmatched-pattern --cache --cache-location=:write --cache-strategy= --color --no-color --find-config-path= --file-info= --support-info --help? --version',
  },
  biome: {
    sub: {
      'check lint format ci': {
        kind: 'read',
        flags:
          '--write!write --fix!write --apply!write --apply-unsafe!write --unsafe --changed --staged --since= --colors= --config-path=!no --diagnostic-level= --error-on-warnings --files-ignore-unknown= --files-max-size= --formatter-enabled= --linter-enabled= --indent-style= --indent-width= --line-width= --max-diagnostics= --no-errors-on-unmatched --only= --skip= --reporter= --stdin-file-path= --verbose --vcs-enabled= --help --version',
      },
      'version explain help': { kind: 'read' },
    },
  },
  'nvm fnm volta n': {
    sub: {
      'ls list ls-remote list-remote current which version': {
        kind: 'read',
        flags: '--lts? --no-colors --json',
      },
    },
  },
  'jest vitest mocha ava playwright cypress karma': 'build',
  'webpack vite rollup esbuild parcel turbo nx lerna gulp grunt next nuxt astro': 'build',
}
