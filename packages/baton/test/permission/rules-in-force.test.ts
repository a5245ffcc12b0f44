import { Config } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { type ActiveWorkflow, rulesInForce, rulesKeeper } from '../../src/permission/rules-in-force.ts'
import { setupViewboard } from '../../src/work/workflows/builtin-workflows.ts'
import { PLACE } from './place.ts'

const WORKFLOW: ActiveWorkflow = { name: 'setup-viewboard', permissions: setupViewboard.permissions }

function decide(command: string, config: Config, workflow?: ActiveWorkflow) {
  return judge({ tool: 'Bash', input: { command }, ...PLACE }, rulesInForce(config, PLACE, workflow)).decision
}
const ASK_GH = Config.parse({ permissions: { ask: [{ program: 'gh' }] } })

describe('the rules of a running workflow', () => {
  const allowed = [
    'gh auth status',
    'gh repo view --json owner -q .owner.login',
    'gh repo view --json=owner -q .owner.login',
    'gh label create agentize:plan --color 0E8A16 --force',
  ]
  test.each(allowed)('%s is allowed while it is active, and only then', command => {
    expect(decide(command, ASK_GH)).toBe('ask')
    expect(decide(command, ASK_GH, WORKFLOW)).toBe('allow')
  })

  test.each([
    'gh auth status --show-token',
    'gh auth status -t',
    'gh label create x',
    'gh api repos/o/r -X DELETE',
    'gh auth token',
    "gh api graphql -f query='mutation { x }'",
    'gh api graphql -f q=x && gh repo delete o/r',
    'gh repo view --json name -q .',
  ])('%s is not covered by it', command => {
    expect(decide(command, ASK_GH, WORKFLOW)).toBe('ask')
  })

  test('lift no deny', () => {
    const denying = Config.parse({ permissions: { deny: [{ program: 'gh', subcommand: 'label' }] } })
    expect(decide('gh label create x --force', denying, WORKFLOW)).toBe('deny')
  })
})

test('rules are compiled once for a configuration, a place and a workflow', () => {
  const keeper = rulesKeeper()
  const config = Config.parse({})
  expect(keeper(config, PLACE)).toBe(keeper(config, { ...PLACE }))
  expect(keeper(config, PLACE, WORKFLOW)).not.toBe(keeper(config, PLACE))
  expect(keeper(Config.parse({}), PLACE)).not.toBe(keeper(config, PLACE))
})
