import * as vscode from 'vscode'
import type { Daemon } from '../daemon/client.ts'
import { codeIn } from '../daemon/editor-login.ts'

/** Lets this editor answer, after the user has pasted a link that only a person can get. False if the user cancelled. */
export async function letEditorAnswer(daemon: Daemon): Promise<boolean> {
  const link = await vscode.window.showInputBox({
    title: 'Let this editor answer',
    prompt: 'Run `baton dashboard` in your own terminal and paste the link it prints.',
    placeHolder: 'http://127.0.0.1:4747/#login=…',
    ignoreFocusOut: true,
    validateInput: text =>
      text.trim() === '' || codeIn(text) !== undefined ? undefined : 'Paste the whole link.',
  })
  if (link === undefined || link.trim() === '') return false
  await daemon.enter(link)
  void vscode.window.showInformationMessage('This editor can now answer questions from agents.')
  return true
}
