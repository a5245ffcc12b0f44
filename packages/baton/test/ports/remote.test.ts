import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { repositoryOf } from '../../src/ports/remote.ts'

describe('a remote address', () => {
  test.each([
    ['https://github.com/acme/app.git', 'github.com', 'acme', 'app'],
    ['https://github.com/acme/app', 'github.com', 'acme', 'app'],
    ['https://github.com/acme/app/', 'github.com', 'acme', 'app'],
    ['https://GitHub.com/Acme/App.git', 'github.com', 'Acme', 'App'],
    ['https://dev:ghp_secret@github.com/acme/app.git', 'github.com', 'acme', 'app'],
    ['http://127.0.0.1:8080/acme/app.git', '127.0.0.1:8080', 'acme', 'app'],
    ['git@github.com:acme/app.git', 'github.com', 'acme', 'app'],
    ['github.com:acme/app', 'github.com', 'acme', 'app'],
    ['ssh://git@github.com/acme/app.git', 'github.com', 'acme', 'app'],
    ['ssh://git@ssh.github.com:443/acme/app.git', 'github.com', 'acme', 'app'],
    ['ssh://git@ghe.example.com:2222/acme/app.git', 'ghe.example.com', 'acme', 'app'],
    ['git://ghe.example.com/acme/app.git', 'ghe.example.com', 'acme', 'app'],
    ['git+ssh://git@ghe.example.com/acme/app', 'ghe.example.com', 'acme', 'app'],
    ['git@gitlab.com:group/sub/app.git', 'gitlab.com', 'group/sub', 'app'],
    ['https://github.com/acme/app.github.io', 'github.com', 'acme', 'app.github.io'],
    ['org-123@github.com:acme/app.git\n', 'github.com', 'acme', 'app'],
  ])('%s names its repository', (address, host, owner, name) => {
    expect(repositoryOf(address)).toEqual({ host, owner, name })
  })

  test.each([
    '',
    '/home/dev/app.git',
    './app.git',
    '../app',
    'file:///home/dev/app.git',
    'C:\\work\\app',
    'C:/work/app',
    'https://github.com',
    'https://github.com/acme',
    'https://github.com/acme/..',
    'https://github.com/../app',
    'https://github.com/acme/.git',
    'https://github.com/acme/app?x=1',
    'https://github.com/acme/app#x',
    'https://github.com/acme/a pp',
    'https://github.com/acme/%2e%2e',
    'https://exa mple.com/acme/app',
    'git@github.com:',
    'git@:acme/app',
    '-oProxyCommand=evil:acme/app',
    'ext::sh -c evil',
    'javascript:alert(1)',
    'git@github.com:acme/app\u0000.git',
    `https://github.com/acme/${'a'.repeat(3000)}`,
  ])('%j names none', address => {
    expect(repositoryOf(address)).toBeUndefined()
  })

  test('nothing of the credentials is ever in the answer, and nothing makes it throw', () => {
    const secret = 'S3CRETS3CRET'
    const shape = fc.constantFrom(
      (path: string) => `https://dev:${secret}@github.com/${path}`,
      (path: string) => `ssh://${secret}@host/${path}`,
      (path: string) => `${secret}@host:${path}`,
      (path: string) => path,
    )
    fc.assert(
      fc.property(shape, fc.string({ unit: 'binary', maxLength: 60 }), (make, path) => {
        const answer = repositoryOf(make(path))
        expect(JSON.stringify(answer) ?? '').not.toContain(secret)
        for (const part of answer ? [...answer.owner.split('/'), answer.name] : []) {
          expect(part).toMatch(/^[A-Za-z0-9_.~-]+$/)
          expect(part).not.toMatch(/^\.+$/)
        }
      }),
    )
  })
})
