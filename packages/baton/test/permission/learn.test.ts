import { Config, type ConfigInput } from '@batonpass/contract/config'
import type { PermissionRule } from '@batonpass/contract/permission'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judge } from '../../src/permission/judge.ts'
import { learn, type Taught, type Trial } from '../../src/permission/learn.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import { PLACE } from './place.ts'

function trialWith(config: ConfigInput = {}): Trial {
  const { permission, permissions } = Config.parse(config)
  return (besides, taught) => {
    const all = { ...permissions, allow: [...permissions.allow, ...besides] }
    return judgeUnder(rulesInForce({ permission, permissions: all }, PLACE), taught).decision
  }
}
function judgeUnder(
  rules: ReturnType<typeof rulesInForce>,
  { tool, subject }: Pick<Taught, 'tool' | 'subject'>,
) {
  const input = tool === 'WebFetch' ? { url: subject.slice(9) } : { command: subject }
  return judge({ tool, input, ...PLACE }, rules)
}

const NOW = rulesInForce(Config.parse({}), PLACE)
/** A decision with the trail that it really has. */
function taught(subject: string, more: Partial<Taught> = {}): Taught {
  const one = {
    tool: 'Bash',
    subject,
    decision: 'allow',
    by: 'person',
    project: PLACE.worktree,
    ...more,
  } as const
  return { ...one, trail: judgeUnder(NOW, one).trail }
}
const rulesOf = (decisions: Taught[], config?: ConfigInput, atLeast?: number): PermissionRule[] =>
  learn(decisions, trialWith(config), atLeast).map(({ rule }) => rule)

describe('baton learns', () => {
  test('word for word what a person allowed twice', () => {
    const lessons = learn(
      [taught('some-tool --go a.b'), taught('some-tool --go a.b'), taught('other-tool')],
      trialWith(),
    )
    expect(lessons).toEqual([
      { rule: { pattern: '^some-tool --go a\\.b$' }, allowed: 2, examples: ['some-tool --go a.b'] },
    ])
  })

  test('a sub-command when it was allowed in three forms', () => {
    const forms = ['npm run lint', 'npm run test', 'npm run build']
    expect(rulesOf(forms.map(form => taught(form)))).toEqual([{ program: 'npm', subcommand: 'run' }])
    expect(rulesOf(forms.slice(1).map(form => taught(form)))).toEqual([])
  })

  test('never a whole program, nor a sub-command that reaches others', () => {
    const removing = ['a', 'b', 'c', 'c'].map(name => taught(`rm -rf /srv/${name}`))
    expect(rulesOf(removing)).toEqual([{ pattern: '^rm -rf /srv/c$' }])
    const pushing = ['main', 'dev', 'next'].map(branch => taught(`git push origin ${branch}`))
    expect(rulesOf(pushing)).toEqual([])
  })

  test('of a compound only the parts that were in question', () => {
    const twice = [taught('git status && some-tool x'), taught('some-tool x | head')]
    expect(rulesOf(twice)).toEqual([{ pattern: '^some-tool x$' }])
  })

  test('MCP tools by name and pages by host', () => {
    const mcp = taught('db/query {}', { tool: 'mcp__db__query' })
    const page = taught('WebFetch https://docs.example.org/a', { tool: 'WebFetch' })
    expect(rulesOf([mcp, mcp, page, page])).toEqual([
      { mcp: 'db/query' },
      { tool: 'WebFetch', hosts: 'docs.example.org' },
    ])
  })

  test('nothing of what the person denied, even where it hides in a compound', () => {
    const yes = [taught('tool-a'), taught('tool-a'), taught('tool-b'), taught('tool-b')]
    expect(rulesOf([...yes, taught('tool-a', { decision: 'deny' })])).toEqual([{ pattern: '^tool-b$' }])
    expect(rulesOf([...yes, taught('tool-a && tool-b', { decision: 'deny' })])).toEqual([])
  })

  test('nothing that would spare no question: asked by a rule, secret, a redirection, always denied', () => {
    const twice = (subject: string) => [taught(subject), taught(subject)]
    expect(rulesOf(twice('some-tool'), { permissions: { ask: [{ program: 'some-tool' }] } })).toEqual([])
    for (const subject of ['cat ~/.ssh/id_rsa', 'some-tool > /srv/out', 'rm -rf /', 'baton allow ask_1'])
      expect(rulesOf(twice(subject)), subject).toEqual([])
  })

  test('nothing from what models, rules and chance decided, what is allowed already, unknown, redacted or digested', () => {
    const twice = (subject: string, more: Partial<Taught> = {}) => [
      taught(subject, more),
      taught(subject, more),
    ]
    expect(rulesOf(twice('some-tool', { by: 'model' }))).toEqual([])
    expect(rulesOf(twice('some-tool'), { permissions: { allow: ['^some-tool$'] } })).toEqual([])
    const gone = `sha256:${'0'.repeat(64)} bytes:3`
    for (const subject of [
      '$TOOL x',
      'some-tool [redacted]',
      'some-tool --password [redacted: password]',
      gone,
      './deploy',
      'some-tool "a b"',
      'eval "$X"',
    ])
      expect(rulesOf(twice(subject)), subject).toEqual([])
  })

  test('never a rule that allows what was denied, whatever was said', () => {
    const command = fc.constantFrom(
      ...[
        'tool-a',
        'tool-b x',
        'npm run a',
        'npm run b',
        'npm run c',
        'npm run d',
        'tool-a && tool-b x',
        'make x',
      ],
    )
    const said = fc.record({ subject: command, decision: fc.constantFrom('allow' as const, 'deny' as const) })
    fc.assert(
      fc.property(fc.array(said, { maxLength: 14 }), fc.integer({ min: 1, max: 3 }), (all, atLeast) => {
        const decisions = all.map(({ subject, decision }) => taught(subject, { decision }))
        const rules = learn(decisions, trialWith(), atLeast).map(({ rule }) => rule)
        for (const one of decisions.filter(({ decision }) => decision === 'deny'))
          expect(trialWith()(rules, one)).not.toBe('allow')
      }),
      { numRuns: 100 },
    )
  })
})
