import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HandoffMode, ReviewStrategy } from '@batonpass/contract/work'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { systemFolders } from '../../../src/adapters/system/folders.ts'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { parseContext, renderContext, withField } from '../../../src/work/packs/paw/context-file.ts'
import { openQuestions, parsePhases } from '../../../src/work/packs/paw/plan-file.ts'
import { WorkItems } from '../../../src/work/stages/work-items.ts'
import { scratch } from '../../world/scratch.ts'

const items = new WorkItems(systemSmallFiles, systemFolders)

const EXAMPLE = `# WorkflowContext

Work Title: Auth System
Work ID: auth-system
Target Branch: feature/auth-system
Workflow Mode: full
Review Strategy: prs
Handoff Mode: semi-auto
Issue URL: https://github.com/example/repo/issues/42
Remote: origin
`

describe('WorkflowContext.md', () => {
  it('is read and written exactly in its form', () => {
    const { warnings, blocked, ...context } = parseContext(EXAMPLE)
    expect(context).toEqual({
      title: 'Auth System',
      workId: 'auth-system',
      branch: 'feature/auth-system',
      workflow: 'full',
      strategy: 'prs',
      mode: 'semi-auto',
      issue: 'https://github.com/example/repo/issues/42',
      remote: 'origin',
    })
    expect([warnings, blocked]).toEqual([[], undefined])
    expect(renderContext(context)).toBe(EXAMPLE)
  })

  it('is understood as people write it', () => {
    const context = parseContext(
      '- **Work Title**: A: B\r\n**handoff mode:** AUTO\r\nReview strategy: `local`\r\nBlocked: no rights',
    )
    expect(context).toMatchObject({
      title: 'A: B',
      mode: 'auto',
      strategy: 'local',
      blocked: 'no rights',
      warnings: [],
    })
  })

  it.each([
    ['missing', undefined, /WorkflowContext.md is missing: manual mode is used/],
    [
      'an unknown mode',
      'Handoff Mode: fast',
      /Handoff Mode 'fast' is not manual, semi-auto or auto: manual mode is used/,
    ],
    ['auto with prs', 'Handoff Mode: auto\nReview Strategy: prs', /Auto mode requires local review strategy/],
  ])('%s: manual, with a warning', (_, text, warning) => {
    const { mode, warnings } = parseContext(text)
    expect(mode).toBe('manual')
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  it('without a mode is manual, as before modes existed, without a warning', () => {
    expect(parseContext('Work ID: a')).toMatchObject({ mode: 'manual', warnings: [] })
  })

  test('what is rendered is read back', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 :/._-]{0,20}[A-Za-z0-9]$/)
    fc.assert(
      fc.property(
        word,
        word,
        fc.constantFrom(...HandoffMode.options),
        fc.constantFrom(...ReviewStrategy.options),
        (title, branch, mode, strategy) => {
          fc.pre(!(mode === 'auto' && strategy === 'prs'))
          const given = {
            title,
            workId: 'a-1',
            branch,
            workflow: 'full',
            strategy,
            mode,
            issue: 'none',
            remote: 'up',
          }
          expect(parseContext(renderContext(given))).toEqual({ ...given, blocked: undefined, warnings: [] })
        },
      ),
    )
  })

  test('a field is changed without touching anything else', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'Work ID: a',
            '',
            '## Notes',
            'Handoff Mode: x',
            '**Handoff Mode**: y',
            'Remote: r',
            'prose: yes',
          ),
        ),
        fc.constantFrom('\n', '\r\n'),
        (lines, end) => {
          const before = lines.join(end)
          const after = withField(before, 'Handoff Mode', 'auto')
          expect(parseContext(after).mode).toBe('auto')
          const first = lines.findIndex(line => /handoff mode/i.test(line))
          const rest = (text: string, skip: number) =>
            text.split(/\r?\n/).filter((line, i) => i !== skip && line !== '')
          const place = after.split(/\r?\n/).findIndex(line => /handoff mode.*auto/i.test(line))
          expect(rest(after, place)).toEqual(rest(before, first))
        },
      ),
    )
  })
})

