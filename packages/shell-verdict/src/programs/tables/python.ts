import type { ProgramTable } from '../spec.ts'

const READ = { kind: 'read', any: true } as const

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
      '-q|--quiet -v|--verbose --offline --no-cache -n --directory= --project= --config-file= --no-config --color= --no-progress --cache-dir= --native-tls --python-preference= -p|--python= -V|--version -h|--help',
    sub: {
      'help version tree': READ,
      'sync lock venv export': {
        kind: 'project',
        any: true,
        check: 'uv',
        flags: '-o|--output-file=:write --script=',
      },
      pip: { sub: { 'list freeze show check tree': READ, 'install uninstall sync compile': 'exec' } },
      python: {
        sub: {
          'list dir': READ,
          find: { kind: 'read', any: true, check: 'plain-args' },
          'install uninstall pin upgrade update-shell': 'system',
        },
      },
      cache: { sub: { dir: READ, 'clean prune': 'system' } },
      run: { kind: 'project', posix: true, wrapper: true, any: true, check: 'uv' },
      tool: {
        sub: {
          run: { kind: 'exec', posix: true, wrapper: true, any: true },
          'install uninstall upgrade update-shell': 'exec',
        },
      },
      'add remove init build': 'exec',
      'publish self auth': 'remote',
    },
  },
  'uvx pipx': { kind: 'exec', any: true, posix: true, wrapper: true, sub: { 'list environment': READ } },
  'poetry pdm hatch rye pipenv': {
    globals: '-q -v -vv -n --no-interaction --ansi --no-ansi -C= --directory= -P= --project= --version -V',
    sub: {
      'show list info check search about help graph': READ,
      env: { sub: { 'list info show': READ, 'use remove create prune': 'exec' } },
      config: { kind: 'system', any: true, flags: '--list', check: 'list-only' },
      version: { kind: 'write', any: true, max: 0 },
      run: { kind: 'read', posix: true, wrapper: true, any: true, check: 'needs-command' },
      'add remove install update lock init new build shell self sync': 'exec',
      publish: 'remote',
    },
  },
  'conda mamba micromamba': {
    sub: {
      'list info search': READ,
      config: { kind: 'system', any: true, flags: '--show --show-sources --get', check: 'list-only' },
      env: { sub: { list: READ } },
      'install create remove update activate deactivate run clean': 'exec',
    },
  },
  'python python2 python3 pypy pypy3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 ipython':
    { kind: 'exec', any: true, posix: true, check: 'python' },
  ruff: {
    bare: 'read',
    globals: '--config= --isolated -q|--quiet -v|--verbose -s|--silent -V|--version -h|--help',
    sub: {
      'check lint': {
        kind: 'read',
        any: true,
        flags: '--fix?!write --fix-only!write --unsafe-fixes --add-noqa!write -o|--output-file=:write --diff',
      },
      'linter config rule version help': READ,
      analyze: READ,
      'format clean server': 'write',
    },
  },
  black: {
    kind: 'write',
    any: true,
    args: 'write',
    flags: '--check --diff --version --help -c|--code=',
    check: 'check-only',
  },
  isort: {
    kind: 'write',
    any: true,
    args: 'write',
    flags: '-c|--check-only|--check --diff|-d --version --show-config --show-files',
    check: 'check-only',
  },
  'flake8 pylint pyflakes pycodestyle pydocstyle bandit vulture radon': {
    kind: 'project',
    any: true,
    flags: '--load-plugins=!exec --init-hook=!exec --output-file=:write -o=:write --rcfile=!no --config=!no',
  },
  'mypy pyright basedpyright ty': {
    kind: 'project',
    any: true,
    flags:
      '--install-types!exec --config-file=!no --html-report=:write --xml-report=:write --junit-xml=:write --python-executable=!exec',
  },
  'autopep8 yapf': { kind: 'read', any: true, flags: '-i|--in-place!write -r', args: 'read' },
  'pytest tox nox unittest coverage': 'build',
  'pre-commit': {
    sub: {
      'help validate-config validate-manifest sample-config': READ,
      'run install uninstall autoupdate clean gc init-templatedir install-hooks migrate-config try-repo hook-impl':
        'exec',
    },
    flags: '-V|--version -h|--help',
  },
}
