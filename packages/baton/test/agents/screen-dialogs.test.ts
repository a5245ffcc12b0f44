import { expect, test } from 'vitest'
import { codex } from '../world/agents/codex.ts'
import { copilot } from '../world/agents/copilot.ts'
import { gemini } from '../world/agents/gemini.ts'
import type { RealAgent } from '../world/agents/real.ts'
import { type ModelRequest, textOf } from '../world/model.ts'
import { asPerson } from '../world/person.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { startedInTmux } from './in-tmux.ts'

interface Planning {
  agent: RealAgent
  args: readonly string[]
  prompt: string
  /** Typed after the first turn. */
  afterwards?: string
  answers(request: ModelRequest): Turn
  /** The questions on its screen, and the option that is chosen for each, or a comment. */
  dialogs: [question: string, option: string][]
}

const DONE = say('The plan is followed.')
const COMMENT = 'add a rollback step'
const BETTER = '# The plan\n\n1. Write the parser\n2. Test it twice\n'
const PLAN = '# The plan\n\n1. Write the parser\n2. Test it\n'

const PLANNING: Planning[] = [
  {
    agent: codex,
    args: codex.interactive ?? [],
    prompt: 'hello',
    // Only its prompt line takes the command.
    afterwards: '/plan make a plan',
    answers(request) {
      const text = textOf(request)
      if (text.includes('Implement the plan')) return DONE
      if (text.includes(COMMENT)) return say(`<proposed_plan>\n${BETTER}</proposed_plan>\n`)
      return say(text.includes('make a plan') ? `<proposed_plan>\n${PLAN}</proposed_plan>\n` : 'Hello.')
    },
    dialogs: [
      ['Implement this plan?', COMMENT],
      ['Implement this plan?', '1'],
    ],
  },
  {
    agent: copilot,
    args: ['--mode', 'plan'],
    prompt: 'make a plan',
    answers: ({ toolResults }) =>
      [
        call('exit_plan_mode', { summary: '- Write the parser\n- Test it' }),
        call('exit_plan_mode', { summary: '- Write the parser\n- Test it twice' }),
      ][toolResults.length] ?? DONE,
    dialogs: [
      ['Plan Ready for Review', COMMENT],
      ['Plan Ready for Review', '2'],
    ],
  },
  {
    agent: gemini,
    args: ['--model', 'gemini-2.5-pro', '--skip-trust', '--approval-mode', 'plan'],
    prompt: 'make a plan',
    answers(request) {
      const folder = /[^"\\\s`]*\/plans\//.exec(textOf(request))?.[0]
      const steps = [
        call('write_file', { file_path: `${folder}x.md`, content: PLAN }),
        call('exit_plan_mode', { plan_filename: 'x.md' }),
        call('exit_plan_mode', { plan_filename: 'x.md' }),
      ]
      return steps[request.toolResults.length] ?? DONE
    },
    dialogs: [
      ['Apply this change?', '1'],
      ['Ready to start implementation?', COMMENT],
      ['Ready to start implementation?', '1'],
    ],
  },
]

test.concurrent.each(PLANNING)(
  'what only the screen of the real $agent.name asks, such as a plan, is answered or commented elsewhere, once',
  { timeout: 480_000 },
  async ({ agent, args, prompt, afterwards, answers, dialogs }) => {
    await using world = await startedInTmux(agent, { rules: '', prompt, args, answers })
    const { baton, model, screen, submit, evidence } = world
    const patience = { timeout: 180_000, every: 500, evidence }
    if (afterwards) {
      await until(() => /Hello\..*Ask Codex to do anything/s.test(screen()), {
        what: 'the first turn',
        ...patience,
      })
      await submit(afterwards)
    }
    for (const [index, [question, option]] of dialogs.entries()) {
      const ask = await until(
        async () => (await baton.asks()).find(({ title }) => title.includes(question)),
        {
          what: `an ask about ${question}`,
          ...patience,
        },
      )
      expect(ask.title).toContain(`${agent.name} asks on its screen: `)
      expect(ask.attachments?.[0]?.text).toContain('Write the parser')
      if (index === dialogs.length - 1) {
        process.kill(Number(JSON.parse(await baton.must('status', '--json')).daemon.pid), 'SIGKILL')
        await baton.must('up')
        await until(async () => (await baton.asks()).some(({ id }) => id === ask.id), {
          what: 'the same ask after the daemon was killed',
          ...patience,
        })
      }
      await asPerson(baton, 'answer', ask.id, option)
    }
    await until(() => screen().includes('The plan is followed.'), { what: 'the next turn', ...patience })
    const answered = (await baton.asks({ all: true })).filter(({ answer }) => answer?.option === 'reply')
    expect(answered).toHaveLength(dialogs.length)
    expect(model.requests.filter(request => textOf(request).includes(COMMENT)).length).toBeGreaterThan(0)
    expect(await baton.asks()).toEqual([])
  },
)
