import { describe, expect, it } from 'vitest'
import { sessionId } from '../../../src/session/id.ts'
import { parkRun, resumeParkedRun } from '../../../src/work/workflows/park-run.ts'
import { event, type World, world } from './world.ts'

const session = sessionId('claude-code', 's1')
const start = (prompt: string) => event('PromptSubmitted', 's1', { prompt })
const park = ({ ports, handsOff, project, config, now }: World) =>
  parkRun(ports, handsOff, { session: { id: session }, project, config, now }, 'no one answered')
const resume = ({ ports, handsOff, now }: World) => resumeParkedRun(ports, handsOff, session, now)

describe('A run whose question no one answers', () => {
  it('is parked once, and says so in its state file, the journal and a notice', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    expect(await park(w)).toBe(true)
    expect(await park(w)).toBe(true)
    expect(w.state('s1').state).toBe('question-parked')
    expect(w.announced).toMatchObject([{ end: 'question-parked', reason: 'no one answered', issue: 42 }])
    expect(w.journal.map(({ what }) => what)).toEqual(['started', 'ended'])
  })

  it('continues at its stops after the answer', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await park(w)
    await resume(w)
    await resume(w)
    expect(w.state('s1').state).toBe('initial')
    expect(w.journal.map(({ what }) => what)).toEqual(['started', 'ended', 'resumed'])
    expect((await w.stop('s1')).goOn?.prompt).toContain('1/10')
  })

  it('is not continued at a stop while it is parked, and a prompt of the person takes it up', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await park(w)
    expect((await w.stop('s1')).goOn).toBeUndefined()
    await w.tell(start('take SQLite'))
    expect((await w.stop('s1')).goOn?.prompt).toContain('1/10')
  })

  it('stays ended if a person stopped it meanwhile', async () => {
    await using w = world()
    await w.tell(start('/issue-to-impl 42'))
    await park(w)
    w.edit('s1', { ...w.state('s1'), state: 'stopped' })
    await resume(w)
    expect(w.state('s1').state).toBe('stopped')
    expect((await w.stop('s1')).goOn).toBeUndefined()
  })

  it('does not exist in a session without a workflow', async () => {
    await using w = world()
    await w.tell(start('fix the bug'))
    expect(await park(w)).toBe(false)
    await resume(w)
    expect(w.journal).toEqual([])
  })
})
