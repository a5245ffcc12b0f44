import type { ProgramTable } from '../spec.ts'

/** The programs of Ansible. */
export const ANSIBLE: ProgramTable = {
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
}
