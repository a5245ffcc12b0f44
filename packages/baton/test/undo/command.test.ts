import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitSnapshots } from '../../src/adapters/git/snapshot.ts'
import type { Given } from '../../src/cli/command.ts'
import { undo } from '../../src/cli/commands/undo.ts'
import { Undo } from '../../src/undo/undo.ts'
import { gitRepo } from '../world/scratch.ts'

async function world() {
  const repo = await gitRepo()
  const home = join(repo.path, '../home')
  const taker = new Undo({
    snapshots: gitSnapshots({ dir: join(home, 'undo') }),
    clock: { now: () => Date.now(), elapsed: () => 0 },
  })
  const run = async (positionals: string[] = [], options: Given['options'] = {}) => {
    let text = ''
    const out = { write: (chunk: string) => (text += chunk) }
    const code = await undo(
      { positionals, options },
      {
        stdin: process.stdin,
        stdout: out,
        stderr: out,
        env: { BATON_HOME: home },
        cwd: repo.path,
        home,
        isTTY: false,
        signal: new AbortController().signal,
      },
    )
    return { code, text }
  }
  return { repo, taker, run, [Symbol.asyncDispose]: async () => repo.remove() }
}

describe('baton undo', () => {
  it('lists steps, shows what it would change, goes back and says how to take that back', async () => {
    await using it = await world()
    expect((await it.run([], { list: true })).text).toBe('Nothing to undo.\n')
    await it.taker.take(it.repo.path, { label: 'sed -i s/a/b/ README.md \x1b[2J' })
    it.repo.write('README.md', 'changed\n')
    const listed = await it.run([], { list: true })
    expect(listed.text).toMatch(/^1 {2}\d+s ago {2}main {2}before: sed -i s\/a\/b\/ README.md \[2J\n$/)
    expect(JSON.parse((await it.run([], { list: true, json: true })).text)).toMatchObject([{ step: 1 }])

    const shown = await it.run([], { 'dry-run': true })
    expect(shown.text).toContain('-changed\n+# Example\n')
    expect(readFileSync(join(it.repo.path, 'README.md'), 'utf8')).toBe('changed\n')

    const done = await it.run(['1'])
    expect(done).toEqual({
      code: 0,
      text: expect.stringMatching(
        /^Back at step 1, .*: 1 file restored, 0 files removed\.\nTo revert this: baton undo 2\n$/,
      ),
    })
    expect(readFileSync(join(it.repo.path, 'README.md'), 'utf8')).toBe('# Example\n')
    expect((await it.run(['1'])).text).toContain('Nothing to undo')
    expect(JSON.parse((await it.run([], { json: true })).text)).toMatchObject({
      step: { step: 2 },
      written: ['README.md'],
    })
    expect(readFileSync(join(it.repo.path, 'README.md'), 'utf8')).toBe('changed\n')
  })

  it.each(['0', 'x', '-1', '1.5'])('refuses %s as a step', async word => {
    await using it = await world()
    await expect(it.run([word])).rejects.toMatchObject({ code: 'usage' })
  })
})
