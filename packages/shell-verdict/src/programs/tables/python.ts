import { UV_RUN_FLAGS } from '../../nested/wrappers.ts'
import type { ProgramTable } from '../spec.ts'

/** Flags of the commands that list and show. */
const READ = {
  kind: 'read',
  flags: `-o|--outdated -u|--uptodate -e|--editable -l|--local --user --path= --pre --format= --not-required --exclude-editable --include-editable --exclude= -r|--requirement=:read --all -f|--files -i|--index-url=:url --extra-index-url=:url --no-index --platform= --python-version= --implementation= --abi= -a|--algorithm= --json -t|--tree --latest --top-level --why --only= --without= --with= --no-dev
    --strict --lock --global --site -h|--help --all-versions --all-platforms --only-installed --only-downloads --show-urls --no-python-downloads --output-format= --depth= --prune= --package= --no-dedupe --invert --reverse --universal --frozen --locked --all-extras --extra= --group= --no-group= --only-dev --show-version-specifiers --bare --json-tree --full-path -p= --path-only -n|--name= -c|--channel=
    --revisions --export --explicit --fields= --sort= --graph --csv --markdown --freeze --find-links= --short --dry-run`,
} as const
const NO_EXEC = `--frozen --locked --offline --no-sync --all-extras --extra= --all-groups --group= --no-group= --only-group= --dev --no-dev --only-dev --no-default-groups --no-hashes --no-header --no-annotate --no-emit-project --no-emit-workspace --no-emit-package= --format= --all-packages --package= --inexact --exact --no-install-project --no-install-workspace --no-install-package= --dry-run --check -U|--upgrade
  -P|--upgrade-package= --reinstall --reinstall-package= --no-editable --resolution= --prerelease= --exclude-newer= --link-mode= --compile-bytecode --no-build --seed --clear --prompt= --system-site-packages --relocatable --allow-existing --active`

