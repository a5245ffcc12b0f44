import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HandoffLedger } from '@batonpass/contract/handoff'
import type { Entry } from '@batonpass/contract/journal'
import { expect, it } from 'vitest'
import { composeHandoff } from '../../src/compose/handoff.ts'
import type { Evidence } from '../../src/handoff/evidence.ts'
import { userAnswers } from '../../src/handoff/journal-answers.ts'
import { updateLedger } from '../../src/handoff/ledger.ts'
import { makeRedactor } from '../../src/journal/redact.ts'
import { sessionId } from '../../src/session/id.ts'
import { gitRepo, scratch } from '../world/scratch.ts'

const by = { channel: 'telegram', who: 'me' }
const answered = (at: string, answer: object): Entry =>
  ({ seq: 1, at, body: { kind: 'ask', what: 'answered', title: 'Codex asks', answer } }) as unknown as Entry
const minute = (n: number) => `2026-01-22T14:${String(n).padStart(2, '0')}:00.000Z`

it('answers, comments on plans and reasons of denials are the words of the user; what a policy answered is not', () => {
  const reply = { option: 'reply', replies: [{ question: 'Which one?', chosen: ['B'], words: 'but small' }] }
  expect(
    userAnswers([
      answered(minute(1), { ...reply, by }),
      answered(minute(2), { option: 'send-back', reason: 'Split it into two steps', by }),
      answered(minute(3), { option: 'deny-with-reason', reason: 'Never touch main', by }),
      answered(minute(4), { option: 'allow-once', by }),
      answered(minute(5), { ...reply, by: { channel: 'policy', who: 'asks.unanswered: recommended' } }),
    ]).map(({ text }) => text),
  ).toEqual([
    'B, but small (answer to: Which one?)',
    'Split it into two steps (comment on a plan)',
    'Never touch main (reason of a refusal)',
  ])
})

it('an answer is an instruction, but never the goal, even if the work began with a slash command', () => {
  const instructions = [
    'No scripts from the internet (reason of a refusal)',
    'SQLite (answer to: Which one?)',
  ]
  const after = (prompts: string[], before?: HandoffLedger) =>
    updateLedger(before, { prompts } as unknown as Evidence, undefined)
  const first = after(instructions)
  expect(first).toMatchObject({ goal: '', instructions })
  expect(after(['Build the shop'], first)).toMatchObject({ goal: 'Build the shop', instructions })
})

it('an answer that Codex stores as a refused call is an instruction at its place in time, and a later one replaces it', async () => {
  await using repo = await gitRepo()
  await using home = scratch()
  const transcript = join(home.path, 'rollout.jsonl')
  const item = (n: number, payload: object) => ({ timestamp: minute(n), type: 'response_item', payload })
  const user = (n: number, text: string) =>
    item(n, { type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const ask = (n: number, question: string) => [
    item(n, {
      type: 'function_call',
      name: 'request_user_input',
      arguments: JSON.stringify({ questions: [{ id: 'q', header: 'q', question, options: [] }] }),
      call_id: `c${n}`,
    }),
    item(n + 2, {
      type: 'function_call_output',
      call_id: `c${n}`,
      output: 'Command blocked by PreToolUse hook: the user answered through Baton',
    }),
  ]
  const rows = [
    { timestamp: minute(0), type: 'session_meta', payload: { id: 's', cwd: repo.path } },
    user(1, 'Cache the search results on the server'),
    ...ask(2, 'Where should the cache live?'),
    ...ask(5, 'How many rows per page?'),
    user(8, 'Show 50 rows per page.'),
  ]
  writeFileSync(transcript, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  const said = (question: string, words: string) => ({
    option: 'reply',
    replies: [{ question, words }],
    by,
  })
  const handoff = composeHandoff({
    env: {},
    home: home.path,
    stateDir: join(home.path, 'state'),
    redactor: makeRedactor(),
    write: async () => {},
    store: {
      entries: async ({ kind }) =>
        kind === 'ask'
          ? // Newest first, as the query wants it.
            [
              answered(minute(6), said('How many rows per page?', 'Show 20 rows per page')),
              answered(minute(3), said('Where should the cache live?', 'In Redis on the staging host')),
            ]
          : [],
    },
  })
  const subject = {
    session: sessionId('codex', 's'),
    nativeSession: 's',
    agent: 'codex' as const,
    project: repo.path,
    place: 'here',
    transcript,
  }
  await handoff.generation.writeNow(subject, Date.UTC(2026, 0, 22, 15))
  const [name = ''] = await handoff.files.list(repo.path)
  const ledger = await handoff.files.ledger(repo.path, name)
  expect(ledger?.instructions).toEqual([
    'In Redis on the staging host (answer to: Where should the cache live?)',
    'Show 50 rows per page.',
  ])
  expect(ledger?.replaced).toEqual(['Show 20 rows per page (answer to: How many rows per page?)'])
})
