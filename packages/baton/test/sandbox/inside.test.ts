import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SandboxWorld, sandboxWorld } from '../world/sandbox.ts'

/** Each test is a row of the table in docs/guides/sandbox.md. */
describe('inside the sandbox', () => {
  let world: SandboxWorld
  const out = async (command: string, options = {}) => (await world.run(command, options)).stdout.trim()

  beforeAll(async () => {
    world = await sandboxWorld({
      before: async ({ inHome, project }) => {
        for (const name of [
          '.ssh/id_ed25519',
          '.aws/credentials',
          '.npmrc',
          '.netrc',
          '.git-credentials',
          '.claude/.credentials.json',
          '.config/gh/hosts.yml',
          '.cargo/credentials.toml',
        ])
          inHome(name, 'secret-text')
        inHome('.nvm/versions/node/v1/bin/tool', '#!/bin/sh\necho from-nvm\n', 0o755)
        inHome('.cargo/bin/cargo-tool', '#!/bin/sh\necho from-cargo\n', 0o755)
        inHome('.npm/_cacache/content', 'cached')
        inHome('.gitconfig', '[user]\n\tname = Me\n[credential]\n\thelper = store\n[core]\n\tpager = evil\n')
        await project.commit({
          'src/a.txt': 'a\n',
          '.mcp.json': '{}',
          '.vscode/tasks.json': '{}',
          '.envrc': 'x',
          '.baton.yaml': 'x: 1\n',
          '.claude/settings.json': '{}',
          'deep/er/.vscode/tasks.json': '{}',
        })
        project.write('.env', 'API=secret-text\n')
        project.write('sub/.env.local', 'API=secret-text\n')
        project.write('.env.example', 'API=\n')
        await project.git('init', '-q', 'nested')
        await project.git('init', '-q', '--bare', 'fixtures/bare.git')
      },
    })
  })
  afterAll(async () => world?.[Symbol.asyncDispose]())

  it('can write the worktree', async () => {
    expect(await out('echo new > src/b.txt && cat src/b.txt')).toBe('new')
    expect(readFileSync(join(world.project.path, 'src/b.txt'), 'utf8')).toBe('new\n')
  })

  it('has a private temp folder that lasts for the session', async () => {
    expect(await out('echo kept > $TMPDIR/kept-inside; echo $TMPDIR')).toBe('/tmp')
    expect(await out('cat /tmp/kept-inside /var/tmp/kept-inside')).toBe('kept\nkept')
    expect(existsSync('/tmp/kept-inside')).toBe(false)
  })

  it('has private cache folders that last for the session', async () => {
    await world.run('mkdir -p ~/.cache/tool && echo kept > ~/.cache/tool/x')
    expect(await out('cat ~/.cache/tool/x')).toBe('kept')
    expect(existsSync(join(world.home, '.cache/tool'))).toBe(false)
  })

  it('has an empty home folder except for toolchains, caches and a git identity', async () => {
    expect((await out('cd; ls -A')).split('\n').sort()).toEqual([
      '.cache',
      '.cargo',
      '.gitconfig',
      '.npm',
      '.nvm',
      'project',
    ])
    expect(await out('echo $HOME')).toBe(world.home)
  })

  it('runs toolchains from the home folder and cannot change them', async () => {
    expect(await out('~/.nvm/versions/node/v1/bin/tool; ~/.cargo/bin/cargo-tool')).toBe(
      'from-nvm\nfrom-cargo',
    )
    expect((await world.run('echo x > ~/.cargo/bin/cargo-tool')).code).not.toBe(0)
    expect((await world.run('echo x > ~/.nvm/new')).code).not.toBe(0)
  })

  it('reads package caches and changes them for its session only', async () => {
    expect(await out('cat ~/.npm/_cacache/content; echo other > ~/.npm/_cacache/content')).toBe('cached')
    expect(await out('cat ~/.npm/_cacache/content')).toBe('other')
    expect(readFileSync(join(world.home, '.npm/_cacache/content'), 'utf8')).toBe('cached')
  })

  it('has a git configuration with a name and an address only', async () => {
    expect(await out('git config --global --list')).toBe('user.name=Me\nuser.email=me@example.com')
  })

  it.each([
    '.ssh',
    '.aws',
    '.npmrc',
    '.netrc',
    '.git-credentials',
    '.claude',
    '.config',
    '.local/state/baton',
    '.cargo/credentials.toml',
  ])('does not show ~/%s', async name => {
    expect(await out(`ls -d ~/${name} 2>&1`)).toContain('No such file')
  })

  it('hides .env files and shows examples', async () => {
    expect(await out('cat .env sub/.env.local; cat .env.example')).toBe('API=')
    expect((await world.run('echo x > .env')).code).not.toBe(0)
  })

  it('shows .env files where the owner of the project chose so', async () => {
    await using other = await sandboxWorld({
      settings: { envFiles: 'visible' },
      before: ({ project }) => void project.write('.env', 'API=visible'),
    })
    expect((await other.run('cat .env')).stdout).toBe('API=visible')
  })

  it('hides sockets of the user’s session', async () => {
    const path = join(world.scratch.path, 'agent.sock')
    const server = createServer().listen(path)
    const found = await out(
      `ls ${path} /var/run/docker.sock /run/user /run/dbus 2>&1 | grep -v 'No such file'`,
    )
    server.close()
    expect(found).toBe('')
  })

  it('hides other processes', async () => {
    const numbers = (await out('ls /proc | grep -E "^[0-9]+$"')).split('\n').map(Number)
    expect(numbers.length).toBeLessThan(12)
    // Not `grep vitest`, which may find itself.
    expect(await out(`ps ax -o args= | grep -c '[v]itest' || true`)).toBe('0')
  })

  it('hides secret environment variables and keeps others', async () => {
    const env = {
      API_KEY: 's',
      GH_TOKEN: 's',
      my_secret: 's',
      DB_PASSWORD: 's',
      SSH_AUTH_SOCK: '/s',
      DBUS_SESSION_BUS_ADDRESS: 's',
      TMUX: 's',
      DOCKER_HOST: 's',
      BATON_HOME: 's',
      CLAUDE_CODE_MESSAGING_SOCKET: 's',
      ANTHROPIC_BASE_URL: 's',
      DATABASE_URL: 'postgres://me:pw@db/x',
      HARMLESS: 'ghp_abc',
      'odd.TOKEN': 's',
      GIT_AUTHOR_NAME: 'A',
      NODE_ENV: 'test',
      MULTI: 'a\nexport X=1',
    }
    const lines = (await out('env -0 | tr "\\0" "\\1" | tr "\\n" " " | tr "\\1" "\\n"', { env })).split('\n')
    const names = lines.map(line => line.split('=')[0])
    expect(names.sort()).toEqual([
      'GIT_AUTHOR_NAME',
      'HOME',
      'LANG',
      'MULTI',
      'NODE_ENV',
      'PATH',
      'PWD',
      'SHLVL',
      'TMPDIR',
      '_',
    ])
    expect(lines).toContain('MULTI=a export X=1')
  })

  it.each([
    '.git/config',
    '.git/hooks/pre-commit',
    '.git/info/exclude',
    'nested/.git/config',
    'nested/.git/hooks/post-checkout',
    'fixtures/bare.git/config',
    'fixtures/bare.git/hooks/update',
    '.mcp.json',
    '.envrc',
    '.baton.yaml',
    '.vscode/tasks.json',
    '.vscode/new.json',
    'deep/er/.vscode/tasks.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
  ])('cannot write %s', async path => {
    const { code, stderr } = await world.run(`echo x >> ${path}`)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/Read-only file system/) })
  })

  it.each(['.git', 'nested/.git', 'fixtures/bare.git', '.vscode', '.mcp.json', '.claude'])(
    'cannot rename or remove %s',
    async path => {
      expect((await world.run(`mv ${path} away`)).code).not.toBe(0)
      expect((await world.run(`rmdir ${path} || unlink ${path}`)).code).not.toBe(0)
      expect(existsSync(join(world.project.path, path))).toBe(true)
    },
  )

  it('commits, branches and collects garbage', async () => {
    const { code, stderr } = await world.run(
      'git switch -q -c topic && git add -A src && git commit -q -m Topic && git branch -f other && git gc -q && git log -1 --format=%an',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(
      execFileSync('git', ['log', '-1', '--format=%s', 'topic'], { cwd: world.project.path }).toString(),
    ).toBe('Topic\n')
  })

  it('commits in a linked worktree and leaves the main one alone', async () => {
    const { project } = world
    const linked = join(world.home, 'linked')
    await project.git('worktree', 'add', '-q', linked, '-b', 'linked')
    const run = async (text: string) => {
      const made = await world.session.prepare({
        shell: 'bash',
        text,
        worktree: linked,
        cwd: linked,
        path: process.env.PATH ?? '',
      })
      if (!made.ok) throw new Error(made.reason)
      return execFileSync('/bin/bash', ['-c', `${made.prepared.text}; true`], {
        cwd: linked,
        encoding: 'utf8',
        stdio: 'pipe',
      })
    }
    expect(await run('echo l > l.txt; git add l.txt; git commit -q -m Linked; git log -1 --format=%s')).toBe(
      'Linked\n',
    )
    for (const path of [
      'config',
      'hooks/pre-commit',
      'HEAD',
      'worktrees/linked/commondir',
      'worktrees/linked/gitdir',
    ])
      expect(await run(`echo x 2>/dev/null >> ${project.path}/.git/${path} && echo written`)).toBe('')
    expect(await run('echo x 2>/dev/null > .git && echo written')).toBe('')
  })

  it('does not open another repository to a forged .git file', async () => {
    await using other = await sandboxWorld()
    const victim = join(other.home, 'victim')
    await other.project.git('init', '-q', victim)
    mkdirSync(join(other.home, 'forged'))
    other.inHome('forged/.git', `gitdir: ${victim}/.git\n`)
    const forged = join(other.home, 'forged')
    const made = await other.session.run({ worktree: forged, cwd: forged, path: '/usr/bin:/bin' }, [
      'ls',
      victim,
    ])
    expect(made.code).not.toBe(0)
  })

  it('shows folders that settings make readable, but never what is hidden in them', async () => {
    await using other = await sandboxWorld({
      before: ({ inHome }) => {
        inHome('.ssh/id_rsa', 'secret-text')
        inHome('notes/a.txt', 'note')
      },
    })
    const session = await other.open('ses_readable', { readable: [other.home, join(other.home, '.ssh')] })
    const call = { worktree: other.project.path, cwd: other.project.path, path: '/usr/bin:/bin' }
    expect((await session.run(call, ['cat', join(other.home, 'notes/a.txt')])).stdout).toBe('note')
    expect((await session.run(call, ['ls', '-A', join(other.home, '.ssh')])).stdout).toBe('')
    expect((await session.run(call, ['ls', '-A', other.state])).stdout).toBe('')
  })

  it('refuses a project folder that contains the home folder', async () => {
    const made = await world.session.prepare({
      shell: 'bash',
      text: 'true',
      worktree: world.scratch.path,
      cwd: world.scratch.path,
      path: '',
    })
    expect(made).toMatchObject({ ok: false, reason: expect.stringContaining('contains your home folder') })
  })

  it('follows a link to the project folder', async () => {
    symlinkSync(world.project.path, join(world.home, 'shortcut'))
    const shortcut = join(world.home, 'shortcut')
    const { stdout } = await world.session.run({ worktree: shortcut, cwd: shortcut, path: '/usr/bin:/bin' }, [
      '/bin/sh',
      '-c',
      `pwd -P; cat ${shortcut}/README.md`,
    ])
    expect(stdout).toBe(`${world.project.path}\n# Example\n`)
  })
})
