import { describe, expect, test } from 'vitest'
import { brokerTakes } from '../../src/sandbox/broker/broker-takes.ts'
import { commandText } from '../../src/sandbox/broker/command-text.ts'
import { ghRepositoryOf, planGh } from '../../src/sandbox/broker/plan-gh.ts'

const remotes = (url: string) => [{ name: 'origin', url, pushUrl: url, fetch: [] }]
const ACME = { remotes: remotes('git@github.com:acme/project.git') }
const plan = (words: readonly string[], head: string | undefined = 'refs/heads/feature') =>
  planGh(words, head, ACME)

describe('the broker and gh', () => {
  test.each([
    [
      'pr create --title T --body B',
      'gh pr create --title T --body B --head feature --repo acme/project',
      'pr create --title=T --body=B --head feature --repo acme/project',
    ],
    ['pr view', 'gh pr view feature --repo acme/project', 'pr view --repo acme/project -- feature'],
    [
      'pr checks 7 --watch',
      'gh pr checks 7 --watch --repo acme/project',
      'pr checks --watch --repo acme/project -- 7',
    ],
    ['issue view 3 -R other/repo', 'gh issue view 3 -R other/repo', 'issue view -R other/repo -- 3'],
    [
      'repo view --json=name',
      'gh repo view --json=name acme/project',
      'repo view --json=name -- acme/project',
    ],
    [
      'issue comment 3 -b -x',
      'gh issue comment 3 -b -x --repo acme/project',
      'issue comment -b -x --repo acme/project -- 3',
    ],
  ])('names the repository and the branch for `gh %s`', (text, shown, args) => {
    const made = plan(text.split(' '))
    if (made.kind !== 'gh') throw new Error(made.reason)
    expect(commandText(made.shown)).toBe(shown)
    expect(made.args.join(' ')).toBe(args)
  })

  test('has a file with a text read inside, and passes the text on', () => {
    for (const option of [['--body-file', 'notes.md'], ['-F', 'notes.md'], ['--body-file=notes.md']]) {
      const made = plan(['issue', 'create', '--title', 'T', ...option])
      expect(made).toMatchObject({ kind: 'gh', input: 'notes.md' })
      if (made.kind !== 'gh') throw new Error(made.reason)
      expect(made.args.join(' ')).toMatch(
        /^issue create --title=T (-F -|--body-file=-) --repo acme\/project$/,
      )
      expect(commandText(made.shown)).toContain('notes.md')
    }
  })

  test.each([
    'auth token',
    'auth status --show-token',
    'alias set x y',
    'extension install x/y',
    'api graphql --input x',
    'api graphql -f query=x -F file=@/etc/passwd',
    'api graphql -f query=x --field file=@/etc/passwd',
    'api graphql -f query=x --hostname evil.example',
    'api graphql -f query=x -H X:1',
    'api graphql -f query=x --jq env',
    'api graphql extra -f query=x',
    'api repos/acme/project',
    'secret set X',
    'ssh-key add x',
    'repo clone x/y',
    'repo delete acme/project',
    'gist create x',
    'codespace ssh',
    'pr checkout 3',
    'pr create --fill',
    'pr create --web',
    'pr create -e',
    'pr create --recover x',
    'pr create --template x',
    'pr close 3 --delete-branch',
    'pr merge 3 -d',
    'pr merge 3 --admin',
    'pr view 3 -w',
    'pr view 3 --repo https://evil.example/a/b',
    'pr view 3 --repo -x',
    'pr create --title',
    'pr create -F a -F b',
    'run download 3',
    'run view -tx',
    'browse',
    '--version',
    '',
  ])('refuses `gh %s`', text => {
    expect(plan(text.split(' '))).toMatchObject({ kind: 'refused' })
  })

  test('needs a branch for what is about the current one', () => {
    expect(planGh(['pr', 'create', '--title', 'T'], undefined, ACME)).toMatchObject({ kind: 'refused' })
    expect(planGh(['pr', 'view'], undefined, ACME)).toMatchObject({ kind: 'refused' })
    expect(planGh(['pr', 'view', '3'], undefined, { remotes: [] })).toMatchObject({ kind: 'refused' })
  })

  test.each([
    ['git@github.com:acme/project.git', 'acme/project'],
    ['https://user:secret@github.com/acme/project', 'acme/project'],
    ['ssh://git@github.com:22/acme/project.git', 'acme/project'],
    ['https://git.example.com/acme/project.git', 'git.example.com/acme/project'],
    ['http://127.0.0.1:3000/acme/project.git', '127.0.0.1:3000/acme/project'],
    ['https://gitlab.example.com/acme/team/project.git', undefined],
    ['/srv/git/project.git', undefined],
    ['https://github.com/acme', undefined],
  ])('reads %s as %s', (url, repository) => {
    expect(ghRepositoryOf(remotes(url))).toBe(repository)
  })

  test.each([
    [['gh', 'pr', 'create', '--title', undefined, '--body', undefined], true],
    [['gh', 'pr', 'view'], true],
    [['gh', 'pr', 'create', '--web'], false],
    [['gh', 'api', 'graphql', '-f', undefined], true],
    [['gh', 'api', 'graphql', '-H', 'x'], false],
    [['gh', 'api', 'repos/x'], false],
    [['gh'], false],
  ])('takes %j: %s', (words, takes) => {
    expect(brokerTakes(words)).toBe(takes)
  })
})
