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
  /** What the model receives for the second database and the name "the shop". */
  given: RegExp[]
  /** What the model receives for the first choice of its own dialog. */
  taken: RegExp
  /** Typed after the first turn. */
  afterwards?: string
}

const ASKING: Asking[] = [
  {
    agent: codex,
    // Codex opens its dialog in plan mode only.
    afterwards: '/plan ask me',
    two: call('request_user_input', {
      questions: [
        { id: 'db', header: 'DB', question: 'Which database?', options: OPTIONS },
        { id: 'name', header: 'Name', question: 'Which name?', options: OPTIONS },
      ],
    }),
    one: call('request_user_input', {
      questions: [{ id: 'cache', header: 'Cache', question: 'Which cache?', options: OPTIONS }],
    }),
    // Its dialog takes own words as a note.
    given: [/db\W+answers\W+SQLite/, /name\W+answers\W+None of the above\W+user_note\W+the shop/],
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
    given: [/answers\W+0\W+SQLite\W+1\W+the shop/],
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
    given: [/database=sqlite, name=the shop/],
    taken: /User responded: Postgres/,
  },
]

test.each(ASKING)(
  'what the real $agent.name asks is open on its own screen and elsewhere at once, also after the daemon is killed',
  {
    timeout: 480_000,
  },
  async ({ agent, two, one, given, taken, afterwards }) => {
    await using telegram = await startTelegram()
    await using world = await startedInTmux(agent, {
      rules: `permission:\n  preset: trusting\n  undo: false\n${telegramSettings(telegram)}`,
      prompt: afterwards ? 'hello' : 'ask me',
      answers: request =>
        textOf(request).includes('ask me')
          ? ([two, one][request.toolResults.length] ?? say('All is asked.'))
          : say('Hello.'),
    })
    const { baton, model, screen, press, submit, evidence } = world
    const patience = { timeout: 240_000, every: 300, evidence }
    if (afterwards) {
      const isReady = () => /Hello\..*Ask Codex to do anything/s.test(screen())
      await until(isReady, { what: 'the first turn', ...patience })
      await submit(afterwards)
    }
    const asks = () => baton.asks({ all: true })
    const open = (words: string) =>
      until(
        async () => (await asks()).find(({ state, detail }) => state === 'open' && detail.includes(words)),
        { what: `an open ask with ${words}`, ...patience },
      )
    const requests = () => model.requests.map(textOf).join('\n')

    const first = await open('Which database?')
    expect(first.detail).toContain('1. Postgres (recommended)')
    await until(() => /Which database\?/.test(screen()), { what: 'its own dialog', ...patience })
    process.kill(Number(JSON.parse(await baton.must('status', '--json')).daemon.pid), 'SIGKILL')
    await baton.must('up')
    await open('Which database?')
    await asPerson(baton, 'answer', first.id, '2', 'the shop')
    await telegram.message(
      ({ text }) => text.includes('Which database?') && text.includes('Answered: SQLite'),
    )
    const second = await open('Which cache?')
    for (const words of given) expect(requests()).toMatch(words)

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
    await until(async () => (await asks()).every(({ state }) => state !== 'open'), {
      what: 'the ask to be withdrawn elsewhere',
      ...patience,
    })
    const outcomes = (await asks()).toReversed().map(({ answer, withdrawn }) => answer?.option ?? withdrawn)
    expect(outcomes).toEqual(['reply', 'settled-elsewhere'])
    expect(second.options).toEqual(['reply', 'on-screen'])
  },
)
