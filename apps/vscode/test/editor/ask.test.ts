import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runClaude } from '../../../../packages/baton/test/world/agents/claude-headless.ts'
import { type Model, startModel, textOf } from '../../../../packages/baton/test/world/model.ts'
import { call, say } from '../../../../packages/baton/test/world/turn.ts'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { type EditorWorld, editorWorld } from './world.ts'

const RULES =
  'handsoff:\n  auto_permission: false\npermissions:\n  ask:\n    - program: date\n      reason: the time is a secret\n'

describe('an ask, in real VS Code', () => {
  let world: EditorWorld
  let model: Model
  beforeAll(async () => {
    model = await startModel()
    world = await editorWorld({ yaml: RULES })
  }, 180_000)
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await model?.[Symbol.asyncDispose]()
  })

  const heard = () => {
    const last = model.mainRequests({ key: world.home.key }).at(-1)
    return last ? textOf(last) : ''
  }

  test('is answered from its notification while the real Claude Code waits', {
    timeout: 120_000,
  }, async () => {
    const { home, baton, window } = world
    await until(async () => (await window.statusBar()).includes('Baton'), { what: 'the status bar' })
    model.script({ key: home.key }, [call('Bash', { command: 'date +asked-%Y' }), say('done')])
    const running = runClaude({ home, model, prompt: 'what time is it' })
    const toast = window.notification('date +asked-%Y')
    await toast.waitFor({ timeout: 60_000 })
    await window.picture('ask-notification')
    await toast.getByText('Allow once', { exact: true }).click()
    expect((await running).isError).toBe(false)
    expect(heard()).toMatch(/asked-20\d\d/)
    const { answer } = await baton.waitFor('ask', ({ what }) => what === 'answered')
    expect(answer).toMatchObject({ option: 'allow-once', by: { channel: 'vscode' } })
  })
})
