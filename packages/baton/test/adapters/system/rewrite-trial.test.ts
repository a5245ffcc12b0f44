import { readdirSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { rewriteTrial } from '../../../src/adapters/agents/claude-code/rewrite-trial.ts'
import { runRewriteTrial } from '../../../src/adapters/system/rewrite-trial.ts'
import { scratch } from '../../world/scratch.ts'

/** Agents in one line each: what their model wants is in its reply, what their hook says in a file. */
const ASK_MODEL = `
  const body = JSON.stringify({ tools: [{ name: 'Bash' }], messages: [], stream: true })
  const reply = await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })).text()
  const wanted = JSON.parse(JSON.parse(reply.match(/"partial_json":("(?:[^"\\\\]|\\\\.)*")/)[1])).command
  const settings = JSON.parse(fs.readFileSync(process.env.CLAUDE_CONFIG_DIR + '/settings.json', 'utf8'))
  const hook = settings.hooks.PreToolUse[0].hooks[0].command
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
  const script = `${folder.path}/agent.mjs`
  folder.write('agent.mjs', `${IMPORTS}${ASK_MODEL}${end}\n`)
  vi.stubEnv('TMPDIR', folder.path)
  const withinMs = end.includes('setInterval') ? 1_000 : 60_000
  const path = process.env.PATH ?? ''
  expect(await runRewriteTrial([process.execPath, script], rewriteTrial, path, withinMs)).toBe(expected)
  expect(readdirSync(folder.path)).toEqual(['agent.mjs'])
})

test('A program that cannot be started shows nothing', async () => {
  expect(await runRewriteTrial(['/nonexistent/agent'], rewriteTrial, '')).toBeUndefined()
})
