import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { sandboxWorld } from '../world/sandbox.ts'

test('a program that runs inside as a whole gets exactly its words and its own login, once, and leaves no login behind', async () => {
  await using world = await sandboxWorld({
    settings: { network: async () => ({ mounts: [], environment: {} }) },
  })
  const { path: worktree } = world.project
  const script = 'printf "%s|" "$@"; env | grep -E "KEY|TOKEN"'
  const made = await world.session.prepareProgram({
    ...{ worktree, cwd: worktree, path: process.env.PATH ?? '' },
    argv: ['/bin/sh', '-c', script, 'sh', 'a b', "it's", '$HOME', ''],
    mounts: [],
    environment: { ANTHROPIC_API_KEY: 'own' },
  })
  if (!made.ok) throw new Error(made.reason)
  const { program, args, id } = made.prepared
  const run = () =>
    spawnSync(program, [...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, OTHER_TOKEN: 'x', TMUX: '/tmp/x' },
    })
  expect(run()).toMatchObject({ status: 0, stdout: "a b|it's|$HOME||ANTHROPIC_API_KEY=own\n" })
  expect(run()).toMatchObject({ status: 126, stderr: 'baton: This command ran already.\n' })
  const request = join(dirname(program), 'requests', id)
  expect(['options', 'environment'].filter(name => existsSync(join(request, name)))).toEqual([])
})
