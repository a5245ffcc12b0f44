import * as vscode from 'vscode'

const SCHEME = 'baton'

/** Read-only pages: texts that the daemon gave, in an editor beside the work. */
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
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}.txt` })
    this.#texts.set(uri.path, text)
    this.#changes.fire(uri)
    const document = await vscode.workspace.openTextDocument(uri)
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true })
  }
}
