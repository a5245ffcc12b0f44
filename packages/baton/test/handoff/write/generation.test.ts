import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Config } from '@batonpass/contract/config'
import { AgentEvent } from '@batonpass/contract/event'
import type { Entry, NewEntry } from '@batonpass/contract/journal'
import type { Session } from '@batonpass/contract/session'
import { describe, expect, it } from 'vitest'
import { systemSmallFiles } from '../../../src/adapters/system/small-files.ts'
import { composeHandoff } from '../../../src/compose/handoff.ts'
import { essentialsOf } from '../../../src/handoff/cycle/essentials.ts'
import { parseHandoff } from '../../../src/handoff/document/parse.ts'
import { HandoffMemory } from '../../../src/handoff/write/handoff-memory.ts'
import { makeRedactor } from '../../../src/journal/redact.ts'
import type { Contribution } from '../../../src/ports/contribution.ts'
import { sessionId } from '../../../src/session/id.ts'
import { gitRepo, scratch } from '../../world/scratch.ts'
import { claudeRows, type Step } from '../sessions.ts'

const STEPS: readonly Step[] = [
  { prompt: 'Add refresh tokens' },
  { say: 'On it.' },
  { run: { command: 'npm test', output: 'Tests 1 failed', failed: true } },
]

/** A project with events of Claude Code; `restart` starts a new daemon with the same state folder. */
async function world(steps: readonly Step[] = STEPS) {
  const repo = await gitRepo()
  const home = scratch()
  const entries: NewEntry[] = []
  const stateDir = join(home.path, 'state')
  let onWrite = (_: string) => {}
  const compose = () =>
    composeHandoff({
      env: {},
      home: home.path,
      stateDir,
      redactor: makeRedactor(),
      write: async written => {
        entries.push(...written)
        for (const { body } of written) if (body.kind === 'handoff') onWrite(body.what)
      },
    })
  let { reactor } = compose()
  let n = 0
  const transcript = (session: string) => join(home.path, `${session}.jsonl`)
  const begin = (session: string, rows: readonly Step[]) =>
    writeFileSync(transcript(session), `${claudeRows(rows, { cwd: repo.path, session }).join('\n')}\n`)
  const send = async (session: string, event: object, signal?: AbortSignal): Promise<Contribution> => {
    const now = Date.UTC(2026, 0, 22, 14, 30) + ++n * 1000
    const id = sessionId('claude-code', session)
    const stamped = AgentEvent.parse({
      id: `evt_${String(n).padStart(20, '0')}`,
      at: new Date(now).toISOString(),
      agent: 'claude-code',
      session: id,
      nativeSession: session,
      transcript: transcript(session),
      ...event,
    })
    const known = {
      id,
      agent: 'claude-code',
      nativeSession: session,
      transcript: transcript(session),
      events: n + 1,
    }
    const outcome = await reactor.react(stamped, {
      session: known as Session,
      project: repo.path,
      config: Config.parse({}),
      now,
    })
    const late = await outcome?.later?.run(signal ?? new AbortController().signal)
    return { ...outcome?.now, ...late }
  }
  begin('old', steps)
  return {
    repo,
    entries: () => entries.map(({ body }) => (body.kind === 'handoff' ? body : undefined)),
    send,
    begin,
    say: (session: string, more: readonly Step[]) =>
      appendFileSync(transcript(session), `${claudeRows(more, { cwd: repo.path, session }).join('\n')}\n`),
    restart: () => {
      reactor = compose().reactor
    },
    memory: new HandoffMemory(systemSmallFiles, stateDir),
    /** A signal that is aborted while the journal records the delivery. */
    abortAtDelivery: (): AbortSignal => {
      const over = new AbortController()
      onWrite = what => {
        if (what === 'received') over.abort()
      }
      return over.signal
    },
    folder: join(repo.path, '.bmad/handoffs'),
    documents: () => readdirSync(join(repo.path, '.bmad/handoffs')).sort(),
    [Symbol.asyncDispose]: async () => {
      repo.remove()
      home.remove()
    },
  }
}

