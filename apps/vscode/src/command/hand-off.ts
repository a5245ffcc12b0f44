import { Cycle } from '@batonpass/contract/cycle'
import type { Session } from '@batonpass/contract/session'
import * as vscode from 'vscode'
import type { Daemon } from '../daemon/client.ts'

/** Hands a live session over to a fresh one, after the user has confirmed. */
export async function handOff(daemon: Daemon, { id, agent, nativeSession }: Session): Promise<void> {
  const yes = 'Hand off'
  const chosen = await vscode.window.showWarningMessage(
    `Hand off ${agent} (${nativeSession.slice(0, 8)}) now?`,
    {
      modal: true,
      detail:
        'The agent writes a handoff document. A fresh session then continues the work from that document.',
    },
    yes,
  )
  if (chosen === yes)
    await daemon.post(`/api/sessions/${encodeURIComponent(id)}/cycle`, Cycle, {}, { asPerson: true })
}
