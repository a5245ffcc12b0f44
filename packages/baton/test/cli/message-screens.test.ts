import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { ascii } from '../../src/cli/ascii.ts'
import { planOf } from '../../src/cli/commands/uninstall.ts'
import { questionsLine } from '../../src/cli/expected-questions.ts'
import type { Io } from '../../src/cli/io.ts'
import { main } from '../../src/cli/main.ts'
import type { Questions } from '../../src/cli/questions.ts'
import { askAtTerminal } from '../../src/cli/questions.ts'
import { runSetupGuide } from '../../src/cli/setup-guide.ts'
import { setupPlan } from '../../src/cli/setup-plan.ts'
import { COMMANDS } from '../../src/cli/table.ts'
import { withFittedLines } from '../../src/cli/wrap-words.ts'
import { scratch } from '../world/scratch.ts'
import { screenOf } from './terminal-screen.ts'

/** A home that is nowhere: paths in the output have the same length on every machine. */
const HOME = '/nowhere/home/dev'

function ioFor(columns: number | undefined, env: Io['env'] = {}, input = '') {
  const out = { text: '' }
  const stream = {
    write(text: string) {
      // The person's Enter after a question.
      out.text += text.endsWith(' ') ? `${text}\n` : text
    },
  }
  const stdin = new PassThrough()
  stdin.end(input)
  const io: Io = {
    ...{ stdin, stdout: stream, stderr: stream },
    env: { TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env },
    cwd: `${HOME}/work/a-shop-with-a-long-name`,
    home: HOME,
    isTTY: columns !== undefined,
    ...(columns === undefined ? {} : { columns }),
    signal: new AbortController().signal,
  }
  return { io, out }
}

/** The guided set-up up to the plan, with every question answered by Enter. */
async function setUp(columns: number | undefined): Promise<string> {
  const here = scratch()
  for (const name of ['claude', 'codex']) here.write(`bin/${name}`, '#!/bin/sh\n', 0o755)
  const { io, out } = ioFor(columns, { PATH: `${here.path}/bin` }, '\n'.repeat(40))
  const fitted = withFittedLines(io)
  using questions: Questions = askAtTerminal(fitted)
  await runSetupGuide(
    { positionals: [], options: { sandbox: true, plugin: true, mcp: true } },
    fitted,
    questions,
  )
  const files = [
    {
      path: `${HOME}/.claude/settings.json`,
      before: undefined,
      after: '{"hooks": {}}\n',
      what: '17 hooks of Claude Code',
    },
  ]
  fitted.stdout.write(`\nThis would change:\n${(await setupPlan(files, fitted)).join('\n')}\n`)
  const counts = { sessions: 20, calls: 800, respect: 7, ask: 31, defer: 2 }
  fitted.stdout.write(`${questionsLine(counts, 'respect') ?? ''} (permission.undecided: respect)\n`)
  here.remove()
  return out.text
}

function removal(columns: number | undefined): string {
  const { io, out } = ioFor(columns)
  const held = {
    projects: [],
    snapshots: [{ project: `${HOME}/work/a-shop-with-a-long-name`, count: 12 }],
    claims: [{ issue: 42, repository: 'example/a-shop-with-a-long-name' }],
    running: 3,
  }
  const lines = planOf(held, `${HOME}/.local/state/baton`, true)
  withFittedLines(io).stdout.write(`${lines.join('\n')}\n`)
  return out.text
}

async function command(columns: number | undefined, ...words: string[]): Promise<string> {
  const { io, out } = ioFor(columns)
  await main(words, COMMANDS, io)
  return `$ baton ${words.join(' ')}\n${out.text}`
}

const outputs = async (columns: number | undefined): Promise<string> =>
  [
    await setUp(columns),
    removal(columns),
    await command(columns, 'allow'),
    await command(columns, 'deny', 'ask_1', '--always'),
    await command(columns, 'undo'),
    await command(columns, 'nosuch'),
    await command(columns, 'run', '--agent', 'nosuch', 'Write it'),
  ].join('\n')

it.each([60, 80, 120])('set-up, removal and errors fit a terminal of %i columns', async columns => {
  const { lines, broken } = await screenOf(await outputs(columns), columns)
  expect(broken).toEqual([])
  await expect(`${lines.map(line => line.trimEnd()).join('\n')}\n`).toMatchFileSnapshot(
    `screens/messages-${columns}.txt`,
  )
})

it('in ASCII they take no more room', async () => {
  const text = ascii(await outputs(60))
  expect((await screenOf(text, 60)).broken).toEqual([])
  expect(text).toMatch(/^\p{ASCII}+$/u)
})

it('a diff and what goes into a pipe keep their lines', () => {
  const long = `--- ${'x '.repeat(80)}\n`
  const terminal = ioFor(60)
  withFittedLines(terminal.io).stdout.write(long)
  expect(terminal.out.text).toBe(long)
  const pipe = ioFor(undefined)
  withFittedLines(pipe.io).stdout.write(`${'word '.repeat(80)}\n`)
  expect(pipe.out.text).toBe(`${'word '.repeat(80)}\n`)
})
