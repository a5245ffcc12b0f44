import type { ProgramTable } from '../spec.ts'

const PROJECT = {
  kind: 'project',
  flags: `--config=!exec --manifest-path= --target-dir=:write -Z=!no -p|--package= --workspace --all --exclude= --all-targets --lib --bins --bin= --examples --example= --tests --test= --benches --bench= -F|--features= --all-features --no-default-features --target= -r|--release --profile= -j|--jobs= --keep-going --message-format=
    --no-deps --document-private-items --open --offline --frozen --locked --precise= --recursive --aggressive --dry-run -e|--edges= -i|--invert? --prune= --depth= --prefix= --no-dedupe -d|--duplicates --charset= -f|--format= --filter-platform= --format-version= --check -n|--name-only --message-path= --lockfile-path= --ignore-rust-version --future-incompat-report --unit-graph --timings?`,
} as const

const COMPILER = {
  kind: 'build',
  check: 'version-only',
  flags: '--version -version -v -V --help -help -h',
} as const

const RUSTUP_READ = { kind: 'read', flags: '-v|--verbose --installed --toolchain= --path' } as const

/** rustup starts what the project's `rust-toolchain.toml` names in place of the compiler and its tools. */
const CHOSEN_BY_PROJECT = { mildest: 'project' } as const

