import { Proof } from '@batonpass/contract/proof'
import { expect, it } from 'vitest'
import { evidenceBlock, withEvidence, withoutEvidence } from '../../src/proof/evidence-block.ts'

const proof = (more: object): Proof =>
  Proof.parse({
    version: 1,
    id: `prf_${'0'.repeat(20)}`,
    project: '/app',
    commit: 'abcdef0123456789',
    base: '0',
    checks: [],
    startedAt: '2026-11-15T12:00:00.000Z',
    ...more,
  })

it('names the verdict, the commit and each check with its time', () => {
  const results = [{ name: 'npm test', status: 'passed', seconds: 3.4 }]
  const block = evidenceBlock(proof({ verdict: 'proven', results, checks: [] }))
  expect(block).toContain('**Proven.**')
  expect(block).toContain('commit abcdef0123')
  expect(block).toContain('| npm test | passed | 3 s |')
})

it('replaces its earlier block and nothing else', () => {
  const first = withEvidence(
    'Text of the agent\n',
    evidenceBlock(proof({ verdict: 'unproven', why: 'no checks' })),
  )
  const second = withEvidence(`${first}\nMore text\n`, evidenceBlock(proof({ verdict: 'proven' })))
  expect(first).toContain('**Unproven: no checks.**')
  expect(second).toMatch(/^Text of the agent\n\n<!-- baton:proof -->[\s\S]*Proven[\s\S]*More text\n$/)
  expect(second).not.toContain('Unproven')
})

it('lets nothing of the repository leave its cell', () => {
  const name = 'x | y `z` <!-- /baton:proof --> @everyone fixes #1 [a](b)'
  const block = evidenceBlock(
    proof({ verdict: 'unproven', why: name, results: [{ name, status: 'failed', why: name, seconds: 0 }] }),
  )
  expect(block.match(/<!--/g)).toHaveLength(2)
  expect(block).not.toMatch(/@everyone|#1\b|`|\[a\]/)
  expect(block.split('\n').filter(line => line.startsWith('|'))).toHaveLength(3)
})

it('says where the report of the agent differs, and leaves with the block', () => {
  const block = evidenceBlock(proof({ verdict: 'proven', contradictions: ['It says "a | b", but @x'] }))
  expect(block).toContain('- It says "a &#124; b", but @&#8203;x')
  expect(withoutEvidence(`Mine\n${block}\nMore`)).toBe('Mine\n\nMore')
  expect(withoutEvidence('Mine <!-- baton:proof --> open')).toBe('Mine <!-- baton:proof --> open')
})

it('links the commit and what the forge shows, and no address that could leave the link', () => {
  const repository = { host: 'github.com', owner: 'acme', name: 'app' }
  const result = { name: 'CI', status: 'passed', seconds: 60 }
  const ci = 'https://github.com/acme/app/actions/runs/1/job/2'
  const block = evidenceBlock(proof({ verdict: 'proven', results: [{ ...result, url: ci }] }), repository)
  expect(block).toContain('[abcdef0123](https://github.com/acme/app/commit/abcdef0123456789)')
  expect(block).toContain(`| [CI](${ci}) | passed | 60 s |`)
  for (const url of ['javascript:alert(1)', 'https://x.y/) @everyone', 'https://x.y/a|b', 'https://x.y/\nz'])
    expect(evidenceBlock(proof({ verdict: 'proven', results: [{ ...result, url }] }))).toContain(
      '| CI | passed |',
    )
  expect(evidenceBlock(proof({}), { host: 'folder', owner: 'you', name: 'p' })).not.toContain('](')
})

it('shows why the tests became weaker', () => {
  const note = 'The agent says why: the parser is gone | @x'
  const result = { name: 'no test weakened', status: 'passed', seconds: 1, note }
  expect(evidenceBlock(proof({ verdict: 'proven', results: [result] }))).toContain(
    '| no test weakened | passed. The agent says why: the parser is gone &#124; @&#8203;x | 1 s |',
  )
})
