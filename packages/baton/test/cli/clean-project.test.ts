import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cleanProject, undoRefsIn } from '../../src/cli/clean-project.ts'

let root: string
const quiet = { stdout: { write: () => true } } as unknown as Parameters<typeof cleanProject>[1]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'baton-remains-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a link in a project leads to nothing being removed elsewhere', async () => {
  mkdirSync(join(root, 'elsewhere/hooked-sessions'), { recursive: true })
  mkdirSync(join(root, 'project'))
  symlinkSync(join(root, 'elsewhere'), join(root, 'project/.tmp'))
  await cleanProject(join(root, 'project'), quiet)
  expect(existsSync(join(root, 'elsewhere/hooked-sessions'))).toBe(true)
})

test('removing snapshots runs no hook of the project', async () => {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
  git('init', '-q')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')
  git('update-ref', 'refs/baton/undo/1', 'HEAD')
  const hook = join(root, '.git/hooks/reference-transaction')
  mkdirSync(join(root, '.git/hooks'), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\ntouch '${join(root, 'ran')}'\n`, { mode: 0o755 })
  mkdirSync(join(root, '.tmp/hooked-sessions'), { recursive: true })
  await cleanProject(root, quiet)
  expect(existsSync(join(root, 'ran'))).toBe(false)
  expect(await undoRefsIn(root)).toEqual([])
  expect(existsSync(join(root, '.tmp'))).toBe(false)
})
