import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { CycleEntry } from '@batonpass/contract/cycle'
import { describe, expect, test } from 'vitest'
import { parseHandoff } from '../../src/handoff/document/parse.ts'
import { type ClaudeHome, claudeHome } from '../world/agents/claude.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { claudeAcp } from '../world/agents/hostable.ts'
import { type BatonHere, batonFor, batonIn, batonOnPath } from '../world/baton.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { type ModelRequest, startModel, textOf } from '../world/model.ts'
import { call, say, type Turn } from '../world/turn.ts'
import { until } from '../world/wait.ts'

const GOAL = 'Add refresh tokens to the login service'
const NEXT = 'Write the endpoint that renews a token'
const document = `---\nbranch: main\n---\n\n# Handoff Document\n\n**Created**: 2026-01-22 14:30:00\n**Context Usage**: 87%\n**Project**: project\n\n## Current Work\n\n**Active Epic**: Login\n**Progress**: 65% complete\n**Current Task**: Renewing tokens\n\n## Completed Since Last Handoff\n\n- [ ] Everything\n\n## Next Steps\n\n1. ${NEXT}\n2. Test it\n\n## Critical State\n\n- Nothing is committed\n\n## Blockers / Issues\n\n- None\n\n## Notes\n\n- None\n\n## Goal\n\n${GOAL}\n`
const block = (goal: string) =>
  `<handoff-check>\ngoal: ${goal}\nbranch: main\nnext: ${NEXT}\n</handoff-check>`
const FULL = { usage: { input: 870_000 } }

/** What the agent would do, by what it is asked; the context is full after the first real work. */
interface Answers {
  checks?: (string | ((request: ModelRequest) => string))[]
  documents?: (string | undefined)[]
  /** The turn that is asked for this does not end by itself. */
  hangs?: 'document' | 'check'
  /** The turn that wrote the document ends only then. */
  lasts?: Promise<void>
}
const NEVER = new Promise<void>(() => {})

function agent(home: ClaudeHome, answers: Answers = {}) {
  const checks = answers.checks ?? [block(GOAL)]
  const documents = answers.documents ?? [document]
  const wrote = new Set<string>()
  return (request: ModelRequest): Turn => {
    const last = request.lastText
    const name = [
      ...textOf(request).matchAll(/handoff document to (\.bmad\/handoffs\/handoff-[\d-]+\.md)/g),
    ].at(-1)?.[1]
    if (/and resume work|That is not what the handoff document says/.test(last)) {
      const check = checks.shift() ?? 'I do not know.'
      const text = typeof check === 'string' ? check : check(request)
      return say(text, answers.hangs === 'check' ? { gate: NEVER } : {})
    }
    const isOld = /please begin/.test(request.text) && !/and resume work/.test(request.text)
    if (/Now continue the work/.test(last)) return call('Bash', { command: 'echo renewed > renewed.txt' })
    if (
      /Create handoff document now|does not agree with what git|There is no handoff document yet/.test(last)
    ) {
      const text = documents.shift()
      if (answers.hangs === 'document') return say('No.', { gate: NEVER })
      if (text === undefined) return say('No.', FULL)
      wrote.add(name ?? '')
      return call('Write', { file_path: join(home.project, name ?? 'nowhere.md'), content: text }, FULL)
    }
    if (/please begin/.test(last)) {
      const command = /until it is measured/.test(last)
        ? 'until [ -e measured ]; do sleep 0.1; done'
        : 'echo begun > begun.txt'
      return call('Bash', { command }, FULL)
    }
    if (answers.lasts && wrote.size > 0 && isOld)
      return say('It is written.', { ...FULL, gate: answers.lasts })
    return say(request.toolResults.length > 0 ? 'Done with that.' : 'I see.', isOld ? FULL : {})
  }
}

const story = async (baton: BatonHere): Promise<CycleEntry[]> =>
  (await baton.entries({ kind: 'cycle' })).flatMap(({ body }) => (body.kind === 'cycle' ? body : []))
const documents = (home: ClaudeHome): string[] => readdirSync(join(home.project, '.bmad/handoffs')).sort()

