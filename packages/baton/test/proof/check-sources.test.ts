import { Config } from '@batonpass/contract/config'
import { describe, expect, it } from 'vitest'
import { Proofs, type ProofsParts } from '../../src/proof/proofs.ts'

const FILES: Record<string, string> = { 'package.json': JSON.stringify({ scripts: { test: 'node --test' } }) }
const ISSUE = { issue: 42, tasks: [], done_when: ['npm run e2e'], isTrusted: true, refused: [] }
const WORKFLOW = { workflow: 'release', done_when: ['npm run release-test'] }

/** Proofs of a repository with one test script. */
const proofs = (config: object) =>
  new Proofs({
    checkouts: {
      resolve: async () => 'a',
      findBase: async () => 'b',
      tree: () => ({ paths: async () => Object.keys(FILES), read: async (path: string) => FILES[path] }),
    },
    configFor: async () => Config.parse(config),
  } as unknown as ProofsParts)

it('a declared command that the repository defines must still do what it did before the work', async () => {
  const { checks } = await proofs({ proof: { done_when: ['npm test', 'make x'] } }).checksOf({
    project: '/app',
  })
  expect(checks.map(check => check.kind === 'run' && [check.where, check.definedIn])).toEqual([
    ['proof.done_when', 'package.json'],
    ['proof.done_when', undefined],
    false,
  ])
})

describe('the checks of work', () => {
  const declared = { proof: { done_when: ['make check'] } }
  it.each<[string, object, object, string[]]>([
    ['the repository', {}, {}, ['npm test: derived']],
    ['the settings before the repository', declared, {}, ['make check: settings']],
    [
      'the workflow before the settings',
      declared,
      { workflowChecks: WORKFLOW },
      ['npm run release-test: workflow'],
    ],
    [
      'the issue next to the repository',
      {},
      { issueChecks: ISSUE },
      ['npm test: derived', 'npm run e2e: issue'],
    ],
    [
      'the issue next to the workflow',
      declared,
      { issueChecks: ISSUE, workflowChecks: WORKFLOW },
      ['npm run release-test: workflow', 'npm run e2e: issue'],
    ],
  ])('come from %s', async (_, config, order, expected) => {
    const { checks } = await proofs(config).checksOf({ project: '/app', ...order })
    const named = checks.map(({ name, source }) => `${name}: ${source}`)
    expect(named).toEqual([...expected, 'no test weakened: derived'])
  })
})
