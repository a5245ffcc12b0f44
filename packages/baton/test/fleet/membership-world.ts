import { setTimeout as pause } from 'node:timers/promises'
import { Membership } from '../../src/fleet/membership.ts'
import type { MembershipFile } from '../../src/fleet/membership-file.ts'
import { postgresBoard } from '../../src/store/fleet-board.ts'

/** A machine with a membership file of its own on a real board. `again` is its next daemon. */
export function machineOn(url: string, name: string) {
  let file: MembershipFile | undefined
  let now = Date.now()
  const journal: string[] = []
  const announced: string[] = []
  const boards: { close(): Promise<void> }[] = []
  const again = () => {
    const board = postgresBoard(url)
    boards.push(board)
    return new Membership({
      board,
      file: {
        read: async () => file,
        write: async next => {
          file = structuredClone(next)
        },
      },
      machine: async () => ({ id: `id-${name}`, name }),
      journal: async (what, reason) => void journal.push(`${what}: ${reason}`),
      announce: text => void announced.push(text),
      clock: { now: () => now },
      pause: ms => pause(Math.min(ms, 5)),
    })
  }
  return {
    ...{ name, journal, announced, again },
    membership: again(),
    board: boards[0] as ReturnType<typeof postgresBoard>,
    file: () => file,
    pass: (ms: number) => {
      now += ms
    },
    close: () => Promise.all(boards.map(board => board.close())),
  }
}
export type TestMachine = ReturnType<typeof machineOn>

/** Lets a machine join with a token of another, which looks meanwhile as its ticks do. */
export async function admit(member: TestMachine, joining: TestMachine, token?: string): Promise<void> {
  const { token: fresh } = token ? { token } : await member.membership.giveToken()
  let isDone = false
  const joined = joining.membership.join(fresh).finally(() => {
    isDone = true
  })
  joined.catch(() => {})
  while (!isDone) {
    await member.membership.refresh()
    await pause(10)
  }
  await joined
}
