import { describe, expect, it } from 'vitest'
import type { Picture } from '../../src/daemon/live.ts'
import { statusBarText } from '../../src/view/status-bar-text.ts'
import { sampleAsk, sampleSession } from '../sample.ts'

const running = (given: Partial<Picture> = {}): Picture => ({
  daemon: 'running',
  sessions: [],
  asks: [],
  work: [],
  ...given,
})
const at = (percent: number, zone: string, project = '/work/shop') =>
  sampleSession({ project, context: { used: percent * 2000, percent, zone, at: '2026-01-01T00:00:00.000Z' } })

describe('the status bar', () => {
  it('says that the daemon is not there, and why', () => {
    const text = statusBarText(
      { ...running(), daemon: 'absent', problem: 'No daemon. Start it: baton up' },
      [],
    )
    expect(text).toMatchObject({ text: '$(circle-slash) Baton', tooltip: 'No daemon. Start it: baton up' })
  })

  it('shows the fullest context of the sessions in this window', () => {
    const sessions = [at(10, 'fine'), at(62.4, 'warn'), at(90, 'trigger', '/work/other')]
    expect(statusBarText(running({ sessions }), ['/work/shop'])).toMatchObject({
      text: '$(pulse) Baton 62 % small tasks only',
      urgency: 'warning',
    })
    expect(statusBarText(running({ sessions }), ['/elsewhere'])).toMatchObject({
      text: '$(pulse) Baton 90 % hand off now',
      urgency: 'error',
    })
  })

  it('says that Baton is paused for this window', () => {
    const since = '2026-01-01T10:00:00.000Z'
    const pauses = [{ scope: 'project' as const, project: '/work/shop', since }]
    expect(statusBarText(running({ pauses }), ['/work/shop/api'])).toMatchObject({
      text: '$(debug-pause) Baton paused',
      tooltip: expect.stringContaining('Baton is paused in /work/shop since 2026-01-01 10:00 UTC'),
      urgency: 'warning',
    })
    expect(statusBarText(running({ pauses }), ['/work/other']).text).toBe('$(pulse) Baton')
    expect(statusBarText(running({ pauses: [{ scope: 'machine', since }] }), []).text).toContain('paused')
  })

  it('counts open questions', () => {
    const { text, urgency, tooltip } = statusBarText(running({ asks: [sampleAsk()] }), [])
    expect(text).toBe('$(pulse) Baton $(question) 1')
    expect(urgency).toBe('warning')
    expect(tooltip).toContain('1 open question')
  })

  it('shows tokens if the size of the context window is unknown', () => {
    const session = sampleSession({
      context: { used: 48_200, zone: 'unknown', at: '2026-01-01T00:00:00.000Z' },
    })
    expect(statusBarText(running({ sessions: [session] }), []).text).toBe('$(pulse) Baton 48K tokens')
  })
})
