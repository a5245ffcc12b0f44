import { type BoardItem, ForgeError, type Issue, type IssueSummary } from '../../ports/forge.ts'
import type { WritableForge } from '../../ports/writable-forge.ts'
import type { ForgeFolder } from './folder.ts'
import type { FolderIssue, FolderState } from './state.ts'

type Issues = Pick<WritableForge, 'issue' | 'findIssue' | 'openIssues' | 'assign' | 'unassign' | 'closeIssue'>

export const folderIssues = (folder: ForgeFolder): Issues => {
  const summary = (issue: FolderIssue) => summaryOf(issue, folder)
  return {
    async issue(number): Promise<Issue> {
      const state = await folder.read()
      const issue = issueIn(state, number)
      const blockedBy = issue.blockedBy.filter(other =>
        state.issues.some(({ number, state }) => number === other && state === 'open'),
      )
      return {
        ...summary(issue),
        body: issue.body,
        blockedBy,
        blockedElsewhere: [],
        boardItem: boardItemOf(issue, folder),
      }
    },
    async findIssue({ titleStart, label, state: wanted = 'open', author, createdSince }) {
      const { issues } = await folder.read()
      const found = issues.findLast(
        issue =>
          (titleStart === undefined || issue.title.toLowerCase().startsWith(titleStart.toLowerCase())) &&
          (label === undefined || issue.labels.includes(label)) &&
          (wanted === 'any' || issue.state === wanted) &&
          (author === undefined || issue.author === author) &&
          (createdSince === undefined || issue.createdAt >= createdSince),
      )
      return found && summary(found)
    },
    assign: (number, logins) =>
      folder.change(state => {
        const issue = issueIn(state, number)
        issue.assignees = [...new Set([...issue.assignees, ...logins])]
        return issue.assignees
      }),
    openIssues: async label => {
      const { issues } = await folder.read()
      const open = issues.filter(issue => issue.state === 'open')
      return open.filter(issue => label === undefined || issue.labels.includes(label)).map(summary)
    },
    unassign: (number, logins) =>
      folder.change(state => {
        const issue = issueIn(state, number)
        issue.assignees = issue.assignees.filter(login => !logins.includes(login))
      }),
    closeIssue: (number, { comment, marker }) =>
      folder.change(state => {
        const issue = issueIn(state, number)
        const closed = issue.state === 'open'
        const commented = !issue.comments.some(known => known.marker === marker)
        if (commented) issue.comments.push({ marker, text: comment })
        issue.state = 'closed'
        return { closed, commented }
      }),
  }
}

export const issueIn = (state: FolderState, number: number): FolderIssue => {
  const found = state.issues.find(issue => issue.number === number)
  if (!found) throw new ForgeError('not-found', `There is no issue #${number}`)
  return found
}

function summaryOf(issue: FolderIssue, folder: ForgeFolder): IssueSummary {
  const { number, title, state, labels, assignees, author, createdAt } = issue
  return { number, title, url: urlOf(number, folder), state, labels, assignees, author, createdAt }
}

export function boardItemOf(issue: FolderIssue, folder: ForgeFolder): BoardItem {
  const { title, labels, assignees, state, status, agent } = issue
  const link = urlOf(issue.number, folder)
  const about = { title, url: link, state, status, agent, labels, assignees }
  return { id: `item-${issue.number}`, issue: issue.number, kind: 'issue', ...about }
}

const urlOf = (number: number, { path }: ForgeFolder): string => `file://${path}/forge.json#${number}`
