import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import * as vscode from 'vscode'

/** The folders of this window that are on the extension host's machine. */
export const folders = (): string[] =>
  (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === 'file' ? uri.fsPath : []))

/** The folder a tool or command is about: the one with this work item, else the one being edited, else the first. */
export function folderFor(workId: unknown): string {
  const all = folders()
  const [first] = all
  if (first === undefined)
    throw new BatonError('usage', 'No folder is open', { remedy: 'Open your project’s folder first.' })
  const known =
    typeof workId === 'string' && /^[a-z0-9-]+$/.test(workId)
      ? all.find(folder => existsSync(join(folder, '.paw', 'work', workId)))
      : undefined
  const edited = vscode.window.activeTextEditor?.document.uri
  const current = edited && vscode.workspace.getWorkspaceFolder(edited)?.uri
  return known ?? (current?.scheme === 'file' ? current.fsPath : first)
}
