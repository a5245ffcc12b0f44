import { describe, expect, it } from 'vitest'
import { setupViewboard } from '../../../src/work/workflows/builtin-workflows.ts'
import { fromConfig, fromFile, ruleOf } from '../../../src/work/workflows/declare.ts'
import { detectWorkflow } from '../../../src/work/workflows/detect-workflow.ts'

const file = (text: string) => fromFile('/p/.baton/workflows/release.md', new TextEncoder().encode(text))
const facts = { session: 's', count: 3, max: 10, issue: 42 }

describe('A workflow in its own file', () => {
  it('has its settings in the front matter and its prompt below', () => {
    const { workflows, problems } = file(
      '---\ncommands: [/release, ship]\ntakes_issue: true\ngoal: A release is out.\npermissions:\n  - gh release create --draft\n---\nContinuation {N} of {MAX} for #{ISSUE}: {GOAL} {not a slot}\n',
    )
    expect(problems).toEqual([])
    const [release] = workflows
    expect(release).toMatchObject({
      name: 'release',
      commands: ['release', 'ship'],
      completion: 'said',
      file: '/p/.baton/workflows/release.md',
    })
    expect(release?.permissions).toEqual([
      { words: ['gh', 'release', 'create'], options: ['--draft'], never: [] },
    ])
    expect(release?.prompt(facts)).toBe('Continuation 3 of 10 for #42: A release is out. {not a slot}')
    expect(detectWorkflow('/my:ship #7', workflows)?.issue).toBe(7)
  })

  it('declares its grants, files and labels', () => {
    const { workflows, problems } = file(
      '---\ngoal: G\ngrants: [read, push, pull-request]\nfiles: [".tmp/notes-{ISSUE}.md"]\nlabels: [release]\n---\nGo',
    )
    expect(problems).toEqual([])
    expect(workflows[0]?.grants).toEqual({
      may: ['read', 'push', 'pull-request'],
      files: ['.tmp/notes-{ISSUE}.md'],
      labels: ['release'],
    })
  })

  it('declares its checks', () => {
    const { workflows, problems } = file(
      '---\ngoal: G\ndone_when:\n  - npm test\n  - files: { changed: [CHANGELOG.md] }\n---\nGo',
    )
    expect(problems).toEqual([])
    expect(workflows[0]?.doneWhen).toEqual(['npm test', { files: { changed: ['CHANGELOG.md'] } }])
  })

  it.each([
    ['---\ngoal: G\ndone_when: []\n---\nGo', 3, 'done_when: expected a list of 1 to 30 checks'],
    ['---\ngoal: G\ndone_when:\n  - ran: npm test\n---\nGo', 4, 'done_when.0: expected a list'],
    ['Just text', 1, 'expected front matter'],
    ['---\ngoal: [a, b]\n---\nGo', 2, 'goal: expected one or two sentences'],
    ['---\ngoal: G\ncommand: [/x]\n---\nGo', 3, 'command: unknown key'],
    ['---\ngoal: G\ncompletion: merged\n---\nGo', 3, 'expected one of pull-request'],
    ['---\ngoal: G\n---\n', 2, 'prompt: expected the prompt'],
    ['---\ngoal: G\ncommands:\n  - "/a b"\n---\nGo', 4, 'commands'],
    ['---\ngoal: G\ngrants: [everything]\n---\nGo', 3, 'grants.0: expected a list of read, push'],
    ['---\ngoal: G\nfiles: [../x]\n---\nGo', 3, 'files below .tmp'],
    ['---\ngoal: G\nfiles: [.tmp/../x]\n---\nGo', 3, 'files below .tmp'],
    ['---\ngoal: G\nfiles: [.tmp/hooked-sessions/a.json]\n---\nGo', 3, 'files below .tmp'],
    ['---\ngoal: "open\n---\nGo', undefined, 'invalid YAML'],
  ])('names the line of what is wrong: %j', (text, line, words) => {
    const { workflows, problems } = file(text)
    expect(workflows).toEqual([])
    expect(problems[0]?.message).toContain(words)
    expect(problems[0]?.file).toBe('/p/.baton/workflows/release.md')
    if (line !== undefined) expect(problems[0]?.line).toBe(line)
  })
})

it('A workflow of the configuration is checked with the file and line it came from', () => {
  const sources = new Map([
    ['workflows.release.goal', { kind: 'file' as const, file: '/p/.baton.yaml', line: 7, column: 11 }],
  ])
  const { workflows, problems } = fromConfig(
    { release: { goal: 5, prompt: 'go' }, ok: { goal: 'G', prompt: 'P' } },
    sources,
  )
  expect(workflows.map(workflow => workflow.name)).toEqual(['ok'])
  expect(problems).toMatchObject([{ file: '/p/.baton.yaml', line: 7, code: 'config_invalid' }])
})

it('Setting up a board may check the login, ask for the owner, make labels, and let Baton do it', () => {
  const shown = setupViewboard.permissions.map(({ words, options }) => [...words, ...options].join(' '))
  expect(shown).toEqual([
    'gh auth status',
    'gh repo view --json=owner -q',
    'gh label create --force',
    'baton board setup',
    'baton claim board setup',
  ])
  expect(setupViewboard.permissions[0]?.never).toContain('--show-token')
})

it('A rule is the words before the first option, and the options', () => {
  expect(ruleOf('npm run build')).toEqual({ words: ['npm', 'run', 'build'], options: [], never: [] })
})
