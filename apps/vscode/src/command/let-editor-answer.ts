import * as vscode from 'vscode'
import type { Daemon } from '../daemon/client.ts'
import { codeIn } from '../daemon/editor-login.ts'

/** Lets this editor answer after the person pasted a link that only a person gets; false when they did not. */
export async function letEditorAnswer(daemon: Daemon): Promise<boolean> {
  const link = await vscode.window.showInputBox({
    title: 'Let this editor answer',
    prompt: 'Run `baton dashboard` in a terminal of your own, and paste the link that it prints.',
    placeHolder: 'http://127.0.0.1:4747/#login=…',
    ignoreFocusOut: true,
    validateInput: text =>
      text.trim() === '' || codeIn(text) !== undefined ? undefined : 'Paste the whole link.',
  })
  if (link === undefined || link.trim() === '') return false
  await daemon.enter(link)
  void vscode.window.showInformationMessage('This editor may now answer what agents ask.')
  return true
}
