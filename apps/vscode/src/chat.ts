import type { StageAgent } from '@batonpass/contract/work'
import * as vscode from 'vscode'

/**
 * Opens a fresh conversation with a stage's agent. If a model is available, VS Code sends the prompt at once; if not, the
 * prompt waits in the input box until the user has signed in.
 */
export async function openChat(agent: StageAgent, prompt: string): Promise<void> {
  const models = await vscode.lm.selectChatModels()
  await vscode.commands.executeCommand('workbench.action.chat.newChat')
  // Opened first without words: an agent that VS Code is still reading is known the second time.
  await vscode.commands.executeCommand('workbench.action.chat.open', { mode: agent })
  await vscode.commands.executeCommand('workbench.action.chat.open', {
    mode: agent,
    query: prompt,
    isPartialQuery: models.length === 0,
  })
}
