import type { Board, BoardOutcome } from '../../ports/forge.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import type { ForgeFolder } from './folder.ts'
import { boardItemOf, issueIn } from './issues.ts'

type Boards = Pick<WritableForge, 'board' | 'boardItems' | 'setOnBoard' | 'ensureBoard'>

export const folderBoard = (folder: ForgeFolder): Boards => ({
  board: () => boardOf(folder),
  boardItems: async () => (await folder.read()).issues.map(issue => boardItemOf(issue, folder)),
  setOnBoard: (number, { status, agent }) =>
    folder.change((state): BoardOutcome => {
      const issue = issueIn(state, number)
      if (agent !== undefined) issue.agent = agent || undefined
      const option = state.statuses.find(name => name.toLowerCase() === status?.toLowerCase())
      if (status !== undefined && !option)
        return { done: false, why: 'no-such-status', missing: `the Status "${status}"` }
      if (option) issue.status = option
      return { done: true, item: `item-${number}` }
    }),
  ensureBoard: async ({ statuses }) =>
    folder.change(async state => {
      const missing = statuses.filter(status => !state.statuses.includes(status))
      state.statuses.push(...missing)
      return {
        board: { ...(await boardOf(folder)), statuses: state.statuses },
        made: missing.map(status => `the Status "${status}"`),
      }
    }),
})

async function boardOf(folder: ForgeFolder): Promise<Board> {
  const { owner, name, statuses } = await folder.read()
  return {
    id: 'board',
    owner,
    number: 1,
    title: name,
    url: `file://${folder.path}`,
    statuses,
    hasAgent: true,
  }
}
