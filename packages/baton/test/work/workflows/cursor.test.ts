import { expect, it } from 'vitest'
import { cursor } from '../../../src/adapters/agents/cursor/adapter.ts'
import { sessionId } from '../../../src/session/id.ts'
import { event, type World, world } from './world.ts'

const common = {
  conversation_id: 'c1',
  generation_id: 'g1',
  workspace_roots: ['/p'],
  cursor_version: '2.0',
  model: 'm',
}

/** One hook call of Cursor's, from its JSON to its answer. */
async function hook(w: World, name: string, fields: object): Promise<Record<string, unknown>> {
  const decoded = cursor.decode({ ...common, hook_event_name: name, ...fields }, undefined)
  if ('ignored' in decoded) return {}
  const { type, ...rest } = decoded.event
  const told = {
    ...event(type, 'c1', rest as never),
    agent: 'cursor' as const,
    session: sessionId('cursor', 'c1'),
  }
  return cursor.encode(await w.tell(told), name)
}

it("Cursor continues by a follow-up message, up to the cap, and not after a person's abort", async () => {
  await using w = world({ handsoff: { max_continuations: 2 } })
  await hook(w, 'beforeSubmitPrompt', { prompt: '/issue-to-impl 42', attachments: [] })
  expect(w.state('c1')).toEqual({
    workflow: 'issue-to-impl',
    state: 'initial',
    continuation_count: 0,
    issue_no: 42,
  })
  const work = (n: number) =>
    hook(w, 'afterFileEdit', { file_path: `/p/${n}.ts`, edits: [{ old_string: '', new_string: `${n}` }] })
  await work(1)
  expect(await hook(w, 'stop', { status: 'aborted', loop_count: 0 })).toEqual({})
  const first = await hook(w, 'stop', { status: 'completed', loop_count: 0 })
  expect(first.followup_message).toContain('1/2 continuations')
  await work(2)
  expect((await hook(w, 'stop', { status: 'completed', loop_count: 1 })).followup_message).toContain('2/2')
  await work(3)
  expect((await hook(w, 'stop', { status: 'completed', loop_count: 2 })).followup_message).toBeUndefined()
  expect(w.announced).toMatchObject([{ end: 'capped' }])
})
