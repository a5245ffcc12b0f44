import type { Session } from '@batonpass/contract/session'
import { describe, expect, it } from 'vitest'
import { endLostSession } from '../../src/compose/lost-session.ts'
import type { DecodedEvent } from '../../src/ports/agent.ts'
import { aSession, at } from '../world/journal.ts'

interface Situation {
  session?: Partial<Session>
  isRunOpen?: boolean
  isBusy?: boolean
}

function lostSession({ session = {}, isRunOpen = false, isBusy = false }: Situation) {
  let known: Session = aSession(1, { cwd: '/work', ...session })
  const reported: DecodedEvent[] = []
  return {
    reported,
    known: () => known,
    end: (why: string, seen = known) =>
      endLostSession(seen, why, {
        session: async () => known,
        async updateSession(_, change) {
          known = change(known)
        },
        async report(_, event) {
          reported.push(event)
          if (event.type === 'SessionEnded') known = { ...known, endedAt: at(5), endReason: event.reason }
        },
        hasUnfinishedRun: async () => isRunOpen,
        isBusyElsewhere: async () => isBusy,
        now: () => Date.parse(at(9)),
      }),
  }
}

describe('A session whose process is gone, and whose stop and end were both lost,', () => {
  it('is reported as ended if a run waits for it, so that the run ends, too', async () => {
    const lost = lostSession({ isRunOpen: true })
    await lost.end('its process is gone')
    expect(lost.reported).toMatchObject([
      {
        type: 'SessionEnded',
        nativeSession: lost.known().nativeSession,
        reason: 'lost: its process is gone',
      },
    ])
    expect(lost.known()).toMatchObject({ endedAt: at(5), endReason: 'lost: its process is gone' })
  })

  it.each<[string, Situation, string]>([
    ['no run waits for it', {}, 'its process is gone'],
    ['its work is being handed over', { isRunOpen: true, isBusy: true }, 'its process is gone'],
    ['its terminal runs another session', { isRunOpen: true }, 'another session started in its terminal'],
  ])('only ends in the journal if %s', async (_, situation, why) => {
    const lost = lostSession(situation)
    await lost.end(why)
    expect(lost.reported).toEqual([])
    expect(lost.known()).toMatchObject({ endedAt: at(9), endReason: `lost: ${why}` })
  })

  it('is left alone if it has reported again, or has ended', async () => {
    const again = lostSession({ isRunOpen: true })
    await again.end('its process is gone', { ...again.known(), lastSeenAt: at(0) })
    expect(again.known().endedAt).toBeUndefined()
    const ended = lostSession({ isRunOpen: true, session: { endedAt: at(2), endReason: 'exit' } })
    await ended.end('its process is gone')
    expect(ended.known()).toMatchObject({ endedAt: at(2), endReason: 'exit' })
    expect([...again.reported, ...ended.reported]).toEqual([])
  })
})
