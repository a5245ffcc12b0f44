import * as vscode from 'vscode'

const SCHEME = 'baton'

/** Read-only pages next to the editor, with text from the daemon. */
export class Pages implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>()
  readonly #changes = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.#changes.event

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === SCHEME) this.#texts.delete(uri.path)
      }),
    )
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? ''
  }

  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` })
    this.#texts.set(uri.path, text)
    this.#changes.fire(uri)
    const opened = await vscode.workspace.openTextDocument(uri)
    // This language wraps lines: text beyond the edge of the window could be what matters.
    const document = await vscode.languages.setTextDocumentLanguage(opened, 'baton-page')
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true })
  }
}
