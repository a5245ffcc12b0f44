import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../../../packages/baton/test/world/wait.ts'

const ARTIFACTS = join(import.meta.dirname, '../../../../artifacts/vscode')

/** One window of VS Code, driven like a person does: with keys, clicks and what is on the screen. */
export interface EditorWindow {
  page: Page
  /** Runs a command by the palette. */
  run(command: string): Promise<void>
  /** The rows of the picker that is open, from the top. */
  rows(): Promise<string[]>
  /** Chooses the row with this text in the open picker. */
  choose(text: string): Promise<void>
  /** Types into the input box with this title and accepts it. */
  enter(title: string, text: string): Promise<void>
  notification(text: string): Locator
  dialog(): Locator
  /** Every line of the editor in front. */
  editorText(): Promise<string>
  /** What the status bar shows, and what it says when pointed at. */
  statusBar(): Promise<string>
  statusLabel(): Promise<string>
  /** The text in the chat's input, and the agent chosen there. */
  chatInput(): Promise<string>
  chatAgent(): Promise<string>
  /** The rows of one of Baton's views. */
  view(title: string): Promise<string[]>
  picture(name: string): Promise<void>
}

interface Seen {
  top: number
  label: string
  text: string
}

const PATIENCE = 120_000

export async function openWindow(page: Page, url: string): Promise<EditorWindow> {
  page.setDefaultTimeout(PATIENCE)
  await page.goto(url)
  await page.locator('.monaco-workbench').waitFor({ timeout: 180_000 })
  await page.locator('.statusbar-item').first().waitFor({ timeout: PATIENCE })
  const picker = page.locator('.quick-input-widget')
  const rowsOf = picker.locator('.quick-input-list .monaco-list-row')

  const open = async (keys: string) => {
    // The first keys may arrive before the window is ready.
    await until(
      async () => {
        await page.keyboard.press(keys)
        await picker.locator('input').first().waitFor({ state: 'visible', timeout: 2000 })
        return true
      },
      { what: 'the command palette', timeout: PATIENCE },
    )
  }
  /** Reads everything at once, because VS Code redraws its lists and lines all the time. */
  const seen = async (selector: string): Promise<Seen[]> =>
    (await page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map(each => ({
        top: each.getBoundingClientRect().top,
        label: each.getAttribute('aria-label') ?? '',
        text: each.textContent.replaceAll('\\u00a0', ' '),
      }))`,
    )) as Seen[]
  const labels = async (selector: string) => (await seen(selector)).map(({ label }) => label)
  const row = (text: string) => rowsOf.filter({ hasText: text }).first()

  return {
    page,
    async run(command) {
      await open('F1')
      await picker.locator('input').first().fill(`>${command}`)
      await row(command).waitFor({ timeout: PATIENCE })
      await row(command).click()
    },
    async rows() {
      await rowsOf.first().waitFor({ timeout: PATIENCE })
      return await labels('.quick-input-widget .quick-input-list .monaco-list-row')
    },
    async choose(text) {
      // Move away from where the previous row's hover may still be shown.
      await page.mouse.move(700, 600)
      await row(text).click({ timeout: PATIENCE })
    },
    async enter(title, text) {
      await picker.locator('.quick-input-title').filter({ hasText: title }).waitFor({ timeout: PATIENCE })
      await picker.locator('input').first().fill(text, { timeout: PATIENCE })
      await page.keyboard.press('Enter')
    },
    notification: text => page.locator('.notification-toast').filter({ hasText: text }),
    dialog: () => page.locator('.monaco-dialog-box'),
    async editorText() {
      const lines = await seen('.editor-group-container.active .view-line')
      return lines
        .toSorted((a, b) => a.top - b.top)
        .map(({ text }) => text)
        .join('\n')
    },
    statusBar: async () => (await page.locator('[id$="baton.status"]').first().textContent()) ?? '',
    statusLabel: async () =>
      (await page.locator('[id$="baton.status"] a').first().getAttribute('aria-label')) ?? '',
    chatInput: async () => {
      const lines = await page.locator('.interactive-input-part .view-line').allTextContents()
      // Lines are wrapped to the width of the input.
      return lines.join(' ').replaceAll(/\s+/g, ' ')
    },
    chatAgent: async () =>
      (await page.locator('.interactive-input-part .chat-input-toolbars').first().textContent()) ?? '',
    view: title => labels(`.pane:has(.pane-header[aria-label*="${title}"]) .monaco-list-row`),
    async picture(name) {
      mkdirSync(ARTIFACTS, { recursive: true })
      await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) })
    },
  }
}
