import { describe, expect, test } from 'vitest'
import { whyAsk, whyOwnText } from '../../../src/adapters/agents/claude-code/own-rules.ts'

const PROJECT = '/home/dev/project'

const why = (
  command: string,
  files: Readonly<Record<string, unknown>>,
  {
    args = [],
    cwd = PROJECT,
    of = whyOwnText,
  }: { args?: string[]; cwd?: string; of?: typeof whyOwnText } = {},
) =>
  of(command, {
    home: '/home/dev',
    env: {},
    args,
    project: PROJECT,
    cwd,
    read: path => {
      const found = files[path]
      return found === undefined || typeof found === 'string' ? found : JSON.stringify(found)
    },
    names: folder => (folder === '/etc/claude-code/managed-settings.d' ? ['10-team.json'] : []),
    toolUseId: undefined,
    lastInTranscript: () => undefined,
  })

const deny = (...rules: string[]) => ({ permissions: { deny: rules } })
const ask = (...rules: unknown[]) => ({ permissions: { ask: rules } })
const USER = '/home/dev/.claude/settings.json'

describe('Claude Code must see the text of a command', () => {
  test.each([
    ['Bash(touch:*)', 'touch a'],
    ['Bash(touch:*)', 'cd sub && touch a'],
    ['Bash(touch:*)', 'X=1 timeout 5 touch a'],
    ['Bash(touch:*)', `to'uc'h a`],
    ['Bash(git push:*)', 'git  push origin main'],
    ['Bash(git * main)', 'git checkout main'],
    ['Bash(npm run build)', 'npm run build'],
    ['Bash(rm:*)', '/bin/rm x'],
    ['Bash', 'ls'],
    ['Bash(*)', 'ls'],
    ['*', 'ls'],
    ['Read(./secrets/**)', 'cat secrets/key'],
    ['Read(**/*.pem)', 'openssl x509 -in cert.pem'],
    ['Edit(/docs/plan.md)', 'echo x > docs/plan.md'],
    ['Read(**)', 'cat a'],
    ['not a rule (', 'ls'],
  ])('where %s may apply to: %s', (rule, command) => {
    expect(why(command, { [USER]: deny(rule) })).toContain('may deny it')
    // Of an ask rule, it must see the text unless Baton asks in its place.
    const asked = why(command, { [USER]: ask(rule) }, { of: whyAsk })
    if (asked === undefined) expect(why(command, { [USER]: ask(rule) })).toContain('may ask about it')
    else expect(why(command, { [USER]: ask(rule) })).toBeUndefined()
    expect(why(command, { [USER]: { permissions: { allow: [rule] } } })).toBeUndefined()
  })

  test.each([
    ['Bash(touch:*)', 'ls'],
    ['Bash(rm:*)', 'npm run format'],
    ['Bash(git push:*)', 'git status && echo pushed'],
    ['Read(./secrets/**)', 'cat a.txt'],
    ['WebFetch(domain:example.com)', 'curl example.com'],
    ['Read', 'cat a.txt'],
    ['Read(./.env)', 'node -e "console.log(process.env.HOME)"'],
    ['Read(./.env)', 'source .venv/bin/activate && cat .envrc .env.example'],
    ['Read(./build)', 'npm run builder && ls build-tools'],
    ['Edit(src/**)', 'ls mysrc'],
  ])('not where %s does not apply to: %s', (rule, command) => {
    expect(why(command, { [USER]: deny(rule) })).toBeUndefined()
    expect(why(command, { [USER]: ask(rule) })).toBeUndefined()
  })

  test.each([
    ['Read(./.env)', 'cargo check # .env'],
    ['Read(./.env)', 'cargo check;# .env\nls'],
    ['Bash(git push:*)', 'if make; then # git push\n  ls # git push\nfi'],
  ])('not where %s names only what a comment says: %s', (rule, command) => {
    expect(why(command, { [USER]: deny(rule) })).toBeUndefined()
    expect(why(command, { [USER]: ask(rule) })).toBeUndefined()
  })

  test.each([
    ['Read(./.env)', 'cat x#.env'],
    ['Read(./.env)', 'cat "a # .env"'],
    ['Read(./.env)', "cat <<'E'\n # .env\nE"],
    ['Read(./.env)', 'echo ${x# .env}'],
    ['Read(./.env)', 'ls # a\ncat .env'],
    ['Read(./.env)', 'ls \\# .env'],
    ['Read(./.env)', '((1 # .env\n))'],
    ['Read(./.env)', '[[ a =~ # .env ]]'],
    ['Read(./.env)', 'for ((i = 0; i < 1 # .env\n; i++)); do :; done'],
    ['Read(./.env)', 'ls # "\n if cat .env"'],
    ['Read(./.env)', 'ls ) # .env'],
    ['Read(./.env)', 'cat $DIR.env a/.env'],
    ['Read(./.env)', 'cat ${DIR}.env'],
    ['Read(./.env.*)', 'cat .env.local'],
    ['Read(**/*.pem)', 'cat cert.pem.'],
    ['Read(./build)', 'cat build/x'],
  ])('where %s names what is not surely a comment: %s', (rule, command) => {
    expect(why(command, { [USER]: deny(rule) })).toContain('may deny it')
  })

  test('for a rule about files where the command works in their folder', () => {
    const cwd = `${PROJECT}/secrets`
    expect(why('cat key', { [USER]: deny('Read(./secrets/**)') }, { cwd })).toContain('deny')
    expect(why('cat key', { [USER]: deny('Read(./project/**)') }, { cwd })).toBeUndefined()
    expect(why('cat key', { [USER]: deny('Read(~/project/**)') }, { cwd })).toContain('deny')
  })

  test.each([
    USER,
    '/home/dev/.claude/settings.local.json',
    `${PROJECT}/.claude/settings.json`,
    `${PROJECT}/.claude/settings.local.json`,
    `${PROJECT}/packages/a/.claude/settings.json`,
    '/etc/claude-code/managed-settings.json',
    '/etc/claude-code/managed-settings.d/10-team.json',
  ])('for rules in %s', path => {
    expect(why('touch a', { [path]: deny('Bash(touch:*)') }, { cwd: `${PROJECT}/packages/a` })).toBeDefined()
  })

  test('for rules from its command line', () => {
    const args = (...words: string[]) => ({ args: ['claude', '-p', ...words, '--', 'bash'] })
    expect(why('touch a', {}, args('--disallowedTools', 'Bash(touch:*)', 'Read'))).toBeDefined()
    expect(why('touch a', {}, args('--disallowed-tools=Read,Bash(touch:*)'))).toBeDefined()
    expect(why('touch a', {}, args('--settings', JSON.stringify(deny('Bash(touch:*)'))))).toBeDefined()
    expect(
      why('touch a', { [`${PROJECT}/s.json`]: deny('Bash(touch:*)') }, args('--settings', 's.json')),
    ).toBeDefined()
    expect(why('touch a', {}, args('--settings', 'absent.json'))).toContain('cannot be read')
    expect(why('ls', {}, args('--disallowedTools', 'Bash(touch:*)'))).toBeUndefined()
  })

  test('where its own sandbox is on, and where its settings are not valid', () => {
    expect(why('ls', { [USER]: { sandbox: { enabled: true } } })).toContain('sandbox.enabled')
    expect(why('ls', { [USER]: { sandbox: { enabled: false } } })).toBeUndefined()
    expect(why('ls', { [USER]: '{ broken' })).toContain('cannot be read')
    expect(why('ls', {})).toBeUndefined()
  })
})

