import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', any: true } as const
const PROJECT = {
  kind: 'project',
  any: true,
  flags: '--config=!exec --manifest-path= --target-dir=:write -Z=!no',
} as const

/** Compiled languages and their build tools. */
export const COMPILED: ProgramTable = {
  cargo: {
    globals:
      '+* -v|--verbose -vv -q|--quiet --color= --locked --offline --frozen -Z=!no --config=!exec -C=!no -V|--version --list -h|--help',
    sub: {
      'help info search version': READ,
      'tree metadata locate-project verify-project pkgid read-manifest report': PROJECT,
      'check c clippy doc fetch update generate-lockfile vendor': {
        ...PROJECT,
        flags: `${PROJECT.flags} --fix!write`,
      },
      fmt: { ...PROJECT },
      owner: { kind: 'remote', any: true, flags: '-l|--list', check: 'list-only' },
      'build b run r test t bench rustc rustdoc': 'build',
      'install uninstall publish yank clean new init add rm remove fix package login logout': 'exec',
    },
  },
  rustup: {
    flags: '--version',
    sub: {
      'show check which doc man help': READ,
      'toolchain target component override': { sub: { list: READ } },
    },
  },
  'rustc gcc g++ clang clang++ cc c++ ld as': { kind: 'build', any: true, check: 'version-only' },
  rustfmt: { kind: 'write', any: true, args: 'write', flags: '--check --version', check: 'check-only' },
  go: {
    single: true,
    sub: {
      'version list doc help': {
        kind: 'read',
        any: true,
        single: true,
        flags: '-toolexec=!exec -exec=!exec',
      },
      env: { kind: 'read', single: true, flags: '-json -changed -w!system -u!system' },
      vet: { kind: 'project', any: true, single: true, flags: '-vettool=!exec -toolexec=!exec' },
      mod: { sub: { 'graph why verify': READ, 'download tidy vendor edit init': 'write' } },
      'build test run install generate get clean work fix tool telemetry': 'build',
      fmt: 'write',
    },
  },
  gofmt: { kind: 'read', any: true, single: true, flags: '-w!write -cpuprofile=:write -r=', args: 'read' },
  'golangci-lint': {
    sub: { 'run linters help version config cache': { kind: 'project', any: true, flags: '--fix!write' } },
  },
  'staticcheck govulncheck': { kind: 'project', any: true },
  'make gmake ninja cmake meson bazel buck scons just task rake ant mvn gradle gradlew sbt lein mix rebar3 stack cabal dune xcodebuild swift msbuild':
    { kind: 'build', any: true, check: 'version-only' },
  dotnet: {
    flags: '--info --version --list-sdks --list-runtimes',
    sub: {
      'list help': READ,
      'build test run publish restore add remove new clean pack nuget tool': 'build',
    },
  },
  'java javac kotlinc scala': { kind: 'build', any: true, check: 'version-only' },
  // What it hands to the machine below may load code.
  javap: { kind: 'read', any: true, single: true, flags: '-J*!exec' },
  // A plugin is code that is loaded.
  'nm objdump readelf size otool dwarfdump c++filt addr2line': {
    kind: 'read',
    any: true,
    args: 'read',
    flags: '--plugin=!exec',
  },
  'shellcheck hadolint yamllint markdownlint actionlint jsonlint typos codespell cspell vale': {
    kind: 'read',
    any: true,
    args: 'read',
    flags: '--fix!write -w|--write-changes!write -i= -o=:write',
  },
  shfmt: { kind: 'read', any: true, args: 'read', flags: '-w|--write!write' },
  cloc: {
    kind: 'read',
    any: true,
    // The version control may be any command, and a file of options may hold these.
    flags:
      '--out=:write --report-file=:write --sql=:write --write-lang-def=:write --vcs=!exec --extract-with=!exec --config=!no --options=!no',
  },
  tokei: { kind: 'read', any: true, flags: '-o= --output=' },
  'scc sloccount': { kind: 'read', any: true, flags: '-o|--output=:write --format-multi=!write' },
  ctags: 'write',
  'gem bundle bundler': {
    globals: '--version -v',
    sub: {
      'list search info show outdated environment env contents dependency which specification help check':
        READ,
      'install update uninstall exec add remove': 'exec',
    },
  },
  composer: {
    globals: '-n --no-interaction -q -v --working-dir= -d= --version',
    sub: {
      'show info search outdated validate licenses depends why why-not prohibits status diagnose check-platform-reqs fund help list':
        READ,
      'install update require remove run-script exec create-project': 'exec',
    },
  },
  'ruby perl php lua luajit R Rscript julia elixir erl iex ghc ghci groovy tclsh expect osascript irb': {
    kind: 'exec',
    any: true,
    posix: true,
    check: 'version-only',
  },
}