describe('ImplementationPlan.md', () => {
  it('has phases with their state', () => {
    const plan = `# Plan\n\n## Overview\n- [x] not a phase\n\n## Phase 1: Store\n- [x] a\n- [X] b\n**Review**: passed\n\n### Details\n- [x] c\n\n## Phase 2: API\n- [x] a\n- [ ] b\n\n## Phase 3: UI\ntext\n\n## Phase 4: Done by word\n**Status**: Complete\n\n## Phase 5: Ticked ✅\n\n\`\`\`md\n## Phase 6: example\n\`\`\`\n\n## Phase 1: again\n- [ ] x\n\n## Notes\n- [ ] y\n`
    expect(
      parsePhases(plan).map(({ number, title, state, reviewed }) => [number, title, state, reviewed]),
    ).toEqual([
      [1, 'Store', 'done', true],
      [2, 'API', 'begun', false],
      [3, 'UI', 'open', false],
      [4, 'Done by word', 'done', false],
      [5, 'Ticked', 'done', false],
    ])
  })

  test('any text is read without failing', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.constantFrom('## Phase 1: a', '- [x] b', '```', '~~~', '## x', 'Review: passed'),
          ),
          { maxLength: 30 },
        ),
        lines => {
          const phases = parsePhases(lines.join('\n'))
          expect(new Set(phases.map(each => each.number)).size).toBe(phases.length)
          openQuestions(lines.join('\n'))
        },
      ),
    )
  })

  it('has a number of open research questions', () => {
    const spec =
      '# S\n- a\n## Research Questions\n1. How?\n- [ ] Why?\n- [x] Where?\n- None\n### Internal\n- Who?\n## Scope\n- in\n'
    expect(openQuestions(spec)).toBe(3)
    expect(openQuestions('## Research Questions\n\nNone.\n')).toBe(0)
  })
})

describe('work items', () => {
  it('are created, listed by recency, and keep what a person edits', async () => {
    await using folder = scratch()
    await items.create(folder.path, { title: 'Auth System', mode: 'semi-auto', strategy: 'prs' })
    await items.create(folder.path, { title: 'Über-Suche!' })
    const old = join(folder.path, '.paw/work/auth-system/WorkflowContext.md')
    utimesSync(old, 1, 1)
    expect((await items.list(folder.path)).map(item => item.workId)).toEqual(['uber-suche', 'auth-system'])
    folder.write('.paw/work/auth-system/Spec.md', '# Spec\n')
    const [first] = await items.list(folder.path)
    expect(first?.workId).toBe('auth-system')
    expect(first?.facts.artifacts).toEqual(new Set(['WorkflowContext', 'Spec']))
    writeFileSync(old, readFileSync(old, 'utf8').replace('semi-auto', 'MANUAL'))
    expect((await items.get(folder.path, 'auth-system')).context.mode).toBe('manual')
    await items.setMode(folder.path, 'auth-system', 'semi-auto')
    expect(readFileSync(old, 'utf8')).toContain('Handoff Mode: semi-auto')
  })

  it.each([
    ['', 'Work ID cannot be empty'],
    ['   ', 'Work ID cannot be empty'],
    [undefined, 'Work ID cannot be empty'],
    ['Auth', 'Invalid Work ID format'],
    ['../../etc', 'Invalid Work ID format'],
    ['a\n', 'Invalid Work ID format'],
    ['a/b', 'Invalid Work ID format'],
    [42, 'Invalid Work ID format'],
    ['nowhere', 'There is no work item nowhere in .paw/work'],
  ])('are not found by %j', async (id, message) => {
    await using folder = scratch()
    await expect(items.get(folder.path, id)).rejects.toThrow(message)
  })

  it('are named after the title, if a name can be derived from it', async () => {
    await using folder = scratch()
    await expect(items.create(folder.path, { title: '日本語' })).rejects.toThrow(
      'Cannot derive a Work ID from this title',
    )
    expect(await items.create(folder.path, { title: '日本語', work_id: 'jp' })).toMatchObject({
      workId: 'jp',
    })
  })

  it('are not created twice, nor in auto mode with the review strategy prs', async () => {
    await using folder = scratch()
    await items.create(folder.path, { title: 'A' })
    await expect(items.create(folder.path, { title: 'a' })).rejects.toThrow('Work item a already exists')
    await expect(items.create(folder.path, { title: 'b', mode: 'auto', strategy: 'prs' })).rejects.toThrow(
      'Auto mode requires local review strategy',
    )
    await items.create(folder.path, { title: 'c', strategy: 'prs' })
    await expect(items.setMode(folder.path, 'c', 'auto')).rejects.toThrow(
      'Auto mode requires local review strategy',
    )
  })

  it('do not follow links in a hostile repository', async () => {
    await using folder = scratch()
    await using other = scratch()
    other.write('Spec.md', '# secret\n')
    mkdirSync(join(folder.path, '.paw/work/b'), { recursive: true })
    symlinkSync(other.path, join(folder.path, '.paw/work/a'))
    symlinkSync(join(other.path, 'Spec.md'), join(folder.path, '.paw/work/b/Spec.md'))
    const found = await items.list(folder.path)
    expect(found.map(item => item.workId)).toEqual(['b'])
    expect(found[0]?.facts.artifacts).toEqual(new Set())
    expect(found[0]?.warnings).toContain('Spec.md is ignored: .paw/work/b/Spec.md is a link.')
  })
})
