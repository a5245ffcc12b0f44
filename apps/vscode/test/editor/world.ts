import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ClaudeHome, claudeHome } from '../../../../packages/baton/test/world/agents/claude.ts'
import { type BatonHere, batonFor } from '../../../../packages/baton/test/world/baton.ts'
import { startBrowser } from '../../../../packages/baton/test/world/browser.ts'
import { buildVsCode } from '../../../../scripts/build-vscode.ts'
import { codeServer } from '../world/code-server.ts'
import { type Companion, companion } from './companion.ts'
import { type EditorWindow, openWindow } from './window.ts'

/** Real VS Code with the packaged extension, the real daemon, and a home of Claude Code, all private. */
export interface EditorWorld extends AsyncDisposable {
  home: ClaudeHome
  baton: BatonHere
  companion: Companion
  window: EditorWindow
}

export interface EditorWorldOptions {
  /** The user's configuration, there before the daemon first reads it. */
  yaml?: string
  /** Puts files into the project before the window opens. */
  prepare?(project: string): void
}

export async function editorWorld({
  yaml = '',
  prepare = () => {},
}: EditorWorldOptions = {}): Promise<EditorWorld> {
  await using made = new AsyncDisposableStack()
  const home = made.use(claudeHome())
  const baton = made.use(await batonFor(home))
  baton.configure(yaml)
  await baton.must('up', '--restart')
  prepare(home.project)
  const place = join(home.path, 'editor')
  mkdirSync(place, { recursive: true })
  const helper = await companion(place)
  const server = made.use(
    await codeServer({ home: home.path, vsix: [await buildVsCode(), helper.vsix], env: helper.env }),
  )
  const browser = made.use(await startBrowser())
  const { page } = made.use(await browser.open({ width: 1400, height: 900 }))
  const window = await openWindow(page, server.open(home.project))
  await helper.ready()
  const kept = made.move()
  return { home, baton, companion: helper, window, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
