import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CycleEntry } from '@batonpass/contract/cycle'
import { describe, expect, test } from 'vitest'
import { parseHandoff } from '../../src/handoff/document/parse.ts'
import { type ClaudeHome, claudeHome } from '../world/agents/claude.ts'
import { claudeInTmux } from '../world/agents/claude-tmux.ts'
import { type BatonHere, batonFor } from '../world/baton.ts'
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
function agent(home: ClaudeHome, answers: { checks?: string[]; documents?: (string | undefined)[] } = {}) {
  const checks = answers.checks ?? [block(GOAL)]
  const documents = answers.documents ?? [document]
  const wrote = new Set<string>()
  return (request: ModelRequest): Turn => {
    const last = request.lastText
    const name = [
      ...textOf(request).matchAll(/handoff document to (\.bmad\/handoffs\/handoff-[\d-]+\.md)/g),
    ].at(-1)?.[1]
    if (/and resume work|That is not what the handoff document says/.test(last))
      return say(checks.shift() ?? 'I do not know.')
    if (/Now go on with the work/.test(last)) return call('Bash', { command: 'echo renewed > renewed.txt' })
    if (
      /Create handoff document now|does not agree with what git|There is no handoff document yet/.test(last)
    ) {
      const text = documents.shift()
      if (text === undefined) return say('No.', FULL)
      wrote.add(name ?? '')
      return call('Write', { file_path: join(home.project, name ?? 'nowhere.md'), content: text }, FULL)
    }
    if (/please begin/.test(last)) return call('Bash', { command: 'echo begun > begun.txt' }, FULL)
    return say(
      request.toolResults.length > 0 ? 'Done with that.' : 'I see.',
      request.firstPrompt.includes('please begin') ? FULL : {},
    )
  }
}

const story = async (baton: BatonHere): Promise<CycleEntry[]> =>
  (await baton.entries({ kind: 'cycle' })).flatMap(({ body }) => (body.kind === 'cycle' ? body : []))
const documents = (home: ClaudeHome): string[] => readdirSync(join(home.project, '.bmad/handoffs')).sort()

async function world(answers: Parameters<typeof agent>[1] = {}) {
  const model = await startModel()
  const home = claudeHome()
  await home.git()
  const baton = await batonFor(home)
  model.script({ key: home.key }, agent(home, answers))
  const terminal = await claudeInTmux({ home, model, permissionMode: 'bypassPermissions' })
  return {
    model,
    home,
    baton,
    terminal,
    told: (what: CycleEntry['what'], timeout = 60_000) =>
      until(async () => (await story(baton)).find(entry => entry.what === what), {
        what: `the cycle to be ${what}`,
        timeout,
        every: 200,
        evidence: async () => `${await terminal.history()}\n${await baton.must('logs')}\n${model.summary()}`,
      }),
    async [Symbol.asyncDispose]() {
      await terminal.kill()
      await baton[Symbol.asyncDispose]()
      await model.close()
      home.remove()
    },
  }
}

describe('a full session of the real Claude Code', () => {
  test('is handed off without a hand on it: document, /clear, essentials shown, and the next step done', {
    timeout: 180_000,
  }, async () => {
    await using here = await world()
    const { terminal, home, baton, model, told } = here
    await terminal.submit('please begin: add refresh tokens to the login service')
    const done = await told('completed', 90_000)
    await until(() => existsSync(join(home.project, 'renewed.txt')), {
      what: 'the next step',
      timeout: 30_000,
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
})
