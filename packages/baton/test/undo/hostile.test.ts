import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Repository } from '../world/scratch.ts'
import { scratch } from '../world/scratch.ts'
import { gitState, storeIn, treeOf, undoWorld } from './world.ts'

const occasion = { label: 'test' }

/** Everything in a repository's own files that could name a program. */
async function boobyTrap(repo: Repository, trap: string): Promise<void> {
  const settings: Record<string, string> = {
    'filter.evil.clean': trap,
    'filter.evil.smudge': trap,
    'filter.evil.process': trap,
    'filter.evil.required': 'true',
    'diff.evil.command': trap,
    'diff.evil.textconv': trap,
    'diff.external': trap,
    'merge.evil.driver': trap,
    'core.fsmonitor': trap,
    'core.sshCommand': trap,
    'core.pager': trap,
    'core.editor': trap,
    'core.askPass': trap,
    'core.alternateRefsCommand': trap,
    'core.autocrlf': 'true',
    'credential.helper': trap,
    'gpg.program': trap,
    'commit.gpgSign': 'true',
    'uploadpack.packObjectsHook': trap,
    'alias.ls-files': `!${trap}`,
    'alias.fast-import': `!${trap}`,
    'protocol.ext.allow': 'always',
    'core.logAllRefUpdates': 'always',
    'extensions.partialClone': 'origin',
    'remote.origin.promisor': 'true',
    'remote.origin.url': `ext::${trap}`,
    'remote.origin.uploadpack': trap,
  }
  await repo.git('config', 'core.repositoryFormatVersion', '1')
  for (const [key, value] of Object.entries(settings)) await repo.git('config', key, value)
  for (const hook of [
    'reference-transaction',
    'post-index-change',
    'pre-commit',
    'post-checkout',
    'post-rewrite',
    'fsmonitor-watchman',
    'pre-auto-gc',
  ])
    repo.write(`.git/hooks/${hook}`, `#!/bin/sh\n${trap}\n`, 0o755)
  writeFileSync(
    join(repo.path, '.gitattributes'),
    '* filter=evil diff=evil merge=evil text=auto eol=crlf ident\n',
  )
}

const fullRefs = async (folder: string): Promise<string[]> =>
  execFileSync('git', ['for-each-ref', '--format=%(refname)'], { cwd: folder, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)

/** Replaces a step by one with the same description, these lines of its own and these files. */
function forge(folder: string, ref: string, lines: readonly string[], paths: readonly string[]): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  const message = git('log', '-1', '--format=%B', ref).replace(/"state":"\w+"/, '"state":"other"')
  const about = git('cat-file', 'blob', `${ref}:about`)
  const stream = [
    `commit ${ref}\ncommitter B <b@b> 1700000000 +0000\ndata ${Buffer.byteLength(message)}\n${message}`,
    ...lines,
    `M 100644 inline about\ndata ${Buffer.byteLength(about)}\n${about}`,
    ...paths.map(path => `M 100755 inline "${path}"\ndata 3\nbad`),
    'done\n',
  ].join('\n')
  execFileSync('git', ['fast-import', '--quiet', '--force', '--done'], { cwd: folder, input: stream })
}

