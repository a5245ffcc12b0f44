import { dirname } from 'node:path'
import { Proof } from '@batonpass/contract/proof'
import { expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonIn } from '../world/baton.ts'
import { startModel } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

const ANSWER = { verdict: 'pass', findings: [], read: [] }
const FINDING = { file: 'sum.js', line: 1, what: 'It subtracts.' }

test('a fresh session of the real Claude Code reviews a commit: it reads, finds, passes, and proves nothing by words alone', {
  timeout: 240_000,
}, async () => {
  await using model = await startModel()
  await using home = claudeHome()
  const project = await home.git()
  await project.commit({ 'sum.js': 'module.exports = (a, b) => a + b\n', 'README.md': '# Sums\n' })
  await project.git('checkout', '-q', '-b', 'issue-1')
  await using baton = batonIn(home.path, home.project)
  baton.configure(
    'proof:\n  done_when:\n    - files: { exist: [sum.js] }\n    - review: Does it still add?\n',
  )
  const claude = await installAgent('claude-code')
  const env = { ...home.env(model), PATH: `${dirname(claude)}:${process.env.PATH}` }
  const prove = async () =>
    Proof.parse(JSON.parse((await baton.run(['proof', 'run', '--json'], { env })).stdout))

  let turns = [
    call('StructuredOutput', { ...ANSWER, verdict: 'read', read: ['README.md'] }),
    call('StructuredOutput', { ...ANSWER, verdict: 'fail', findings: [FINDING] }),
  ]
  model.script('Review the change', () => turns.shift() ?? say('Looks good to me: pass.'))
  await project.commit({ 'sum.js': 'module.exports = (a, b) => a - b\n' })
  const failed = await prove()
  expect(failed).toMatchObject({ verdict: 'unproven', why: expect.stringContaining('found sum.js:1') })
  expect(failed.results.at(-1)).toMatchObject({ status: 'failed', output: 'sum.js:1 It subtracts.' })
  // It saw the rubric, the change and the file that it asked for, and had no tool but its answer.
  const asked = model.requests.filter(({ text }) => text.includes('Review the change'))
  expect(asked[0]?.text).toContain('Does it still add?')
  expect(asked[0]?.text).toContain('+module.exports = (a, b) => a - b')
  expect(asked.at(-1)?.text).toContain('# Sums')
  const tools = asked.flatMap(({ toolNames }) => toolNames)
  expect(tools.filter(name => !/^(StructuredOutput|DeferredToolPlaceholder)$/.test(name))).toEqual([])
  // The review of a commit is not repeated.
  expect((await prove()).results.at(-1)).toMatchObject({ status: 'failed', cached: true })

  turns = [call('StructuredOutput', ANSWER)]
  await project.commit({ 'sum.js': 'module.exports = (a, b) => b + a\n' })
  expect(await prove()).toMatchObject({ verdict: 'proven' })

  turns = []
  await project.commit({ 'sum.js': 'module.exports = () => 0\n' })
  expect(await prove()).toMatchObject({ verdict: 'unproven', why: expect.stringContaining('Claude Code') })
})
