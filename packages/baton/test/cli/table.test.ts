import { execFileSync } from 'node:child_process'
import { EntryBody } from '@batonpass/contract/journal'
import { describe, expect, test } from 'vitest'
import { helpOf, overview } from '../../src/cli/help.ts'
import { COMMANDS } from '../../src/cli/table.ts'
import { scratch } from '../world/scratch.ts'
import { runCommand } from './run.ts'

describe.each(COMMANDS.map(command => [command.name, command] as const))(
  'baton %s --help',
  (name, command) => {
    test('says what it does, how it is called and shows examples', async () => {
      const { code, stdout, stderr } = await runCommand([name, '--help'])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain(command.summary)
      expect(stdout).toContain(`Usage: baton ${name}`)
      expect(command.examples.length).toBeGreaterThan(0)
      for (const [line] of command.examples) {
        expect(stdout).toContain(line)
        expect(line).toMatch(new RegExp(`\\bbaton ${name}\\b`))
      }
      for (const option of Object.keys(command.options ?? {})) expect(stdout).toContain(`--${option}`)
      expect(await runCommand(['help', name])).toEqual({ code, stdout, stderr })
    })

    test('shows examples whose options exist', () => {
      const known = [...Object.keys(command.options ?? {}), 'help']
      for (const [line] of command.examples)
        for (const [, option = ''] of line.replace(/'[^']*'/g, '').matchAll(/(?:^| )--([a-z-]+)/g))
          expect(known).toContain(option)
    })

    test('names an option it does not know, and where to look', async () => {
      const { code, stdout, stderr } = await runCommand([name, '--no-such-option'])
      expect(stderr).toContain("'--no-such-option'")
      expect(stderr).toContain(`baton ${name} --help`)
      // An agent reads the exit code 2 of a hook as a refusal.
      expect({ code, stdout }).toEqual(
        name === 'hook' ? { code: 0, stdout: '{}\n' } : { code: 2, stdout: '' },
      )
    })
  },
)

describe('the command line', () => {
  test('shows every command in its overview, and the exit codes', async () => {
    const { stdout } = await runCommand([])
    for (const { name, hidden } of COMMANDS)
      if (!hidden) expect(stdout).toMatch(new RegExp(`^  ${name} .*`, 'm'))
    expect(stdout).toContain('Exit codes: 0 done')
    expect((await runCommand(['--help'])).stdout).toBe(stdout)
  })

  test('lists at most 36 commands, in groups that follow what people want to do', () => {
    const visible = COMMANDS.filter(({ hidden }) => !hidden)
    expect(visible.length).toBeLessThanOrEqual(36)
    expect([...new Set(visible.map(({ group }) => group))]).toEqual([
      'Set up',
      'Watch',
      'Answer',
      'Permissions',
      'Work',
      'Look back',
    ])
  })

  test.each([
    ['sessions', ['history']],
    ['issue 42', ['history', '--issue', '42']],
    ['clean --dry-run', ['history', 'clean', '--dry-run']],
    ['handoffs', ['handoff', 'list']],
    ['handoffs show', ['handoff', 'show']],
    ['cycle --all', ['handoff', 'cycles', '--all']],
    ['cycle now 5d0c', ['handoff', 'now', '5d0c']],
    ['claims', ['claim', 'list']],
    ['board', ['claim', 'board']],
    ['health', ['ps', '--health']],
    ['unwatch work:1.0', ['watch', 'work:1.0', '--stop']],
    ['what-if --rules /absent', ['check', '--rules', '/absent']],
  ])('still understands the old name %s, and hides it', async (old, words) => {
    const [name = '', ...rest] = old.split(' ')
    expect(COMMANDS.find(command => command.name === name)?.hidden).toBe(true)
    expect(await runCommand([name, ...rest])).toEqual(await runCommand(words))
  })

  test.each([
    [['stauts'], "Unknown command 'stauts'", 'Did you mean `baton status`?'],
    [['xyzzy'], "Unknown command 'xyzzy'", 'See `baton --help`.'],
    [['foo'], "Unknown command 'foo'", 'See `baton --help`.'],
    [['up', 'extra'], "Unexpected word 'extra'", 'baton up --help'],
    [['forget'], 'SESSION is missing', 'baton forget --help'],
    [['completions', 'tcsh'], 'SHELL must be one of bash, zsh, fish', 'baton completions --help'],
    [['init', '--agent', 'nobody'], '--agent must be one of claude', 'baton init --help'],
    [['logs', '--kind', 'gossip'], '--kind must be one of event', 'baton logs --help'],
    [['logs', '--since'], "'-", 'baton logs --help'],
    [['help', 'nothing'], "Unknown command 'nothing'", 'baton'],
  ])('answers %j with what is wrong and what to do', async (words, wrong, remedy) => {
    const { code, stdout, stderr } = await runCommand(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(wrong)
    expect(stderr).toContain(remedy)
  })

  test.each([60, 80, 120])('keeps help within a window of %i columns', columns => {
    const texts = [overview(COMMANDS, '1.0.0', columns), ...COMMANDS.map(each => helpOf(each, columns))]
    const long = texts.flatMap(text =>
      text
        .split('\n')
        // What is to be typed is never broken.
        .filter(line => line.length > columns && !/^ {2}\S|^Usage:|^\s*\S+$/.test(line)),
    )
    expect(long).toEqual([])
  })

  test('filters the journal by every kind of entry there is', () => {
    const kinds = EntryBody.options.map(option => option.shape.kind.value)
    const choices = COMMANDS.find(({ name }) => name === 'logs')?.options?.kind?.choices
    expect([...(choices ?? [])].sort()).toEqual([...kinds].sort())
  })
})

describe('completions', () => {
  /** What bash offers after these words. */
  async function offered(words: string[]): Promise<string[]> {
    const dir = scratch()
    const script = dir.write('baton.bash', (await runCommand(['completions', 'bash'])).stdout)
    const ask =
      'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _baton; printf "%s\\n" "${COMPREPLY[@]}"'
    const out = execFileSync('bash', ['--norc', '-u', '-c', ask, script, 'baton', ...words], {
      encoding: 'utf8',
    })
    dir.remove()
    return out.split('\n').filter(Boolean)
  }

  test('are scripts that bash reads', async () => {
    for (const shell of ['bash', 'zsh']) {
      const { stdout } = await runCommand(['completions', shell])
      execFileSync('bash', ['-n'], { input: stdout })
    }
    expect((await runCommand(['completions', 'fish'])).stdout).toContain('complete -c baton')
  })

  test('offer commands, options, and the values that are taken', async () => {
    expect(await offered(['sta'])).toEqual(['status'])
    expect(await offered([''])).toEqual(expect.arrayContaining(['init', 'logs', '--help', '--version']))
    expect(await offered(['logs', '--fo'])).toEqual(['--follow'])
    expect(await offered(['completions', ''])).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
    expect(await offered(['init', '--agent', 'cu'])).toEqual(['cursor'])
    expect(await offered(['init', '--scope', ''])).toEqual(['user', 'project', 'local'])
    expect(await offered(['nonsense', '--h'])).toEqual(['--help'])
  })
})