describe('Baton asks in the place of Claude Code', () => {
  test.each([
    ['Bash', '$CMD x'],
    ['Bash(*)', 'ls ('],
    [' Bash (:*) ', 'ls'],
    ['Bash(git push:*)', 'git push'],
    ['Bash(git push:*)', 'git  push origin main'],
    ['Bash(git push:*)', `git 'push' origin`],
    ['Bash(git push *)', 'git push origin'],
    ['Bash(git *)', 'git'],
    ['Bash(git push*)', 'git push-all'],
    ['Bash(git * main)', 'git push origin main'],
    ['Bash(* --force)', 'git push --force'],
    ['Bash(npm run build)', 'npm run build > out.txt'],
    ['Bash(git commit -m "a b":*)', 'git commit -m "a b" -q'],
    ['Bash(rm:*)', 'cd src && X=1 rm a'],
    ['Bash(rm:*)', 'ls | rm a'],
    ['Bash(rm:*)', '(rm a)'],
    ['Bash(rm:*)', 'rm a & wait'],
    ['Bash(rm:*)', 'if ls; then rm a; fi'],
    ['Bash(rm:*)', 'ls\nrm a'],
    ['Bash(rm:*)', 'timeout 5 nice rm a'],
  ])('where %s surely applies to: %s', (rule, command) => {
    expect(why(command, { [USER]: ask(rule) }, { of: whyAsk })).toContain(`settings ask about it (${rule})`)
    expect(why(command, { [USER]: ask(rule) })).toBeUndefined()
    // A rule that may deny it is still Claude Code's.
    expect(why(command, { [USER]: { permissions: { ask: [rule], deny: [rule] } } })).toContain('may deny it')
  })

  test.each<[unknown, string]>([
    ['Edit(src/**)', 'npm test'],
    ['Write(**)', 'npm test'],
    ['Read(./secrets/**)', 'cat secrets/key'],
    ['Bash(git push:*)', 'git commit -m "docs: explain git push"'],
    ['Bash(rm:*)', 'cat docs/rm.md'],
    ['Bash(npm publish:*)', 'grep -rn "npm publish" .'],
    ['Bash(npm run build)', 'npm run build --watch'],
    ['Bash(git push:*)', 'git push-all'],
    ['Bash(git * main *)', 'git push main'],
    ['Bash(rm:*)', '/bin/rm a'],
    ['Bash(rm:*)', 'f() { rm a; }; ls'],
    ['Bash(rm:*)', 'find . -exec rm {} +'],
    ['Bash(rm:*)', "bash -c 'rm a'"],
    ['Bash(rm:*)', 'rm a ('],
    ['Bash(r\\*m:*)', 'r*m a'],
    ['*', 'ls'],
    ['B*', 'ls'],
    ['not a rule (', 'ls'],
    [{ tool: 'Bash' }, 'ls'],
  ])('not where %s may apply to: %s', (rule, command) => {
    const cwd = `${PROJECT}/src`
    expect(why(command, { [USER]: ask(rule) }, { cwd, of: whyAsk })).toBeUndefined()
  })

  test('also where another of its rules may ask', () => {
    const files = {
      [USER]: ask('Write(**)', 'Bash(rm:*)'),
      [`${PROJECT}/.claude/settings.json`]: ask('Edit(**)'),
    }
    expect(why('rm a', files, { of: whyAsk })).toContain('(Bash(rm:*))')
    expect(why('rm a', files)).toBeUndefined()
    expect(why('ls', files, { of: whyAsk })).toBeUndefined()
    expect(why('ls', files)).toContain('may ask about it (Write(**))')
  })
})
