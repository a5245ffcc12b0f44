import { WorkReport, type WorkSummary } from '@batonpass/contract/work'
import * as vscode from 'vscode'
import { plain } from '../ask/ask-text.ts'
import { openChat } from '../chat.ts'
import type { Daemon } from '../daemon/client.ts'
import { folderFor } from '../folders.ts'
import type { WorkNode } from '../view/trees.ts'

export interface WorkStatusParts {
  daemon: Daemon
  items(): Promise<WorkNode[]>
  /** Opens a read-only text next to the editor. */
  show(name: string, text: string): Promise<void>
}

/** `PAW: Get Work Status`: asks for the item, shows what `baton status` says about it, and opens the Status agent. */
export async function workStatus(parts: WorkStatusParts, given?: unknown): Promise<void> {
  const chosen = isWorkNode(given) ? given : await chooseWorkItem(await parts.items())
  if (chosen === undefined) return
  const item = chosen === 'auto' ? undefined : chosen
  const project = item?.project ?? folderFor(undefined)
  const query = new URLSearchParams({ project, ...(item && { work_id: item.workId }) })
  const { text, status } = await parts.daemon.get(`/api/work/status?${query}`, WorkReport)
  await parts.show(status?.workId ?? 'work items', text)
  await openChat('PAW-X Status', statusPrompt(item?.workId ?? status?.workId))
}

function statusPrompt(workId: string | undefined): string {
  const question = 'You are PAW-X Status. What is the status of the work, and what can I do next?'
  return workId === undefined ? question : `Work ID: ${workId}\n\n${question}`
}

/** Lets the user choose a work item: auto-detect first, then the newest. */
async function chooseWorkItem(items: readonly WorkNode[]): Promise<WorkNode | 'auto' | undefined> {
  const auto = {
    label: '$(search) Auto-detect from context',
    description: 'by your current branch',
    choice: 'auto' as const,
  }
  const rows = items.map(item => ({
    label: plain(item.title),
    description: item.workId,
    detail: describe(item),
    choice: item,
  }))
  const chosen = await vscode.window.showQuickPick<{ label: string; choice: WorkNode | 'auto' }>(
    [auto, ...rows],
    {
      title: 'PAW: Get Work Status',
      placeHolder: items.length === 0 ? 'No work items in this window' : 'Which work item?',
      matchOnDescription: true,
      matchOnDetail: true,
    },
  )
  return chosen?.choice
}

const describe = ({ stage, mode, modifiedAt }: WorkSummary): string =>
  `${stage} · ${mode} · changed ${modifiedAt.slice(0, 16).replace('T', ' ')} UTC`

export const isWorkNode = (given: unknown): given is WorkNode =>
  typeof given === 'object' && given !== null && 'workId' in given && 'project' in given
