import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { scratch } from '../scratch.ts'
import { installAgent } from './install.ts'

// npm is replaced by a small program that unpacks a pretend package, so no network and no 350 MB are needed.
const npm = `#!/bin/sh
echo install >>"$BATON_FAKE_LOG"
[ -n "$BATON_FAKE_FAIL" ] && exit 1
p=node_modules/@anthropic-ai/claude-code
mkdir -p "$p" node_modules/.bin
echo '{"version":"2.1.325"}' >"$p/package.json"
echo 'require("fs").writeFileSync("prepared", "yes")' >"$p/install.cjs"
printf '#!/bin/sh\\necho 2.1.325\\n' >node_modules/.bin/claude
chmod +x node_modules/.bin/claude
`

afterEach(() => vi.unstubAllEnvs())

test('an empty cache is filled once, however many ask at the same time', async () => {
  await using world = fakeNpm()

  const paths = await Promise.all([1, 2, 3].map(() => installAgent('claude-code', world.cache)))

  expect(new Set(paths).size).toBe(1)
  const home = join(world.cache, 'claude-code-2.1.325')
  expect(paths[0]).toBe(join(home, 'node_modules/.bin/claude'))
  expect(existsSync(join(home, 'node_modules/@anthropic-ai/claude-code/prepared'))).toBe(true)
  expect(world.installs()).toBe(1)
  expect(readdirSync(world.cache)).toEqual(['claude-code-2.1.325'])
})

test('the lock of a process that is gone is taken over', async () => {
  await using world = fakeNpm()
  mkdirSync(world.cache)
  writeFileSync(join(world.cache, 'claude-code-2.1.325.lock'), '99999999')

  await installAgent('claude-code', world.cache)

  expect(world.installs()).toBe(1)
})

test('a failed installation is an error at once and leaves no lock behind', async () => {
  await using world = fakeNpm()
  vi.stubEnv('BATON_FAKE_FAIL', '1')

  await expect(installAgent('claude-code', world.cache)).rejects.toThrow()

  expect(readdirSync(world.cache).filter(name => name.endsWith('.lock'))).toEqual([])
  expect(world.installs()).toBe(1)
})

function fakeNpm() {
  const folder = scratch()
  chmodSync(folder.write('bin/npm', npm), 0o755)
  const log = join(folder.path, 'log')
  vi.stubEnv('PATH', `${join(folder.path, 'bin')}${delimiter}${process.env.PATH}`)
  vi.stubEnv('BATON_FAKE_LOG', log)
  const installs = () => readFileSync(log, 'utf8').split('\n').filter(Boolean).length
  return { ...folder, cache: join(folder.path, 'cache'), installs }
}