/** Compiled languages and their build tools. */
export const COMPILED: ProgramTable = {
  cargo: {
    ...CHOSEN_BY_PROJECT,
    help: true,
    globals:
      '+* -v|--verbose -vv -q|--quiet --color= --locked --offline --frozen -Z=!no --config=!exec -C=!no -V|--version --list -h|--help',
    sub: {
      'help info search version': { kind: 'read', flags: '--limit= --index= --registry=' },
      'tree metadata locate-project verify-project pkgid read-manifest report': PROJECT,
      vendor: { ...PROJECT, args: 'write' },
      'check c clippy doc fetch update generate-lockfile': {
        ...PROJECT,
        flags: `${PROJECT.flags} --fix!write`,
      },
      fmt: { ...PROJECT },
      owner: { kind: 'remote', flags: '-l|--list', check: 'list-only' },
      'build b run r test t bench rustc rustdoc': 'build',
      'install uninstall publish yank clean new init add rm remove fix package login logout': 'exec',
    },
  },
  rustup: {
    flags: '--version',
    sub: {
      'check which doc man help': RUSTUP_READ,
      // It starts the compiler.
      show: { ...RUSTUP_READ, kind: 'project' },
      'toolchain target component override': {
        sub: { list: { kind: 'read', flags: '-v|--verbose --installed --toolchain= -q|--quiet' } },
      },
    },
  },
  rustc: { ...COMPILER, ...CHOSEN_BY_PROJECT },
  'gcc g++ clang clang++ cc c++ ld as': COMPILER,
  rustfmt: {
    ...CHOSEN_BY_PROJECT,
    kind: 'write',
    args: 'write',
    flags: '--check --version',
    check: 'check-only',
  },
  go: {
    single: true,
    sub: {
      'version list doc help': {
        kind: 'read',
        single: true,
        flags:
          '-toolexec=!exec -exec=!exec -m -u -json? -f= -e -deps -test -versions -retracted -find -compiled!build -export!build -all -c -cmd -short -src -v -mod= -tags= -modfile=!no',
      },
      env: { kind: 'read', single: true, flags: '-json -changed -w!system -u!system' },
      vet: {
        kind: 'project',
        single: true,
        flags:
          '-vettool=!exec -toolexec=!exec -v -x -n -json -tags= -c= -mod= -printf -shadow -composites -copylocks -unusedresult -all',
      },
      mod: {
        sub: {
          'graph why verify': { kind: 'read', single: true, flags: '-m -vendor -go= -x' },
          'download tidy vendor edit init': 'write',
        },
      },
      'build test run install generate get clean work fix tool telemetry': 'build',
      fmt: 'write',
    },
  },
  gofmt: { kind: 'read', single: true, flags: '-w!write -cpuprofile=:write -r= -l -d -s -e', args: 'read' },
  'golangci-lint': {
    sub: {
      'run linters help version': {
        kind: 'project',
        flags:
          '--fix!write -c|--config=!no -E|--enable= -D|--disable= -v|--verbose -j= --timeout= --tests --build-tags= --out-format= --new --new-from-rev= --issues-exit-code= --fast --color= --no-config -p|--presets= --max-issues-per-linter= --max-same-issues=',
      },
    },
  },
  'staticcheck govulncheck': {
    kind: 'project',
    single: true,
    flags: '-checks= -f= -tests -tags= -go= -json -mode= -show= -C= -test -version -explain=',
  },
  'make gmake ninja cmake meson scons just task rake ant gradle mix stack cabal dune xcodebuild swift msbuild':
    { kind: 'build', check: 'version-only' },
  // They read files of the project, which may name code to load, before their first argument.
  'bazel buck mvn gradlew sbt lein rebar3': 'build',
  dotnet: {
    flags: '--info --version --list-sdks --list-runtimes',
    sub: {
      'list help': {
        kind: 'read',
        flags:
          '--outdated --deprecated --vulnerable --include-transitive --format= --framework= --source= --highest-minor --highest-patch --include-prerelease -v= --verbosity= --config=!no --interactive!no',
      },
      'build test run publish restore add remove new clean pack nuget tool': 'build',
    },
  },
  'java javac kotlinc scala': { kind: 'build', check: 'version-only' },
  // What it hands to the machine below may load code.
  javap: {
    kind: 'read',
    optionFiles: true,
    single: true,
    flags:
      '-J*!exec -c -v -verbose -p -private -public -protected -package -l -s -sysinfo -constants -cp= -classpath= --class-path= -version --version -help --help --module= -m=',
  },
  // A plugin is code that is loaded.
  'nm objdump readelf size otool dwarfdump c++filt addr2line': {
    kind: 'read',
    args: 'read',
    optionFiles: true,
    flags: `--plugin=!exec -a -A -B -b= -C|--demangle? -d -D -e -f= -F -g -G -h -H -i -I= -j= -l -L -m= -M= -n -N -o -p -P= -r -R -s -S -t -T -u -U -v -V -w -W -x -X -z --all --all-headers --archive-headers --build-id --color --debug-syms --defined-only --demangle --disassemble --dwarf= --dynamic --dyn-syms --dynamic-syms --extern-only --file-headers --format= --full-contents --headers --help --hex-dump= --line-numbers
      --no-demangle --no-sort --notes --numeric-sort --print-file-name --private-headers --program-headers --radix= --relocs --reloc --reverse-sort --section= --section-headers --sections --segments --size-sort --source --special-syms --start-address= --stop-address= --string-dump= --symbols --syms --synthetic --target= --undefined-only --version --version-info --wide`,
  },
  // It can be told to use another shellcheck.
  actionlint: {
    kind: 'read',
    single: true,
    args: 'read',
    flags:
      '-shellcheck=!exec -pyflakes=!exec -config-file=:read -ignore= -format= -no-color -color -oneline -verbose -debug -version -help -stdin-filename=',
  },
  // Their settings may be a script, and so are rules.
  'markdownlint cspell': {
    kind: 'read',
    args: 'read',
    flags:
      '--fix!write -c|--config=!exec -r|--rules=!exec --require=!exec -o=:write -f!no --words-only --unique --no-summary --no-progress --dot --ignore= -i= -p= -q|--quiet --verbose --version --help -h --stdin --enable= --disable= --json -u --no-color',
  },
  'shellcheck hadolint yamllint jsonlint typos codespell vale': {
    kind: 'read',
    args: 'read',
    flags: `--fix!write -w|--write-changes!write -i= -o=:write -s|--shell= -e|--exclude= -f|--format= -S|--severity= -x|--external-sources -a|--check-sourced -C|--color? -P= -V|--version -W= -c|--config= -d|--config-data= --strict --no-warnings --ignore= --trusted-registry= --failure-threshold= --no-fail --no-color --verbose -v -q|--quiet --quiet-level= -L|--ignore-words-list= -I|--ignore-words=:read
      --skip= --count --check-filenames --check-hidden --no-progress --words-only --unique --no-summary --diff --hidden --no-ignore --files --type-list --minAlertLevel= --output= --glob= --help -h --version -p -j -t= --norc --enable= --include= --list-optional --wiki-link-count= --stdin --dot -r`,
  },
  shfmt: {
    kind: 'read',
    args: 'read',
    flags:
      '-w|--write!write -l|--list -d|--diff -s|--simplify -mn|--minify -ln|--language-dialect= -p|--posix -i|--indent= -bn|--binary-next-line -ci|--case-indent -sr|--space-redirects -kp|--keep-padding -fn|--func-next-line -f|--find --to-json --version --help',
  },
  cloc: {
    kind: 'read',
    // The version control may be any command, and a file of options may hold these.
    flags:
      '--out=:write --report-file=:write --sql=:write --write-lang-def=:write --vcs=!exec --extract-with=!exec --config=!no --options=!no --by-file --by-file-by-lang --csv --json --yaml --md --xml --quiet --hide-rate --include-lang= --exclude-lang= --exclude-dir= --exclude-ext= --include-ext= --match-f= --not-match-f= --match-d= --not-match-d= --skip-uniqueness --progress-rate= --show-lang --show-ext? --version --help --git --diff --timeout= --max-file-size= --fullpath --sum-reports',
  },
  tokei: {
    kind: 'read',
    flags:
      '-o|--output= -f|--files -e|--exclude= -t|--type= -s|--sort= -C|--compact -c|--columns= -l|--languages -v -V|--version -h|--help --hidden --no-ignore --no-ignore-vcs -n|--num-format= -i|--input=:read',
  },
  'scc sloccount': {
    kind: 'read',
    flags:
      '-o|--output=:write --format-multi=!write -f|--format= -i|--include-ext= -x|--exclude-ext= --exclude-dir= -s|--sort= --by-file -w|--wide -M|--not-match= --no-cocomo --no-complexity --no-duplicates --ci --version -h|--help -l|--languages',
  },
  ctags: 'write',
  // A Gemfile is Ruby code, and every command of Bundler runs it.
  'bundle bundler': { kind: 'build', sub: { 'install update exec add remove': 'exec' } },
  gem: {
    globals: '--version -v',
    sub: {
      'list search info show outdated environment env contents dependency which specification help check': {
        kind: 'read',
        flags:
          '-l|--local -r|--remote -b|--both -a|--all -d|--details -i|--installed -v|--version= --versions --no-versions --prerelease -q|--quiet --paths --name-only --only-group= --without-group= --strict --filter-major --filter-minor --filter-patch --parseable --porcelain --group= --groups -e|--exact',
      },
      'install update uninstall exec add remove': 'exec',
    },
  },
  // The project's own settings name plugins, which every command loads.
  composer: {
    globals: '-n --no-interaction -q -v --working-dir=!no -d=!no --version',
    sub: {
      'show info search outdated validate licenses depends why why-not prohibits status diagnose check-platform-reqs fund help list':
        {
          kind: 'build',
          flags:
            '-a|--all -i|--installed -l|--latest -o|--outdated -m|--minor-only -D|--direct --strict -f|--format= -t|--tree -r|--recursive --locked --no-dev -N|--name-only -P|--path --available -s|--self --no-check-all --no-check-lock --no-check-publish --ignore-platform-reqs --no-plugins --no-scripts --no-ansi --ansi -h|--help',
        },
      'install update require remove run-script exec create-project': 'exec',
    },
  },
  'ruby perl php lua luajit R Rscript julia elixir erl iex ghc ghci groovy tclsh expect osascript irb': {
    kind: 'exec',
    posix: true,
    check: 'version-only',
  },
}