/** Python's package managers, checkers and formatters. */
export const PYTHON: ProgramTable = {
  'pip pip2 pip3': {
    globals:
      '--python=!exec --isolated --require-virtualenv -v|--verbose -q|--quiet --proxy= --retries= --timeout= --cache-dir= --no-cache-dir --disable-pip-version-check --no-color --no-input --log=:write -V|--version -h|--help',
    sub: {
      'list freeze show check search help debug inspect hash completion': READ,
      config: {
        sub: { 'list get debug': READ, 'set unset edit': 'system' },
        flags: '--global --user --site --editor=',
      },
      index: { sub: { versions: READ } },
      cache: { sub: { 'dir info list': READ, 'remove purge': 'system' } },
      'install uninstall download wheel lock': 'exec',
    },
  },
  uv: {
    globals:
      '-q|--quiet -v|--verbose --offline --no-cache -n --directory=:directory --project=:directory --config-file=!no --no-config --color= --no-progress --cache-dir= --native-tls --python-preference= -p|--python= -V|--version -h|--help',
    sub: {
      'help version tree': READ,
      'sync lock venv export': {
        kind: 'project',
        check: 'uv',
        flags: `${NO_EXEC} -o|--output-file=:write --script=!exec`,
      },
      pip: { sub: { 'list freeze show check tree': READ, 'install uninstall sync compile': 'exec' } },
      python: {
        sub: {
          'list dir': READ,
          find: { kind: 'read', check: 'plain-args' },
          'install uninstall pin upgrade update-shell': 'system',
        },
      },
      cache: { sub: { dir: READ, 'clean prune': 'system' } },
      run: { kind: 'project', posix: true, wrapper: true, check: 'uv', flags: UV_RUN_FLAGS },
      tool: {
        sub: {
          run: { kind: 'exec', posix: true, wrapper: true },
          'install uninstall upgrade update-shell': 'exec',
        },
      },
      'add remove init build': 'exec',
      'publish self auth': 'remote',
    },
  },
  'uvx pipx': { kind: 'exec', posix: true, wrapper: true, sub: { 'list environment': READ } },
  'poetry pdm hatch rye pipenv': {
    globals: '-q -v -vv -n --no-interaction --ansi --no-ansi -C= --directory= -P= --project= --version -V',
    sub: {
      'show list info check search about help graph': READ,
      env: { sub: { 'list info show': READ, 'use remove create prune': 'exec' } },
      config: { kind: 'system', flags: '--list', check: 'list-only' },
      version: { kind: 'write', max: 0 },
      run: { kind: 'read', posix: true, wrapper: true, check: 'needs-command', flags: '-q -v' },
      'add remove install update lock init new build shell self sync': 'exec',
      publish: 'remote',
    },
  },
  'conda mamba micromamba': {
    sub: {
      'list info search': READ,
      config: { kind: 'system', flags: '--show --show-sources --get', check: 'list-only' },
      env: { sub: { list: READ } },
      'install create remove update activate deactivate run clean': 'exec',
    },
  },
  'python python2 python3 pypy pypy3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 ipython':
    { kind: 'exec', posix: true, check: 'version-only' },
  ruff: {
    bare: 'read',
    globals: '--config=!no --isolated -q|--quiet -v|--verbose -s|--silent -V|--version -h|--help',
    sub: {
      'check lint': {
        kind: 'read',
        flags: `--fix?!write --fix-only!write --unsafe-fixes --add-noqa!write -o|--output-file=:write --diff --no-fix --show-fixes -w|--watch --ignore= --select= --extend-select= --extend-ignore= --fixable= --unfixable= --preview --no-preview --output-format= --target-version= --statistics --show-files --show-settings --line-length= --exclude= --extend-exclude= --respect-gitignore --no-respect-gitignore
          --force-exclude -n|--no-cache --stdin-filename= --extension= -e|--exit-zero --exit-non-zero-on-fix --per-file-ignores= --extend-per-file-ignores= --config=!no --isolated`,
      },
      'linter config rule version help': { kind: 'read', flags: '--all --output-format= --preview' },
      analyze: { sub: { graph: { kind: 'read', flags: '--direction= --detect-string-imports --preview' } } },
      'format clean server': 'write',
    },
  },
  black: {
    kind: 'write',
    args: 'write',
    flags:
      '--check --diff --version --help -c|--code= -q|--quiet -v|--verbose -l|--line-length= -t|--target-version= -S|--skip-string-normalization --exclude= --extend-exclude= --include= --force-exclude= --fast --safe --preview --color --no-color --config=!no --stdin-filename= -W|--workers= --pyi',
    check: 'check-only',
  },
  isort: {
    kind: 'write',
    args: 'write',
    flags:
      '-c|--check-only|--check --diff|-d --version --show-config --show-files --profile= -q|--quiet -v --settings-path=!no --line-length= -l= --skip= --skip-glob= --filter-files --gitignore --color',
    check: 'check-only',
  },
  'flake8 pylint pyflakes pycodestyle pydocstyle bandit vulture radon': {
    kind: 'project',
    flags: `--load-plugins=!exec --init-hook=!exec --output-file=:write -o=:write --rcfile=!no --config=!no --append-config=!no --isolated --select= --ignore= --extend-ignore= --extend-select= --max-line-length= --max-complexity= --exclude= --extend-exclude= --filename= --format= --statistics --count --show-source --per-file-ignores= -q|--quiet -v|--verbose --disable= --enable= -d= -e= -j= --jobs= --fail-under= -E
      --errors-only --reports= -r -ll -lll -iii -ii -f= -x= -s= -t= -n= -a --min-confidence= --sort-by-size --py-version= --score= --exit-zero --output-format= --version -h|--help --min= --max= --json -i= -nc --recursive=`,
  },
  'mypy pyright basedpyright ty': {
    kind: 'project',
    optionFiles: true,
    flags:
      '--install-types!exec --config-file=!no --html-report=:write --xml-report=:write --junit-xml=:write --python-executable=!exec --strict --ignore-missing-imports --no-incremental --show-error-codes --pretty --no-error-summary --exclude= --python-version= --platform= --follow-imports= --no-implicit-optional --warn-unused-ignores --warn-return-any --disallow-untyped-defs --check-untyped-defs --show-column-numbers --show-error-context --namespace-packages --explicit-package-bases --disable-error-code= --enable-error-code= -p|--package= -m|--module= -c= --no-color-output --color-output --any-exprs-report=:write --cache-dir=:write --verbose -v -V|--version -h|--help --outputjson --stats --warnings --level= --pythonversion= --pythonplatform= --pythonpath=!exec --skipunannotated --dependencies --output-format= --error= --warn= --ignore= --exit-zero -q|--quiet --no-site-packages --skip-cache-mtime-checks --local-partial-types --txt-report=:write --linecount-report=:write --cobertura-xml-report=:write --html-report=:write',
  },
  'autopep8 yapf': {
    kind: 'read',
    flags:
      '-i|--in-place!write -r|--recursive -d|--diff --style= --max-line-length= --select= --ignore= -a|--aggressive -v -p -e= -l= --exit-code --list-fixes --version -h|--help',
    args: 'read',
  },
  'pytest tox nox unittest coverage': 'build',
  'pre-commit': {
    sub: {
      'help validate-config validate-manifest sample-config': { kind: 'read' },
      'run install uninstall autoupdate clean gc init-templatedir install-hooks migrate-config try-repo hook-impl':
        'exec',
    },
    flags: '-V|--version -h|--help',
  },
}
