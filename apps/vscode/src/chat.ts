import type { StageAgent } from '@batonpass/contract/work'
import * as vscode from 'vscode'

/**
 * Opens a fresh conversation with a stage's agent. It is sent at once where a model answers; elsewhere the prompt
 * stands in the input, for a person to send when they have signed in.
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
