import { ToolAnswer } from '@batonpass/contract/work'
import * as vscode from 'vscode'
import { openChat } from '../chat.ts'
import type { Daemon } from '../daemon/client.ts'
import { sentence } from '../daemon/live.ts'
import { folderFor } from '../folders.ts'
import { confirmation, type ToolInput } from './confirmation.ts'

/** The tools that package.json declares. The daemon runs them. */
const NAMES = [
  'paw_call_agent',
  'paw_generate_prompt',
  'paw_create_prompt_templates',
  'paw_get_context',
  'baton_status',
  'baton_handoff',
  'baton_recall',
] as const

/** A handoff waits for a document, and a status request for a forge. */
const TIMEOUT_MS = 120_000

export function registerTools(daemon: Daemon): vscode.Disposable {
  return vscode.Disposable.from(...NAMES.map(name => vscode.lm.registerTool(name, tool(name, daemon))))
}

function tool(name: (typeof NAMES)[number], daemon: Daemon): vscode.LanguageModelTool<ToolInput> {
  return {
    prepareInvocation({ input }) {
      const { running, before } = confirmation(name, input)
      if (!before) return { invocationMessage: running }
      const message = new vscode.MarkdownString()
      before.lines.forEach((line, at) => {
        if (at > 0) message.appendMarkdown('\n\n')
        message.appendText(line)
      })
      return { invocationMessage: running, confirmationMessages: { title: before.title, message } }
    },
    async invoke({ input }) {
      const body = { project: folderFor(input.work_id), arguments: input, opensChats: true }
      const { text, open } = await daemon
        .post(`/api/tools/${name}`, ToolAnswer, body, { timeoutMs: TIMEOUT_MS })
        .catch(cause => {
          // The model reads the message: it must say what to do next.
          throw new Error(sentence(cause), { cause })
        })
      if (open) await openChat(open.agent, open.prompt)
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
    },
  }
}
