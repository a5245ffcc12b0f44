import { describe, expect, test } from 'vitest'
import { adapter } from '../../../src/adapters/agents/pi/adapter.ts'
import { agentContract } from '../../contracts/agent.contract.ts'
import { recorded } from './recorded.ts'

agentContract({ adapter, fixtures: 'pi', scopes: ['user', 'project'], entries: 'plugin' })

describe('what the plugin says', () => {
  test.each([
    ['session-start', { type: 'SessionStarted', source: 'startup' }],
    ['prompt.automatic', { type: 'PromptSubmitted', automatic: true }],
    ['tool-call.shell', { action: { kind: 'shell', command: 'npm test', cwd: '/home/dev/project' } }],
    ['tool-call.write', { action: { kind: 'write' } }],
    ['tool-result', { type: 'ToolFinished', failed: true }],
    [
      'context',
      { type: 'ContextMeasured', source: 'plugin', used: 61_200, size: 200_000, model: 'fake-model' },
    ],
    ['turn-end', { type: 'TurnEnded', continued: true, outcome: 'completed', lastMessage: 'three files' }],
    ['turn-end.aborted', { outcome: 'aborted' }],
    ['session-end', { type: 'SessionEnded', reason: 'quit' }],
    ['session-end.new', { type: 'SessionEnded', reason: 'clear' }],
    ['turn-error', { type: 'TurnFailed', error: 'APIError' }],
  ])('%s', (name, event) => {
    expect(adapter.decode(recorded('pi', name), undefined)).toMatchObject({ event })
  })
})

describe('oh-my-pi', () => {
  const target = { scope: 'user', home: '/home/dev', project: '/p', launcher: '/l', waitSeconds: 1 } as const
  const OMP = '/home/dev/.omp/agent/extensions/baton.ts'
  const on = (files: Record<string, string>) => (path: string) => files[path]
  const after = (files: Record<string, string>) =>
    Object.fromEntries(adapter.install(target, on(files)).map(({ path, after: text }) => [path, text ?? '']))

  test('gets the extension where it is on the machine, and only there', () => {
    expect(Object.keys(after({}))).toEqual(['/home/dev/.pi/agent/extensions/baton.ts'])
    const sign = { '/home/dev/.omp/install-id': 'x' }
    const both: Record<string, string> = { ...sign, ...after(sign) }
    expect(both[OMP]).toContain('export default function')
    expect(adapter.installed(target, on(both))).toBe('yes')
    expect(adapter.install(target, on(both))).toEqual([])
    // One that came later has none yet.
    expect(adapter.installed(target, on({ ...both, [OMP]: undefined as unknown as string }))).toBe('stale')
    const gone = adapter.uninstall(target, on(both))
    expect(gone.map(({ path, after: text }) => [path, text])).toContainEqual([OMP, undefined])
    expect(gone).toHaveLength(2)
  })

  test('keeps an extension of that name that is not Baton’s', () => {
    const files = { [OMP]: 'export default () => {}' }
    expect(() => adapter.install(target, on(files))).toThrow(/not Baton's/)
    expect(adapter.uninstall(target, on(files))).toEqual([])
  })
})
