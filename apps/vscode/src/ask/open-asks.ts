import type { Ask } from '@batonpass/contract/ask'
import * as vscode from 'vscode'

const CLOSED = new vscode.CancellationTokenSource()
CLOSED.cancel()

/** Tells pickers when the question that they show is no longer open, so that they close. */
export class OpenAsks implements vscode.Disposable {
  readonly #sources = new Map<string, vscode.CancellationTokenSource>()

  #open: ReadonlySet<string> = new Set()

  whileOpen({ id }: Ask): vscode.CancellationToken {
    if (!this.#open.has(id)) return CLOSED.token
    const source = this.#sources.get(id) ?? new vscode.CancellationTokenSource()
    this.#sources.set(id, source)
    return source.token
  }

  /** Takes the asks that are open now. */
  update(open: readonly Ask[]): void {
    this.#open = new Set<string>(open.map(({ id }) => id))
    for (const [id, source] of this.#sources) {
      if (this.#open.has(id)) continue
      this.#sources.delete(id)
      source.cancel()
    }
  }

  dispose(): void {
    for (const source of this.#sources.values()) source.dispose()
    this.#sources.clear()
  }
}
