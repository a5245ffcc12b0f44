import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { gitClones } from '../../../src/adapters/git/clones.ts'
import { gitRepo, plainGit } from '../../world/scratch.ts'

const run = promisify(execFile)
const git = async (cwd: string, ...args: string[]) =>
  (await run('git', args, { cwd, env: { ...process.env, ...plainGit } })).stdout.trimEnd()
const nobody = async () => undefined

describe('clones for agents', () => {
  test('share objects but not refs: a branch of one is not in the other, and the objects are borrowed', async () => {
    await using repo = await gitRepo()
    await repo.commit({ 'a.txt': 'one\n' })
    await repo.remote()
    const project = await repo.git('rev-parse', '--show-toplevel')
    const [one, two] = [await gitClones.folders(project, 1), await gitClones.folders(project, 2)]
    expect(one).toEqual({
      clone: `${project}-fleet/issue-1`,
      objects: `${project}-fleet/shared.git/objects`,
    })
    for (const folders of [one, two]) await gitClones.make(project, folders, nobody)
    expect(readFileSync(join(one.clone, '.git/objects/info/alternates'), 'utf8')).toBe(`${one.objects}\n`)
    expect(await git(one.clone, 'count-objects', '-v')).toContain('count: 0')
    expect(readFileSync(join(one.clone, 'a.txt'), 'utf8')).toBe('one\n')
    expect(await git(one.clone, 'config', 'user.name')).toBe('Dev')
    expect(await git(one.clone, 'remote', 'get-url', 'origin')).toBe(
      await repo.git('remote', 'get-url', 'origin'),
    )

    const before = await git(join(one.objects, '..'), 'for-each-ref')
    await git(one.clone, 'switch', '-qc', 'issue-1')
    await git(one.clone, 'commit', '-q', '--allow-empty', '-m', 'Mine')
    await git(one.clone, 'update-ref', 'refs/heads/main', 'HEAD')
    expect(await git(two.clone, 'for-each-ref', 'refs/heads')).toBe('')
    expect(await git(join(one.objects, '..'), 'for-each-ref')).toBe(before)
    expect(await repo.git('log', '--all', '--format=%s')).not.toContain('Mine')
  })

  test('leave what an earlier attempt made, and start again where one was interrupted', async () => {
    await using repo = await gitRepo()
    await repo.remote()
    const project = await repo.git('rev-parse', '--show-toplevel')
    const folders = await gitClones.folders(project, 7)
    await gitClones.make(project, folders, nobody)
    writeFileSync(join(folders.clone, 'work.txt'), 'half done\n')
    await gitClones.make(project, folders, nobody)
    expect(existsSync(join(folders.clone, 'work.txt'))).toBe(true)
    const other = await gitClones.folders(project, 8)
    await run('mkdir', ['-p', `${other.clone}.new/.git`])
    await gitClones.make(project, other, nobody)
    expect(await git(other.clone, 'status', '--porcelain')).toBe('')
  })

  test('are deleted only if the remote has everything', async () => {
    await using repo = await gitRepo()
    await repo.remote()
    const project = await repo.git('rev-parse', '--show-toplevel')
    const folders = await gitClones.folders(project, 9)
    await gitClones.make(project, folders, nobody)
    writeFileSync(join(folders.clone, 'work.txt'), 'mine\n')
    expect(await gitClones.remove(folders)).toEqual({ kept: 'it has uncommitted changes (work.txt)' })
    await git(folders.clone, 'switch', '-qc', 'issue-9')
    await git(folders.clone, 'add', '-A')
    await git(folders.clone, 'commit', '-qm', 'Mine')
    expect(await gitClones.remove(folders)).toEqual({ kept: 'issue-9 has commits that were not pushed' })
    await git(folders.clone, 'push', '-q', 'origin', 'issue-9')
    expect(await gitClones.remove(folders)).toBe('removed')
    expect(existsSync(folders.clone)).toBe(false)
    expect(await gitClones.remove(folders)).toBe('removed')
  })
})
