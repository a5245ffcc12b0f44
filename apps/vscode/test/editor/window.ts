import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { until } from '../../../../packages/baton/test/world/wait.ts'

const ARTIFACTS = join(import.meta.dirname, '../../../../artifacts/vscode')

/** One window of VS Code, driven as a person does: by keys, clicks and what stands on the screen. */
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
  /** What stands in the chat's input, and the agent chosen there. */
  chatInput(): Promise<string>
  chatAgent(): Promise<string>
  /** The rows of one of Baton's views. */
  view(title: string): Promise<string[]>
  picture(name: string): Promise<void>
}

const PATIENCE = 30_000

export async function openWindow(page: Page, url: string): Promise<EditorWindow> {
  await page.goto(url)
  await page.locator('.monaco-workbench').waitFor({ timeout: 90_000 })
  await page.locator('.statusbar-item').first().waitFor({ timeout: PATIENCE })
  const picker = page.locator('.quick-input-widget')
  const rowsOf = picker.locator('.quick-input-list .monaco-list-row')

  const open = async (keys: string) => {
    // The first keys may come before the window listens.
    await until(
      async () => {
        await page.keyboard.press(keys)
        await picker.locator('input').first().waitFor({ state: 'visible', timeout: 2000 })
        return true
      },
      { what: 'the command palette', timeout: PATIENCE },
    )
  }
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
      const labels = await Promise.all((await rowsOf.all()).map(each => each.getAttribute('aria-label')))
      return labels.map(label => label ?? '')
    },
    async choose(text) {
      // Away from where a hover of the row before may still stand.
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
      const lines = await page.locator('.editor-group-container.active .view-line').all()
      const texts = await Promise.all(
        lines.map(async line => ({
          top: (await line.boundingBox())?.y ?? 0,
          text: ((await line.textContent()) ?? '').replaceAll('\u00a0', ' '),
        })),
      )
      return texts
        .sort((a, b) => a.top - b.top)
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
    view: async title => {
      const pane = page.locator('.pane').filter({ has: page.locator(`.pane-header[aria-label*="${title}"]`) })
      const labels = await Promise.all(
        (await pane.locator('.monaco-list-row').all()).map(row => row.getAttribute('aria-label')),
      )
      return labels.map(label => label ?? '')
    },
    async picture(name) {
      mkdirSync(ARTIFACTS, { recursive: true })
      await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) })
    },
  }
}