async function world(answers: Parameters<typeof agent>[1] = {}, settings?: object) {
  await using stack = new AsyncDisposableStack()
  const { model, home, baton } = stack.use(await claudeWorld(settings ? { claudeSettings: settings } : {}))
  model.script({ key: home.key }, agent(home, answers))
  const terminal = stack.use(await claudeInTmux({ home, model, permissionMode: 'bypassPermissions' }))
  const owned = stack.move()
  return {
    model,
    home,
    baton,
    terminal,
    told: (what: CycleEntry['what'], timeout = 120_000) =>
      until(async () => (await story(baton)).find(entry => entry.what === what), {
        what: `the cycle to be ${what}`,
        timeout,
        every: 200,
        evidence: async () => `${await terminal.history()}\n${await baton.must('logs')}\n${model.summary()}`,
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Takes what the webhook is told. */
async function listener() {
  const heard: { kind: string; title: string; text: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    heard.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    heard,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('a full session of the real Claude Code', () => {
  test('is handed off without a person: document, /clear, essentials shown, and the next step done', {
    timeout: 360_000,
  }, async () => {
    await using here = await world()
    const { terminal, home, baton, model, told } = here
    await using webhook = await listener()
    baton.configure(`notify:\n  webhook: ${webhook.url}\n`)
    await terminal.submit('please begin: add refresh tokens to the login service')
    const done = await told('completed', 90_000)
    await until(() => webhook.heard.some(({ kind }) => kind === 'handoff'), { what: 'news of the handoff' })
    expect(webhook.heard.filter(({ kind }) => kind === 'handoff')).toMatchObject([
      {
        text: `🔁 project continues in a fresh session (${done.document})`,
        title: expect.stringMatching(/^Baton/),
      },
    ])
    await until(() => existsSync(join(home.project, 'renewed.txt')), {
      what: 'the next step',
      timeout: 120_000,
    })
    const entries = await story(baton)
    expect(entries.map(({ what }) => what)).toEqual([
      'due',
      'asked',
      'written',
      'cleared',
      'resumed',
      'verified',
      'completed',
    ])
    expect(done).toMatchObject({ percent: 87, writtenBy: 'agent' })
    expect(done.to).not.toBe(done.from)
    expect(documents(home)).toEqual([done.document])
    const read = parseHandoff(readFileSync(join(home.project, '.bmad/handoffs', done.document ?? ''), 'utf8'))
    expect(read.document).toMatchObject({ goal: GOAL, facts: { session: done.from, branch: 'main' } })
    // The next session knew the document, and nothing else of the old one.
    const resumed = model
      .mainRequests({ key: home.key })
      .find(each => each.lastText.includes('and resume work'))
    expect(textOf(resumed ?? expect.fail())).toContain('<handoff-context>')
    expect(textOf(resumed ?? expect.fail())).not.toContain('Done with that.')
    const { sessions } = JSON.parse(await baton.must('status', '--json', '--all'))
    const byNative = (native: string | undefined) =>
      sessions.find((each: { nativeSession: string }) => each.nativeSession === native)
    expect(byNative(done.to).parent).toBe(byNative(done.from).id)
    model.assertClean()
  })

  test('is measured by its status line, which shows what the user’s own shows, and asked at its stop', {
    timeout: 360_000,
  }, async () => {
    const own = { type: 'command', command: "cat > /dev/null; echo 'my own line'" }
    await using here = await world({}, { statusLine: own })
    const { terminal, home, baton, told } = here
    const settings = () => JSON.parse(readFileSync(join(home.path, '.claude/settings.json'), 'utf8'))
    expect(settings().statusLine.command).toContain('baton-statusline')
    await terminal.waitForScreen(/my own line/)
    await terminal.submit('please begin, until it is measured')
    // The turn lasts until the status line has reported it.
    const { event } = await baton.waitFor(
      'event',
      ({ event }) => event.type === 'ContextMeasured' && (event.percent ?? 0) > 80,
    )
    expect(event).toMatchObject({ source: 'status-line' })
    writeFileSync(join(home.project, 'measured'), '')
    await told('completed', 90_000)
    await baton.must('uninstall')
    expect(settings().statusLine).toEqual(own)
  })

  test('continues in the next daemon after a kill -9, at every step', {
    timeout: 480_000,
  }, async () => {
    await using here = await world()
    const { terminal, home, baton, told } = here
    const killed: string[] = []
    const killAt = async (what: CycleEntry['what']) => {
      const { step } = await told(what)
      const { daemon } = JSON.parse(await baton.must('status', '--json'))
      process.kill(daemon.pid, 'SIGKILL')
      killed.push(step)
      // Not "no daemon": a hook of the agent may have started the next one already.
      await until(() => !isAlive(daemon.pid), { what: 'the daemon to be gone' })
      await baton.must('up')
    }
    await terminal.submit('please begin: add refresh tokens')
    for (const what of ['due', 'asked', 'written', 'cleared', 'resumed'] as const) await killAt(what)
    await told('completed', 120_000)
    await until(() => existsSync(join(home.project, 'renewed.txt')), {
      what: 'the next step',
      timeout: 120_000,
    })
    const whats = (await story(baton)).map(({ what }) => what)
    for (const what of ['due', 'asked', 'written', 'cleared', 'resumed', 'verified', 'completed'])
      expect(whats).toContain(what)
    expect(documents(home)).toHaveLength(1)
    expect(killed).toHaveLength(5)
  })

  // The first in every run of CI; both with BATON_LONG=1.
  const DEATHS = [
    ['document', 'asked', /Create handoff document now/],
    ['check', 'resumed', /and resume work/],
  ] as const
  test.each(process.env.BATON_LONG ? DEATHS : DEATHS.slice(0, 1))(
    'whose agent is killed over its %s leaves a document, a reason, and a next session that begins with it',
    { timeout: 360_000 },
    async (hangs, what, asked) => {
      await using here = await world({ hangs })
      const { terminal, home, model, baton, told } = here
      await terminal.submit('please begin: add refresh tokens')
      await told(what)
      await model.waitForRequest(request => asked.test(request.lastText))
      process.kill(terminal.pid, 'SIGKILL')
      const failed = await told('failed')
      expect(failed.reason).toMatch(/the agent process has ended|its terminal is gone/)
      expect(failed).toMatchObject({ writtenBy: hangs === 'document' ? 'baton' : 'agent' })
      expect(documents(home)).toEqual([failed.document])
      expect(await baton.must('cycle', '--all')).toContain('failed')
      await using next = await claudeInTmux({ home, model, permissionMode: 'bypassPermissions' })
      await next.submit('and on we go')
      const request = await model.waitForRequest(each => /and on we go/.test(each.lastText))
      expect(textOf(request)).toContain('<handoff-context>')
    },
  )

  test('is not cleared while a dialog is open, which would swallow the keys, but once it is closed', {
    timeout: 360_000,
  }, async () => {
    const { promise: lasts, resolve: end } = Promise.withResolvers<void>()
    await using here = await world({ lasts })
    const { terminal, home, baton, told } = here
    await terminal.submit('please begin: add refresh tokens')
    await told('written')
    // Opens as soon as the turn has ended, before anybody can clear.
    await terminal.submit('/config')
    end()
    await terminal.waitForScreen(/Search settings/)
    await until(async () => JSON.parse(await baton.must('cycle', '--json')).cycles[0]?.busy > 0, {
      what: 'the terminal to be found in use',
      timeout: 120_000,
      every: 500,
      evidence: terminal.history,
    })
    const whats = async () => (await story(baton)).map(entry => entry.what)
    expect(await whats()).not.toContain('cleared')
    await terminal.answerDialog(/Search settings/, 'Escape')
    await told('completed', 120_000)
    expect((await whats()).filter(each => each === 'cleared')).toHaveLength(1)
    expect(documents(home)).toHaveLength(1)
  })

  test('that only echoes the branch is refused twice; then a person is asked, and can return to the old session', {
    timeout: 360_000,
  }, async () => {
    const wrong = block('Rewrite the billing service in Rust')
    await using here = await world({ checks: [wrong, wrong] })
    const { terminal, home, baton, told } = here
    await terminal.submit('please begin: add refresh tokens')
    const stuck = await told('person')
    expect(stuck.reason).toContain('it says the goal is "Rewrite the billing service in Rust"')
    // It is written down before the question is put.
    await until(async () => (await baton.must('asks')).includes(`claude -r ${stuck.from}`), {
      what: 'the question to the person',
      evidence: () => baton.must('asks'),
    })
    expect(await baton.must('cycle')).toContain('a person is needed')
    expect(existsSync(join(home.project, 'renewed.txt'))).toBe(false)
    // The old conversation is whole.
    expect(home.sessions()).toContain(stuck.from)
    expect(home.transcript(stuck.from ?? '').length).toBeGreaterThan(2)
    await baton.must('cycle', 'cancel', stuck.to ?? '')
    expect(JSON.parse(await baton.must('cycle', '--json', '--all')).cycles).toMatchObject([
      { step: 'cancelled' },
    ])
  })

  test('that leaves out an instruction is told it, and then names it by its id', {
    timeout: 360_000,
  }, async () => {
    const named = (request: ModelRequest) => {
      const id = /never change the database schema \[([0-9a-f]{8})\]/.exec(textOf(request))?.[1]
      return block(GOAL).replace('</', `instructions: [${id}]\n</`)
    }
    await using here = await world({ checks: [block(GOAL), named] })
    const { terminal, home, baton, model, told } = here
    await terminal.submit('Add refresh tokens to the login service, but first say what you see')
    await terminal.waitForScreen(/I see\./)
    await terminal.submit('please begin, and never change the database schema')
    await told('completed')
    const entries = await story(baton)
    expect(entries.map(({ what }) => what)).toEqual(expect.arrayContaining(['refused', 'verified']))
    const again = model
      .mainRequests({ key: home.key })
      .find(each => each.lastText.includes('That is not what the handoff document says'))
    expect(again?.lastText).toMatch(/it leaves out the instruction \[[0-9a-f]{8}\] "please begin, and never/)
    model.assertClean()
  })

  test('takes its workflow along: count, issue and state file continue in the next session', {
    timeout: 360_000,
  }, async () => {
    await using model = await startModel()
    await using home = claudeHome()
    await home.git()
    mkdirSync(join(home.project, '.claude/commands'), { recursive: true })
    writeFileSync(join(home.project, '.claude/commands/issue-to-impl.md'), 'Implement issue $ARGUMENTS.\n')
    const bin = batonOnPath(home.path)
    await using baton = await batonFor(home)
    baton.configure('permission:\n  preset: trusting\n  undecided: defer\n')
    const scripted = agent(home)
    let first = ''
    let parts = 0
    let finished = false
    model.script({ key: home.key }, request => {
      const session = request.session ?? ''
      first ||= session
      if (/Create handoff|resume work|Now continue the work/.test(request.lastText)) return scripted(request)
      if (
        request.toolResults.length > 0 &&
        /file state is current|completed with no output/.test(request.lastText)
      )
        return say('That part is there.', session === first ? FULL : {})
      if (session === first) return call('Bash', { command: `echo ${++parts} > part-${parts}.txt` }, FULL)
      if (finished) return say('Everything is done.')
      finished = true
      return call('Bash', { command: 'baton done' })
    })
    await using terminal = await claudeInTmux({
      home,
      model,
      permissionMode: 'bypassPermissions',
      env: { PATH: `${bin}:${process.env.PATH}` },
    })
    await terminal.submit('/issue-to-impl 42')
    await baton.waitFor('workflow', ({ what, end }) => what === 'ended' && end === 'unproven')
    const done = (await story(baton)).find(({ what }) => what === 'completed')
    const state = (session: string | undefined) =>
      JSON.parse(readFileSync(join(home.project, '.tmp/hooked-sessions', `${session}.json`), 'utf8'))
    expect(state(done?.from)).toMatchObject({ state: 'handed-off', issue_no: 42 })
    const after = state(done?.to)
    expect(after).toMatchObject({ workflow: 'issue-to-impl', state: 'done', issue_no: 42 })
    // The handoff's own prompts are no continuations: the count went on where it stood.
    expect(after.continuation_count - state(done?.from).continuation_count).toBeLessThanOrEqual(1)
    const entries = (await baton.entries({ kind: 'workflow' })).map(({ body }) => body)
    expect(entries).toContainEqual(
      expect.objectContaining({ what: 'carried-over', workflow: 'issue-to-impl' }),
    )
    const index = readFileSync(join(home.project, '.tmp/hooked-sessions/by-issue/42.json'), 'utf8')
    expect(JSON.parse(index)).toMatchObject({ session_id: done?.to })
  })

  test.each(['without hooks', 'with hooks'])(
    'hosted over the Agent Client Protocol is handed off without a key typed (%s)',
    {
      timeout: 360_000,
    },
    async kind => {
      await using model = await startModel()
      await using home = claudeHome()
      await home.git()
      await using baton = kind === 'with hooks' ? await batonFor(home) : batonIn(home.path, home.project)
      const env = { ...home.env(model), ...(await claudeAcp()) }
      baton.configure('permission:\n  preset: trusting\n')
      expect(await baton.run(['up', '--restart'], { env })).toMatchObject({ code: 0 })
      model.script({ key: home.key }, agent(home))
      const ran = await baton.run(['run', '--hosted', 'please begin: add refresh tokens'], { env })
      expect(ran).toMatchObject({ code: 0 })
      const done = await until(async () => (await story(baton)).find(({ what }) => what === 'completed'), {
        what: 'the hosted session to be handed off',
        timeout: 180_000,
        every: 300,
        evidence: async () => `${await baton.must('logs')}\n${model.summary()}`,
      })
      await until(() => existsSync(join(home.project, 'renewed.txt')), {
        what: 'the next step',
        timeout: 120_000,
      })
      expect(done.to).not.toBe(done.from)
      expect(documents(home)).toEqual([done.document])
      const resumed = model
        .mainRequests({ key: home.key })
        .find(each => each.lastText.includes('and resume work'))
      expect(textOf(resumed ?? expect.fail())).toContain('<handoff-context>')
    },
  )

  test('hosted continues in the next daemon after a kill -9: its agent is started again, in the same conversation or with its document', {
    timeout: 300_000,
  }, async () => {
    await using model = await startModel()
    await using home = claudeHome()
    await home.git()
    await using baton = batonIn(home.path, home.project)
    const env = { ...home.env(model), ...(await claudeAcp()) }
    baton.configure('permission:\n  preset: trusting\n')
    // What was cut off is asked for again.
    const checks = Array<string>(9).fill(block(GOAL))
    model.script({ key: home.key }, agent(home, { checks, documents: Array<string>(9).fill(document) }))
    expect(
      await baton.run(['run', '--hosted', '--title', 'work', 'please begin: add refresh tokens'], { env }),
    ).toMatchObject({ code: 0 })
    const told = (what: CycleEntry['what'], times = 1) =>
      until(async () => (await story(baton)).filter(entry => entry.what === what)[times - 1], {
        what: `the hosted cycle to be ${what}`,
        timeout: 180_000,
        every: 100,
        evidence: async () => `${await baton.must('logs')}\n${model.summary()}`,
      })
    const points: CycleEntry['what'][] = process.env.BATON_LONG
      ? ['due', 'asked', 'written', 'cleared', 'resumed', 'verified']
      : ['asked']
    const revivals = async () =>
      (await baton.entries({ kind: 'spawn' })).filter(
        ({ body }) => body.kind === 'spawn' && body.what === 'revived',
      ).length
    for (const [before, what] of points.entries()) {
      await told(what)
      const { daemon } = JSON.parse(await baton.must('status', '--json'))
      process.kill(daemon.pid, 'SIGKILL')
      await until(() => !isAlive(daemon.pid), { what: 'the daemon to be gone' })
      // Without the agent's PATH and keys: they were kept with the session.
      await baton.must('up')
      // One that is killed while it starts the agent again would leave that to the next.
      await until(async () => (await revivals()) === before + 1, {
        what: 'the agent to be started again',
        timeout: 120_000,
        evidence: () => baton.must('logs'),
      })
    }
    const done = await told('completed')
    await until(() => existsSync(join(home.project, 'renewed.txt')), {
      what: 'the next step',
      timeout: 120_000,
      evidence: async () => `${await baton.must('logs')}\n${model.summary()}`,
    })
    expect(done.to).not.toBe(done.from)
    expect(documents(home)).toContain(done.document)
    expect(await revivals()).toBe(points.length)
    // The list of running programs may be a moment older than the end of the cycle.
    await expect
      .poll(async () => JSON.parse(await baton.must('ps', '--json')).sessions)
      .toMatchObject([{ title: 'work', nativeSession: done.to }])
    // What it takes to start it again is private, and gone with the session.
    const kept = join(baton.stateDir, 'hosted')
    expect(readdirSync(kept).map(name => statSync(join(kept, name)).mode & 0o777)).toEqual([0o600])
    await baton.must('kill', 'work')
    expect(readdirSync(kept)).toEqual([])
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
