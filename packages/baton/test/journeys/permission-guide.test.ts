import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batonIn } from '../world/baton.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

const GUIDE = join(import.meta.dirname, '../../../../docs/guides/permission.md')
const EXAMPLES = [
  ...readFileSync(GUIDE, 'utf8').matchAll(/```yaml rules\n(.*?)```\n+```decisions\n(.*?)```/gs),
].map(([, rules = '', decisions = '']) => ({ rules, decisions: decisions.trim().split('\n') }))
const TOOL = /^(Write|Read|WebFetch) (.*)$/

test('the guide has examples', () => expect(EXAMPLES.length).toBeGreaterThan(3))

test.each(EXAMPLES)(
  'the rules in the guide decide as it says: $rules',
  { timeout: 240_000 },
  async ({ rules, decisions }) => {
    await using folder = scratch('bg-')
    const project = join(folder.path, 'project')
    mkdirSync(project)
    await gitRepo(project)
    const baton = batonIn(join(folder.path, 'home'), project)
    // By rules alone, so that what undo would allow shows as open.
    baton.configure(rules.includes('permission:\n') ? rules : `permission:\n  undo: off\n${rules}`)
    const cases = decisions
      .map(line => /^(\w+) +(.*)$/.exec(line))
      .map(found => [found?.[1], found?.[2] ?? ''] as const)
    const commands = cases.filter(([, subject]) => !TOOL.test(subject))
    const input = commands.map(([, command]) => JSON.stringify({ command })).join('\n')
    const decide = async (...flags: string[]): Promise<[string, string][]> => {
      const ran = await baton.run(['check', '--batch', ...flags], { input })
      expect(ran.stderr).toBe('')
      const answers = ran.stdout.trim().split('\n')
      return answers.map(line => JSON.parse(line)).map(({ command, decision }) => [decision, command])
    }
    expect(await decide('--no-sandbox')).toEqual(commands)
    // A sandbox takes questions away, never a deny.
    const isDenied = ([decision]: readonly [string | undefined, string]) => decision === 'deny'
    expect((await decide()).filter(isDenied)).toEqual(commands.filter(isDenied))
    for (const [decision, subject] of cases) {
      const [, tool, path] = TOOL.exec(subject) ?? []
      if (!tool || !path) continue
      const { stdout } = await baton.run(['check', '--tool', tool, path, '--json'])
      expect([JSON.parse(stdout).decision, subject]).toEqual([decision, subject])
    }
  },
)
