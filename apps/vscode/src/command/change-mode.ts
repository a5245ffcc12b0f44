import { ModeChanged } from '@batonpass/contract/work'
import * as vscode from 'vscode'
import type { Daemon } from '../daemon/client.ts'
import type { WorkNode } from '../view/trees.ts'
import { MODES } from './new-workflow.ts'

/** Changes the handoff mode of a work item, even while its stages run. */
export async function changeMode(
  daemon: Daemon,
  { workId, project, mode: current }: WorkNode,
): Promise<void> {
  const rows = MODES.map(mode => ({ ...mode, description: mode.value === current ? 'current' : '' }))
  const chosen = await vscode.window.showQuickPick(rows, { title: `Handoff Mode of ${workId}` })
  if (chosen === undefined || chosen.value === current) return
  await daemon.post(`/api/work/${workId}/mode`, ModeChanged, { project, mode: chosen.value })
}
