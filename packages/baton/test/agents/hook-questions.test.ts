import { AskList } from '@batonpass/contract/ask'
import { expect, test } from 'vitest'
import { codex } from '../world/agents/codex.ts'
import { copilot } from '../world/agents/copilot.ts'
import { gemini } from '../world/agents/gemini.ts'
import type { RealAgent } from '../world/agents/real.ts'
import { textOf } from '../world/model.ts'
import { asPerson } from '../world/person.ts'
import { startTelegram, telegramSettings } from '../world/telegram.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { startedInTmux } from './in-tmux.ts'

const OPTIONS = [
  { label: 'Postgres (Recommended)', description: 'Shared by several machines' },
  { label: 'SQLite', description: 'One file' },
]

interface Asking {
  agent: RealAgent
  /** A call that asks for a database and for a name. */
  two: Turn
  /** A call that asks for a cache. */
  one: Turn
  /** What the model receives for the first choice of its own dialog. */
  taken: RegExp
  args?: readonly string[]
}

const ASKING: Asking[] = [
  {
    agent: codex,
    // Outside its plan mode, Codex opens the dialog only with this switch.
    args: ['--enable', 'default_mode_request_user_input', ...(codex.interactive ?? [])],
    two: call('request_user_input', {
      questions: [
        { id: 'db', header: 'DB', question: 'Which database?', options: OPTIONS },
        { id: 'name', header: 'Name', question: 'Which name?', options: OPTIONS },
      ],
    }),
    one: call('request_user_input', {
      questions: [{ id: 'cache', header: 'Cache', question: 'Which cache?', options: OPTIONS }],
    }),
    taken: /cache\W+answers\W+Postgres/,
  },
  {
    agent: gemini,
    two: call('ask_user', {
      questions: [
        { header: 'DB', question: 'Which database?', type: 'choice', options: OPTIONS },
        { header: 'Name', question: 'Which name?', type: 'text' },
      ],
    }),
    one: call('ask_user', {
      questions: [{ header: 'Cache', question: 'Which cache?', type: 'choice', options: OPTIONS }],
    }),
    taken: /answers\W+0\W+Postgres/,
  },
  {
    agent: copilot,
    two: call('ask_user', {
      message: 'About storage:',
      requestedSchema: {
        properties: {
          database: {
            type: 'string',
            title: 'Which database?',
            enum: ['postgres', 'sqlite'],
            enumNames: ['Postgres (Recommended)', 'SQLite'],
          },
          name: { type: 'string', title: 'Which name?' },
        },
        required: ['database', 'name'],
      },
    }),
    one: call('ask_user', {
      message: 'One more:',
      requestedSchema: {
        properties: { cache: { type: 'string', title: 'Which cache?', enum: ['Postgres', 'SQLite'] } },
        required: ['cache'],
      },
    }),
    taken: /User responded: Postgres/,
  },
]

test.each(ASKING)(
  'what the real $agent.name asks is answered elsewhere, although the daemon is killed, or on its own screen',
  {
    timeout: 480_000,
  },
  async ({ agent, two, one, taken, args }) => {
    await using telegram = await startTelegram()
    await using world = await startedInTmux(agent, {
      // Someone can be reached: without a channel, its own dialog opens at once.
      rules: `permission:\n  preset: trusting\n  undo: false\n${telegramSettings(telegram)}`,
      prompt: 'ask me',
      ...(args ? { args } : {}),
      answers: ({ toolResults }) =>
        toolResults.length === 0 ? two : toolResults.length === 1 ? one : say('All is asked.'),
    })
    const { baton, model, screen, press, evidence } = world
    const patience = { timeout: 240_000, every: 300, evidence }
    const asks = async () => AskList.parse(JSON.parse(await baton.must('asks', '--all', '--json'))).asks
    const open = (words: string) =>
      until(
        async () => (await asks()).find(({ state, detail }) => state === 'open' && detail.includes(words)),
        { what: `an open ask with ${words}`, ...patience },
      )
    const requests = () => model.requests.map(textOf).join('\n')

    const first = await open('Which database?')
    expect(first.detail).toContain('1. Postgres (recommended)')
    process.kill(Number(JSON.parse(await baton.must('status', '--json')).daemon.pid), 'SIGKILL')
    await open('Which database?')
    await asPerson(baton, 'answer', first.id, '2', 'the shop')
    await telegram.message(
      ({ text }) => text.includes('Which database?') && text.includes('Answered: SQLite'),
    )
    const second = await open('Which cache?')
    expect(requests()).toMatch(/database\W+sqlite/i)
    expect(requests()).toMatch(/name\W+the shop/i)

    await asPerson(baton, 'answer', second.id, '--screen')
    await until(() => /Which cache\?/.test(screen()), { what: 'its own dialog', ...patience })
    await until(
      async () => {
        press('Enter')
        return await until(() => screen().includes('All is asked.'), {
          what: 'the end',
          timeout: 3_000,
        }).catch(() => undefined)
      },
      { what: 'the dialog to take the highlighted choice', ...patience },
    )
    expect(requests()).toMatch(taken)
    const outcomes = (await asks()).toReversed().map(({ answer, withdrawn }) => answer?.option ?? withdrawn)
    expect(outcomes).toEqual(['reply', 'on-screen'])
  },
)
