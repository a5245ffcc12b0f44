import type { Model } from '../model.ts'
import { until } from '../wait.ts'
import type { ClaudeHome } from './claude.ts'
import { claudeArguments } from './claude-headless.ts'
import { installAgent } from './install.ts'
import { startTerminal, type Terminal } from './tmux.ts'

export interface ClaudeInTmux {
  home: ClaudeHome
  model: Model
  cwd?: string
  args?: string[]
  settings?: object
  pluginDir?: string
  env?: Record<string, string>
  /** Claude Code itself would begin in auto mode. */
  permissionMode?: string
  columns?: number
  rows?: number
  /** `waitForExit` gives the exit code. */
  tellsExit?: boolean
  /** false: return at once instead of waiting for the prompt line, e.g. to see a dialog. */
  ready?: boolean
}

export interface ClaudeTerminal extends Terminal {
  /** Types a prompt, sends Enter on its own and returns once the prompt line has let go of it. */
  submit: (text: string) => Promise<void>
  submitLines: (lines: string[]) => Promise<void>
  /** Waits for a dialog, presses the key and returns once the dialog is gone. */
  answerDialog: (shown: RegExp, key: string) => Promise<void>
  waitUntilReady: (options?: { timeout?: number }) => Promise<void>
}

/** Starts Claude Code interactively, and waits for its prompt line: anything typed earlier would be lost. */
export async function claudeInTmux(options: ClaudeInTmux): Promise<ClaudeTerminal> {
  const { home, model, permissionMode = 'default', columns, rows } = options
  const program = await installAgent('claude-code')
  const terminal = await startTerminal({
    command: [program, '--permission-mode', permissionMode, ...claudeArguments(options)],
    cwd: options.cwd ?? home.project,
    env: { ...home.env(model), ...options.env },
    ...(options.tellsExit ? { tellsExit: true } : {}),
    ...(columns === undefined ? {} : { columns }),
    ...(rows === undefined ? {} : { rows }),
    evidence: () => `model requests:\n${model.summary()}`,
  })

  const waitUntilReady = async ({ timeout = 120_000 } = {}) => {
    await terminal.waitForScreen(screen => inputOf(screen) !== undefined, {
      what: 'the prompt line',
      timeout,
    })
  }
  // Keys that come too early (a dialog ignores its first moments) are lost, so the effect decides, not the sending.
  const pressUntil = (key: string, done: (screen: string) => boolean, what: string) =>
    until(
      async () => {
        // What is drawn late was done all the same: pressed again, the key would mean something else.
        if (done(await terminal.screen())) return true
        await terminal.press(key)
        // A second Escape at the prompt opens the list of earlier prompts.
        const timeout = key === 'Escape' ? 10_000 : 700
        return terminal.waitForScreen(done, { timeout, what }).then(() => true)
      },
      { what, timeout: 120_000 },
    )
  const enter = async (head: string) => {
    const holds = (screen: string) => squeezed(inputOf(screen) ?? '').includes(head)
    await terminal.waitForScreen(holds, { what: `the prompt line to hold ${JSON.stringify(head)}` })
    await pressUntil('Enter', screen => !holds(screen), 'the prompt to be taken')
  }

  const claude: ClaudeTerminal = {
    ...terminal,
    waitUntilReady,
    submit: async text => {
      await terminal.type(text)
      await enter(squeezed(text).slice(0, 40))
    },
    submitLines: async lines => {
      await terminal.pasteLines(lines)
      // A long paste is folded into "[Pasted text #1 +9 lines]".
      const shown = await terminal.waitForScreen(screen => squeezed(inputOf(screen) ?? '') !== '')
      await enter(squeezed(inputOf(shown) ?? '').slice(0, 40))
    },
    answerDialog: async (shown, key) => {
      await terminal.waitForScreen(shown)
      await pressUntil(key, screen => !shown.test(screen), `${key} to answer the dialog ${shown}`)
    },
  }
  if (options.ready === false) return claude
  try {
    await waitUntilReady()
  } catch (error) {
    await terminal.kill()
    throw error
  }
  return claude
}

/** What is in the prompt line between the last two rules; undefined while a dialog covers it. */
export function inputOf(screen: string): string | undefined {
  const lines = screen.split('\n')
  const bottom = lines.findLastIndex(isRule)
  const top = lines.slice(0, Math.max(bottom, 0)).findLastIndex(isRule)
  if (top < 0) return undefined
  const [first = '', ...rest] = lines.slice(top + 1, bottom)
  if (!/^[❯>!]/.test(first)) return undefined
  return [first.slice(1), ...rest].join('\n').trim()
}

function isRule(line: string): boolean {
  return /^─{10}/.test(line)
}

// The terminal wraps long prompts, so only the characters count.
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
