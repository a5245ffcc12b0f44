import { join } from 'node:path'
import { ToolList, WorkList, WorkReport } from '@batonpass/contract/work'
import { describe, expect, it } from 'vitest'
import { composeStage } from '../../src/compose/stage.ts'
import { workRoutes } from '../../src/daemon/work-routes.ts'
import { scratch } from '../world/scratch.ts'

function api(folder: string) {
  const app = workRoutes(
    composeStage({ env: {}, home: folder, stateDir: join(folder, 'state'), forgeFor: async () => undefined }),
  )
  const ask = async (path: string, body?: unknown) => {
    const response = await app.request(
      path,
      body === undefined
        ? {}
        : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) },
    )
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return ask
}

describe('work over the API', () => {
  it('is begun, listed, shown and set to another mode', async () => {
    await using folder = scratch()
    const ask = api(folder.path)
    const project = folder.path
    expect(await ask('/api/work', { project, title: 'Auth System', mode: 'semi-auto' })).toEqual({
      status: 201,
      body: { workId: 'auth-system', path: '.paw/work/auth-system/WorkflowContext.md' },
    })
    const query = `project=${encodeURIComponent(project)}`
    expect(WorkList.parse((await ask(`/api/work?${query}`)).body).items).toMatchObject([
      { workId: 'auth-system', title: 'Auth System', mode: 'semi-auto', stage: 'not started' },
    ])
    expect(await ask('/api/work/auth-system/mode', { project, mode: 'auto' })).toMatchObject({ status: 200 })
    const report = WorkReport.parse((await ask(`/api/work/status?${query}&work_id=auth-system`)).body)
    expect(report.status?.mode).toBe('auto')
    expect(report.text).toContain('Handoff Mode: auto')
  })

  it('gives an editor the tools, and the conversation that it is to open', async () => {
    await using folder = scratch()
    const ask = api(folder.path)
    const project = folder.path
    await ask('/api/work', { project, title: 'A' })
    const { tools } = ToolList.parse((await ask('/api/tools')).body)
    expect(tools.map(({ name }) => name)).toContain('paw_call_agent')
    const call = {
      project,
      arguments: { target_agent: 'PAW-01A Specification', work_id: 'a' },
      opensChats: true,
    }
    expect((await ask('/api/tools/paw_call_agent', call)).body).toMatchObject({
      text: '',
      open: { agent: 'PAW-01A Specification', prompt: expect.stringContaining('Work ID: a') },
    })
  })

  it.each([
    ['/api/work', undefined, 400],
    ['/api/work?project=relative', undefined, 400],
    ['/api/work?project=/x%00y', undefined, 400],
    ['/api/work', 'no json', 400],
    ['/api/work', { title: 'A' }, 400],
    ['/api/work', { project: '/tmp', title: '' }, 400],
    ['/api/work/A!/mode', { project: '/tmp', mode: 'auto' }, 400],
    ['/api/work/none/mode', { project: '/tmp/nothing', mode: 'auto' }, 404],
    ['/api/work/none/mode', { project: '/tmp/nothing', mode: 'fast' }, 400],
    ['/api/work/status?project=/tmp/nothing&work_id=none', undefined, 404],
    ['/api/tools/nothing', { project: '/tmp' }, 404],
    ['/api/tools/paw_call_agent', { arguments: {} }, 400],
    ['/api/tools/paw_call_agent', { project: '/tmp', arguments: [] }, 400],
  ])('refuses %s %j with %i and a reason', async (path, body, status) => {
    await using folder = scratch()
    const answer = await api(folder.path)(path, body)
    expect(answer).toMatchObject({ status, body: { error: { message: expect.any(String) } } })
  })
})
