import type { JobView, QueueAdd } from '@batonpass/contract/fleet'
import { describe, expect, test } from 'vitest'
import { type SourceFile, Sources } from '../../src/fleet/sources.ts'
import type { Forge } from '../../src/ports/forge.ts'

const REPOSITORY = 'github.com/acme/app'

/** A repository on a forge, and a queue; the daemon can be killed, the file stays. */
function world(settings = { label: 'baton', column: '' }) {
  let file: SourceFile | undefined
  let now = 1_800_000_000_000
  let isAway = false
  const labelled = new Map<number, string[]>()
  const board: { issue: number; status: string }[] = []
  const queue: QueueAdd[] = []
  const added: string[] = []
  const forge = {
    async openIssues(label: string) {
      if (isAway) throw new Error('GitHub cannot be reached')
      return [...labelled].flatMap(([number, labels]) => (labels.includes(label) ? { number, labels } : []))
    },
    boardItems: async () =>
      board.map(({ issue, status }) => ({ issue, status, kind: 'issue', state: 'open', labels: [] })),
  } as unknown as Forge
  const jobs = {
    list: async () => queue.map(({ issue }) => ({ repository: REPOSITORY, issue }) as JobView),
    async add(order: QueueAdd) {
      if (queue.some(({ issue }) => issue === order.issue)) return
      queue.push(order)
      added.push(`#${order.issue} at ${order.priority}`)
    },
  }
  const daemon = () =>
    new Sources({
      file: {
        read: async () => file,
        write: async next => {
          file = structuredClone(next)
        },
      },
      repositoryOf: async () => REPOSITORY,
      forgeOf: async () => forge,
      settingsOf: async () => settings,
      redact: text => text,
      clock: { now: () => now, elapsed: () => now },
    })
  return {
    labelled,
    board,
    added,
    daemon,
    away: (yes: boolean) => {
      isAway = yes
    },
    async look(sources: Sources) {
      now += 61_000
      await sources.tick(jobs)
    },
    /** The job is over: merged, or taken out. */
    ends: (issue: number) =>
      void queue.splice(
        queue.findIndex(each => each.issue === issue),
        1,
      ),
  }
}

describe('repositories that are watched', () => {
  test('an issue becomes a job once for each time that it gets the label, also after a restart', async () => {
    const here = world()
    const sources = here.daemon()
    here.labelled.set(1, ['baton', 'priority:7']).set(2, ['bug'])
    await here.look(sources)
    expect(here.added).toEqual([])
    await sources.watch('/p', true)
    await here.look(sources)
    expect(here.added).toEqual(['#1 at 7'])
    here.ends(1)
    await here.look(here.daemon())
    expect(here.added).toHaveLength(1)
    here.labelled.delete(1)
    await here.look(here.daemon())
    here.labelled.set(1, ['baton'])
    const last = here.daemon()
    await here.look(last)
    expect(here.added).toEqual(['#1 at 7', '#1 at 0'])
    await last.watch('/p', false)
    here.labelled.set(3, ['baton'])
    await here.look(last)
    expect(here.added).toHaveLength(2)
  })

  test('an issue that a person took out of the queue does not come back by itself', async () => {
    const here = world({ label: '', column: 'Todo' })
    const sources = here.daemon()
    await sources.watch('/p', true)
    here.board.push({ issue: 1, status: 'todo' })
    await here.look(sources)
    expect(here.added).toEqual(['#1 at 0'])
    // The claim moves it, and moves it back when the job is removed.
    here.board[0] = { issue: 1, status: 'In Progress' }
    await here.look(sources)
    await sources.dismiss({ repository: REPOSITORY, issue: 1 })
    here.ends(1)
    await here.look(sources)
    here.board[0] = { issue: 1, status: 'Todo' }
    await here.look(sources)
    expect(here.added).toHaveLength(1)
  })

  test('changes at the same moment all count', async () => {
    const here = world()
    const sources = here.daemon()
    await sources.watch('/p', true)
    here.labelled.set(1, ['baton']).set(2, ['baton'])
    await Promise.all([1, 2].map(issue => sources.dismiss({ repository: REPOSITORY, issue })))
    await here.look(here.daemon())
    expect(here.added).toEqual([])
  })

  test('a forge that cannot be reached is shown, and looked at again', async () => {
    const here = world()
    const sources = here.daemon()
    await sources.watch('/p', true)
    here.away(true)
    await here.look(sources)
    expect(await sources.views()).toMatchObject([{ label: 'baton', problem: 'GitHub cannot be reached' }])
    here.away(false)
    here.labelled.set(1, ['baton', 'Priority: -300'])
    await here.look(sources)
    expect(here.added).toEqual(['#1 at -100'])
    expect((await sources.views())[0]?.problem).toBeUndefined()
  })
})