describe('a hostile repository', () => {
  it('gets none of its programs run, and its files are kept byte for byte', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    const sprung = join(world.state, 'sprung')
    const trap = join(world.state, 'trap')
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${sprung}\n`, { mode: 0o755 })
    await repo.commit({ a: 'one\r\ntwo\n$Id$\n', b: 'b\n' })
    await boobyTrap(repo, trap)
    repo.write('a', 'one\r\ntwo\nthree\r\n$Id$\n')
    repo.write('c', 'untracked\r\n')
    const before = treeOf(repo.path)
    expect(await undo.take(repo.path, occasion).then(found => found?.covers(['a', 'new']))).toBe(true)
    repo.write('a', 'changed')
    rmSync(join(repo.path, 'c'))
    // A commit made without the traps.
    const clean = [
      '-c',
      'core.hooksPath=/dev/null',
      '-c',
      'core.fsmonitor=false',
      '-c',
      'commit.gpgSign=false',
    ]
    writeFileSync(join(repo.path, '.gitattributes'), '')
    await repo.git(...clean, 'commit', '-q', '--allow-empty', '-m', 'Empty')
    rmSync(sprung, { force: true })
    await undo.diff(repo.path)
    await undo.list(repo.path)
    const { notes } = await undo.restore(repo.path)
    expect(notes).toEqual([expect.stringContaining('main was at')])
    expect(treeOf(repo.path)).toEqual(before)
    expect(existsSync(sprung) ? readFileSync(sprung, 'utf8') : '').toBe('')
    // The traps are live: git without protection runs into them.
    await repo.git('add', '-A').catch(() => {})
    expect(readFileSync(sprung, 'utf8')).toContain(trap)
  })

  it('cannot lead a snapshot to another folder by core.worktree', async () => {
    await using world = await undoWorld()
    await using victim = scratch()
    victim.write('mine', 'mine')
    await world.repo.git('config', 'core.worktree', victim.path)
    await world.undo.take(world.repo.path, occasion)
    world.repo.write('README.md', 'edited')
    const { written } = await world.undo.restore(world.repo.path)
    expect(written).toEqual(['README.md'])
    expect(treeOf(victim.path)).toEqual({ mine: '644 mine' })
  })

  it('cannot have a hook or a file outside written by a forged step', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await undo.take(repo.path, occasion)
    const [ref = ''] = await fullRefs(storeIn(world))
    forge(storeIn(world), ref, [], ['files/.git/hooks/post-commit', 'files/sub/.Git/config', 'files/good'])
    const { written } = await undo.restore(repo.path, 1)
    expect(written).toEqual(['good'])
    expect(existsSync(join(repo.path, '.git/hooks/post-commit'))).toBe(false)
    expect(existsSync(join(repo.path, 'sub'))).toBe(false)
  })

  it('cannot remove or add a step, nor the commits and staged files that a step needs', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await repo.commit({ a: 'committed' })
    repo.write('a', 'stashed')
    await repo.git('stash', '-q')
    repo.write('b', 'staged')
    await repo.git('add', 'b')
    repo.write('b', 'edited')
    const before = treeOf(repo.path)
    const state = await gitState(repo)
    const stash = await repo.git('stash', 'list', '--format=%H')
    await undo.take(repo.path, occasion)

    await repo.git('reset', '-q', '--hard', 'HEAD~1')
    await repo.git('stash', 'clear')
    for (const ref of await fullRefs(repo.path))
      if (ref.startsWith('refs/baton')) await repo.git('update-ref', '-d', ref)
    await repo.git('update-ref', 'refs/baton/undo/0123456789abcdef/9', 'HEAD')
    await repo.git('reflog', 'expire', '--expire=now', '--all')
    await repo.git('gc', '-q', '--prune=now')
    rmSync(join(repo.path, 'README.md'))

    expect((await undo.list(repo.path)).map(({ step }) => step)).toEqual([1])
    const { notes } = await undo.restore(repo.path)
    expect(notes).toEqual([expect.stringContaining('main was at'), '1 stash entry was restored.'])
    expect(treeOf(repo.path)).toEqual(before)
    expect(await gitState(repo)).toEqual(state)
    expect(await repo.git('stash', 'list', '--format=%H')).toBe(stash)
    expect(await repo.git('fsck', '--no-dangling')).toBe('')
  })

  it('gets its files back even if all its objects are gone, and its commits where the store has them', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    await repo.commit({ a: 'one', 'dir/b': 'two' })
    const log = await repo.git('log', '--format=%H')
    await undo.take(repo.path, occasion)
    rmSync(join(repo.path, '.git/objects'), { recursive: true })
    mkdirSync(join(repo.path, '.git/objects'))
    rmSync(join(repo.path, 'dir'), { recursive: true })
    await undo.restore(repo.path)
    expect(treeOf(repo.path)).toMatchObject({ a: '644 one', 'dir/b': '644 two' })
    expect(await repo.git('log', '--format=%H')).toBe(log)
    expect(await repo.git('status', '--porcelain')).toBe('')
  })

  it('cannot have files written through a link that took a folder’s place', async () => {
    await using world = await undoWorld()
    await using victim = scratch()
    const { repo, undo } = world
    await repo.commit({ 'folder/file': 'mine' })
    victim.write('file', 'theirs')
    await undo.take(repo.path, occasion)
    rmSync(join(repo.path, 'folder'), { recursive: true })
    symlinkSync(victim.path, join(repo.path, 'folder'))
    const snapshot = await undo.take(repo.path, occasion)
    expect(await snapshot?.covers(['folder/file'])).toBe(false)
    await undo.restore(repo.path)
    expect(treeOf(repo.path)).toMatchObject({ 'folder/file': '644 mine' })
    expect(treeOf(victim.path)).toEqual({ file: '644 theirs' })
  })

  it('cannot hold a snapshot up with a pipe', async () => {
    await using world = await undoWorld()
    const { repo, undo } = world
    mkdirSync(join(repo.path, 'pipes'))
    execFileSync('mkfifo', [join(repo.path, 'pipes/p')])
    rmSync(join(repo.path, 'README.md'))
    execFileSync('mkfifo', [join(repo.path, 'README.md')])
    const snapshot = await undo.take(repo.path, occasion)
    expect(await snapshot?.covers(['README.md'])).toBe(false)
  })
})