const ask = (prompt = '/baton:handoff the endpoint') => ({ type: 'PromptSubmitted', prompt })
const stop = (lastMessage = 'Written.') => ({ type: 'TurnEnded', continued: false, lastMessage })
const start = (source = 'clear') => ({ type: 'SessionStarted', source })

const document = (result: 'passed' | 'failed', task = 'Implementing the refresh endpoint') =>
  `---\nbranch: main\ntests:\n  command: npm test\n  result: ${result}\n---\n\n# Handoff Document\n\n**Created**: 2026-01-22 14:30:00\n**Context Usage**: 87%\n**Project**: work\n\n## Current Work\n\n**Active Epic**: Authentication\n**Progress**: 65% complete\n**Current Task**: ${task}\n\n## Completed Since Last Handoff\n\n- [ ] Tests\n\n## Next Steps\n\n1. Go on\n\n## Critical State\n\n- None\n\n## Blockers / Issues\n\n- None\n\n## Notes\n\n- None\n`

function put(folder: string, said: Contribution | undefined, text: string): string {
  const name = /handoff-[\d-]+\.md/.exec(said?.context ?? '')?.[0] ?? ''
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const promptOf = ({ continuation: going }: Contribution) =>
  going && 'prompt' in going ? going.prompt : undefined
const stopOf = ({ continuation: going }: Contribution) => (going && 'stop' in going ? going.stop : undefined)

describe('/handoff', () => {
  it('accepts a correct document, completes its facts, and gives it to the next session once', async () => {
    await using at = await world()
    const asked = await at.send('old', ask())
    expect(asked.context).toContain('Additional focus: the endpoint')
    const path = put(at.folder, asked, document('failed'))
    const ended = await at.send('old', stop())
    expect(stopOf(ended)).toContain('Run /clear or start a new session here to continue with it')
    const { facts } = parseHandoff(readFileSync(path, 'utf8')).document
    expect(facts).toMatchObject({
      written_by: 'agent',
      session: 'old',
      branch: 'main',
      focus: 'the endpoint',
      instructions: ['Add refresh tokens'],
    })
    expect(facts.verified_at).toBeDefined()
    at.restart()
    const begun = await at.send('new', start())
    expect(begun.context).toMatch(/^<handoff-context>\n/)
    expect(begun.context).toContain('Implementing the refresh endpoint')
    expect(begun.context).toContain('Use this context to continue the work seamlessly.')
    // The same call again, because its answer was lost; then another session.
    expect((await at.send('new', start())).context).toBe(begun.context)
    expect(await at.send('third', start('startup'))).toEqual({})
    expect(at.entries().map(entry => entry?.what)).toEqual(['asked', 'written', 'received', 'received'])
  })

  it('keeps the prompts of a session without transcript, and says that it has no other evidence', async () => {
    await using at = await world()
    const prompts = [
      'Add refresh tokens to the login service',
      'Create handoff document now - context at 87%',
      'Use the existing key',
    ]
    const handoff = composeHandoff({
      env: {},
      home: at.repo.path,
      stateDir: join(at.repo.path, '.state'),
      redactor: makeRedactor(),
      write: async () => {},
      store: {
        entries: async () =>
          prompts.map(
            (prompt, seq) =>
              ({ seq, body: { kind: 'event', event: { type: 'PromptSubmitted', prompt } } }) as Entry,
          ),
      },
    })
    const subject = {
      session: sessionId('cursor', 'hosted'),
      nativeSession: 'hosted',
      agent: 'cursor' as const,
      project: at.repo.path,
      place: 'hosted 1',
    }
    await handoff.generation.writeNow(subject, Date.UTC(2026, 0, 22, 14, 30))
    const [name = ''] = at.documents()
    const { document: written } = parseHandoff(readFileSync(join(at.folder, name), 'utf8'))
    expect(written.goal).toBe('Add refresh tokens to the login service')
    expect(written.nextSteps).toEqual(['Continue with the last request: Use the existing key'])
    expect(written.facts).toMatchObject({ written_by: 'baton', evidence: 'git and prompts' })
    expect(written.facts.instructions).toEqual([
      'Add refresh tokens to the login service',
      'Use the existing key',
    ])
    expect(essentialsOf(written)).toMatchObject({
      goal: 'Add refresh tokens to the login service',
      unproven: true,
    })
  })

  it('sends a wrong document back once, with what is wrong', async () => {
    await using at = await world()
    const path = put(at.folder, await at.send('old', ask('/handoff')), document('passed'))
    const again = await at.send('old', stop())
    expect(again.continuation).toMatchObject({ rank: 'cycle' })
    expect(promptOf(again)).toMatch(/Says tests pass; the last run of `npm test` failed at \d\d:\d\d/)
    at.restart()
    writeFileSync(path, document('failed'))
    expect(stopOf(await at.send('old', stop()))).toBeDefined()
    expect(at.documents()).toHaveLength(1)
    expect(at.entries().at(-1)).toMatchObject({ what: 'written', writtenBy: 'agent' })
  })

  it('is written by Baton after the second attempt, and says so', async () => {
    await using at = await world()
    put(at.folder, await at.send('old', ask()), document('passed'))
    await at.send('old', stop())
    const ended = await at.send('old', stop())
    expect(stopOf(ended)).toContain('written by Baton')
    const begun = await at.send('new', start('startup'))
    expect(begun.context).toContain('written_by: baton')
    expect(begun.context).toContain('no agent wrote or checked this document')
    expect(at.entries().at(-2)).toMatchObject({
      writtenBy: 'baton',
      findings: [expect.stringContaining('Says tests pass')],
    })
  })

  it('takes the document from the last message when there is no file', async () => {
    await using at = await world()
    await at.send('old', ask())
    expect(stopOf(await at.send('old', stop(`Here it is:\n\n${document('failed')}`)))).toBeDefined()
    expect((await at.send('new', start())).context).toContain('Implementing the refresh endpoint')
  })

  it.each([
    ['a refusal', 'I cannot help with that.'],
    ['no words', ''],
    ['an enormous reply', `${document('failed')}${'x'.repeat(400_000)}`],
  ])('%s is asked for again, then Baton writes it', async (_, message) => {
    await using at = await world()
    await at.send('old', ask())
    expect(promptOf(await at.send('old', stop(message)))).toBeDefined()
    expect(stopOf(await at.send('old', stop(message)))).toContain('written by Baton')
  })

  it('is written by Baton if the session ends before it is finished', async () => {
    await using at = await world()
    await at.send('old', ask())
    await at.send('old', { type: 'SessionEnded', reason: 'other' })
    expect((await at.send('new', start('startup'))).context).toContain('written_by: baton')
  })

  it('in a session without messages is refused before the model is asked', async () => {
    await using at = await world([])
    expect(await at.send('old', ask())).toEqual({
      refuse: { reason: 'Nothing to hand off (no messages yet)' },
    })
    expect(await at.send('old', stop())).toEqual({})
  })

  it('is dropped when the person continues with something else', async () => {
    await using at = await world()
    await at.send('old', ask())
    await at.send('old', { type: 'PromptSubmitted', prompt: 'Never mind, what is 2 + 2?' })
    expect(await at.send('old', stop('4'))).toEqual({})
    expect(await at.send('new', start())).toEqual({})
  })

  it('is delivered as the person edited it, and not delivered after they deleted it', async () => {
    await using at = await world()
    const path = put(at.folder, await at.send('old', ask()), document('failed'))
    await at.send('old', stop())
    writeFileSync(path, document('failed', 'Something else first'))
    expect((await at.send('new', start())).context).toContain('Something else first')
    at.begin('new', STEPS)
    const again = put(at.folder, await at.send('new', ask()), document('failed'))
    await at.send('new', stop())
    expect(parseHandoff(readFileSync(again, 'utf8')).document.facts.parent).toBe(
      path.slice(dirname(path).length + 1),
    )
    rmSync(again)
    expect(await at.send('third', start())).toEqual({})
  })

  it('waits for the first prompt of a session that takes no context at its start, and is delivered once', async () => {
    await using at = await world()
    put(at.folder, await at.send('old', ask()), document('failed'))
    await at.send('old', stop())
    expect(await at.send('new', { ...start('clear'), deaf: true })).toEqual({})
    expect(await at.send('another', start('startup'))).toEqual({})
    expect((await at.send('new', { type: 'PromptSubmitted', prompt: 'go on' })).context).toContain(
      '<handoff-context>',
    )
    expect(await at.send('new', { type: 'PromptSubmitted', prompt: 'and now' })).toEqual({})
  })

  it('is given with the next prompt if nothing waited for the answer to the start any more', async () => {
    await using at = await world()
    put(at.folder, await at.send('old', ask()), document('failed'))
    await at.send('old', stop())
    expect(await at.send('new', start(), AbortSignal.abort())).toEqual({})
    expect(await at.send('new', { type: 'PromptSubmitted', prompt: 'go on' }, AbortSignal.abort())).toEqual(
      {},
    )
    const late = await at.send('new', { type: 'PromptSubmitted', prompt: 'go on' })
    expect(late.context).toContain('Implementing the refresh endpoint')
    expect(await at.send('new', { type: 'PromptSubmitted', prompt: 'more' })).toEqual({})
    expect(at.entries().map(entry => entry?.what)).toEqual(['asked', 'written', 'received'])
  })

  it('is given with the next prompt if the wait ended while the delivery was recorded', async () => {
    await using at = await world()
    const path = put(at.folder, await at.send('old', ask()), document('failed'))
    await at.send('old', stop())
    expect(await at.send('new', start(), at.abortAtDelivery())).toEqual({})
    const late = await at.send('new', { type: 'PromptSubmitted', prompt: 'go on' })
    expect(late.context).toContain('Implementing the refresh endpoint')
    // A second document for the same session: the first stays the one it started with until the second is delivered.
    put(at.folder, await at.send('old', ask()), document('failed'))
    await at.send('old', stop())
    expect(await at.send('new', start(), at.abortAtDelivery())).toEqual({})
    const received = await at.memory.received(sessionId('claude-code', 'new'))
    expect(received?.document).toBe(basename(path))
  })

  it('is not given again to a session whose first prompt holds it, although the wait for its start ended', async () => {
    await using at = await world()
    put(at.folder, await at.send('old', ask()), document('failed'))
    await at.send('old', stop())
    const waiting = await at.memory.waiting(at.repo.path)
    await at.memory.await(at.repo.path, {
      ...waiting,
      document: waiting?.document ?? '',
      toldTo: 'claude-code',
    })
    expect(await at.send('new', start(), AbortSignal.abort())).toEqual({})
    expect(await at.send('new', { type: 'PromptSubmitted', prompt: 'go on' })).toEqual({})
    expect(at.entries().map(entry => entry?.what)).toEqual(['asked', 'written', 'received'])
  })

  it('does not touch other sessions: resumed, compacted, of a subagent or without a request', async () => {
    await using at = await world()
    put(at.folder, await at.send('old', ask()), document('failed'))
    expect(await at.send('old', { ...stop(), subagent: { id: 'a1' } })).toEqual({})
    expect(await at.send('other', stop())).toEqual({})
    await at.send('old', stop())
    expect(await at.send('old', start('resume'))).toEqual({})
    expect(await at.send('old', start('compact'))).toEqual({})
    expect(await at.send('other', { type: 'PromptSubmitted', prompt: 'what does /handoff do?' })).toEqual({})
  })
})
