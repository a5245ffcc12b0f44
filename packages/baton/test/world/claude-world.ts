import { type ClaudeHome, claudeHome } from './agents/claude.ts'
import { type BatonHere, batonFor } from './baton.ts'
import type { Dialect } from './dialects/dialect.ts'
import { type Model, startModel } from './model.ts'

export interface ClaudeWorldOptions {
  /** The user's own configuration, in force from the first hook on. */
  settings?: string
  /** Claude Code's own settings of the user, as they were before Baton came. */
  claudeSettings?: object
  /** Whether the project is a git repository. */
  git?: boolean
  /** What the model speaks beside, or in place of, Claude Code's API. */
  dialects?: Dialect[]
  /** An address of this machine where the model answers over HTTPS. */
  tls?: string
}

export interface ClaudeWorld extends AsyncDisposable {
  model: Model
  home: ClaudeHome
  baton: BatonHere
}

/** Claude Code in a private home, its model, and Baton with its hooks installed. They end together. */
export async function claudeWorld(options: ClaudeWorldOptions = {}): Promise<ClaudeWorld> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startModel(options.dialects, options.tls === undefined ? {} : { tls: options.tls }),
  )
  const home = stack.use(claudeHome())
  if (options.git !== false) await home.git()
  if (options.claudeSettings) home.writeSettings('user', options.claudeSettings)
  const baton = stack.use(await batonFor(home))
  if (options.settings !== undefined) {
    baton.configure(options.settings)
    await baton.must('up', '--restart')
  }
  const owned = stack.move()
  return { model, home, baton, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
