import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { rewriteTrial } from '../../../src/adapters/agents/claude-code/rewrite-trial.ts'
import { runRewriteTrial } from '../../../src/adapters/system/rewrite-trial.ts'
import type { Io } from '../../../src/cli/io.ts'
import { tryAgents } from '../../../src/cli/try-agents.ts'
import { stateFolder } from '../../../src/config/state-folder.ts'
import { scratch } from '../../world/scratch.ts'

/** Agents in one line each: what their model wants is in its reply, what their hook says in a file. */
const ASK_MODEL = `
  const body = JSON.stringify({ tools: [{ name: 'Bash' }], messages: [], stream: true })
  const reply = await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })).text()
  const wanted = JSON.parse(JSON.parse(reply.match(/"partial_json":("(?:[^"\\\\]|\\\\.)*")/)[1])).command
  const settings = JSON.parse(fs.readFileSync(process.env.CLAUDE_CONFIG_DIR + '/settings.json', 'utf8'))
  const hook = settings.hooks.PreToolUse[1].hooks[0].command
  const { updatedInput } = JSON.parse(child.execFileSync('sh', ['-c', hook], { encoding: 'utf8' })).hookSpecificOutput
`
const IMPORTS = "import fs from 'node:fs'; import child from 'node:child_process';"

test.each([
  ['runs the replacement', 'child.execSync(updatedInput.command)', 'proven'],
  ['runs the command itself', 'child.execSync(wanted)', 'dropped'],
  ['runs both', 'child.execSync(updatedInput.command); child.execSync(wanted)', 'dropped'],
  ['runs neither', '', undefined],
  ['hangs', 'setInterval(() => {}, 1000)', undefined],
])('A program that %s is found out, and nothing stays of the trial', async (_, end, expected) => {
  await using folder = scratch('bt-')
  folder.write('agent.mjs', `#!${process.execPath}\n${IMPORTS}${ASK_MODEL}${end}\n`, 0o755)
  const withinMs = end.includes('setInterval') ? 1_000 : 60_000
  const program = `${folder.path}/agent.mjs`
  expect(await runRewriteTrial(program, rewriteTrial, folder.path, { withinMs })).toBe(expected)
  expect(readdirSync(folder.path)).toEqual(['agent.mjs'])
})

test('A program that cannot be started shows nothing', async () => {
  await using folder = scratch('bt-')
  expect(await runRewriteTrial('/nonexistent/agent', rewriteTrial, folder.path)).toBeUndefined()
})

test('The program gets nothing of the environment in which it is tried', async () => {
  await using folder = scratch('bt-')
  vi.stubEnv('PATH', `${folder.path}/bin:${process.env.PATH}`)
  vi.stubEnv('BASH_ENV', `${folder.path}/evil.sh`)
  const out = `${folder.path}/env`
  folder.write('agent', `#!/bin/sh\nenv > ${out}; pwd >> ${out}\n`, 0o755)
  await runRewriteTrial(`${folder.path}/agent`, rewriteTrial, folder.path)
  const env = readFileSync(out, 'utf8')
  expect(env).not.toContain(`${folder.path}/bin`)
  expect(env).not.toContain('BASH_ENV')
  expect(env).toMatch(new RegExp(`^HOME=${folder.path}/trial-`, 'm'))
})

test('init starts no program of the project, and tries the same program once', {
  timeout: 60_000,
}, async () => {
  await using folder = scratch('bt-')
  const calls = () => (existsSync(`${folder.path}/calls`) ? readFileSync(`${folder.path}/calls`, 'utf8') : '')
  const agent = `#!${process.execPath}\n${IMPORTS}fs.appendFileSync('${folder.path}/calls', 'x');${ASK_MODEL}child.execSync(updatedInput.command)\n`
  for (const place of ['project/node_modules/.bin', 'bin']) {
    folder.write(`${place}/claude`, `#!/bin/sh\nexec ${process.execPath} $0.mjs "$@"\n`, 0o755)
    folder.write(`${place}/claude.mjs`, agent)
  }
  folder.write('bin/bwrap', '#!/bin/sh\n', 0o755)
  folder.write('project/.git/HEAD', 'ref: refs/heads/main\n')
  folder.write('state/sandbox/keep', '')
  const state = stateFolder(`${folder.path}/state`)
  const io = (path: string): Io => ({
    stdin: process.stdin,
    stdout: { write: () => true },
    stderr: { write: () => true },
    env: { PATH: `${path}:${folder.path}/bin` },
    cwd: `${folder.path}/project`,
    home: folder.path,
    isTTY: false,
    signal: new AbortController().signal,
  })
  expect(await tryAgents(['claude-code'], state, io(`${folder.path}/project/node_modules/.bin`))).toEqual([])
  expect(calls()).toBe('')
  expect(await tryAgents(['codex'], state, io('/nonexistent'))).toEqual([])
  expect(await tryAgents(['claude-code'], state, io('/nonexistent'))).toEqual([
    "Started Claude Code once without a model: its commands run in Baton's sandbox",
  ])
  expect(await tryAgents(['claude-code'], state, io('/nonexistent'))).toEqual([])
  expect(calls()).toBe('x')
})
