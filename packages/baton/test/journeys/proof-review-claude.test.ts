import { dirname } from 'node:path'
import { Proof } from '@batonpass/contract/proof'
import { expect, test } from 'vitest'
import { claudeHome } from '../world/agents/claude.ts'
import { installAgent } from '../world/agents/install.ts'
import { batonIn } from '../world/baton.ts'
import { cloneInto, settingsFor } from '../world/claims.ts'
import { fakeGitHub } from '../world/github.ts'
import { startModel } from '../world/model.ts'
import { call, say } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const HEAD = "const t = require('node:test'), a = require('node:assert')\n"
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

test('the real Claude Code decides the boxes of an issue and a reason for fewer tests, and the pull request shows both', {
  timeout: 240_000,
}, async () => {
  await using github = await fakeGitHub()
  const { repository } = github
  const boxes = '- [ ] Remove the sum\n- [ ] Announce it\n'
  const issue = await repository.issue({ title: 'Remove the sum', body: `Nobody needs it.\n\n${boxes}` })
  await repository.git.commit('main', {
    'package.json': JSON.stringify({ name: 'app', scripts: { test: 'node --test' } }),
    'sum.js': 'module.exports = (a, b) => a + b\n',
    'sum.test.js': `${HEAD}t('adds', () => a.equal(require('./sum.js')(1, 2), 3))\n`,
    'app.test.js': `${HEAD}t('starts', () => a.equal(1, 1))\n`,
  })
  await using model = await startModel()
  await using home = claudeHome()
  const project = await cloneInto(home, github)
  await using baton = batonIn(home.path, home.project)
  baton.configure(settingsFor(github))
  const claude = await installAgent('claude-code')
  const env = { ...home.env(model), PATH: `${dirname(claude)}:${process.env.PATH}` }
  expect(await baton.run(['up'], { env })).toMatchObject({ code: 0 })
  const of = (task: number, verdict: string) => ({ task, verdict, file: '', line: 0, check: '', what: '' })
  const turns = [
    call('StructuredOutput', { verdict: 'asked-for', what: 'It removes the sum.', read: [] }),
    call('StructuredOutput', {
      tasks: [{ ...of(1, 'done'), check: 'npm test' }, of(2, 'cannot-tell')],
      read: [],
    }),
  ]
  model.script('Review the change', () => turns.shift() ?? say('There is nothing left to review.'))

  await baton.must('claim', String(issue))
  await project.git('rm', '-q', 'sum.js', 'sum.test.js')
  await project.commit({}, 'Remove the sum\n\nTest-Change-Reason: the issue removes the sum')
  await baton.must('claim', 'ready', '--summary', 'Remove the sum')
  const [pull] = await until(
    async () => {
      const pulls = await repository.pulls()
      return pulls.length > 0 && pulls
    },
    { what: 'the pull request', timeout: 180_000, evidence: () => baton.must('proof', '--json') },
  )
  expect(turns).toEqual([])
  const body = pull?.body ?? ''
  expect(body).toContain('**Unproven: Announce it: nothing shows that it is done.**')
  expect(body).toContain('| Remove the sum | passed |')
  expect(body).toMatch(
    /no test weakened \| passed\. Weaker tests: 1 test fewer .* The agent says why: the issue removes the sum/,
  )
  const head = await project.git('rev-parse', 'HEAD')
  expect(body).toContain(`/acme/app/commit/${head.trim()})`)
})
