import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { scratch } from './scratch.ts'

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const ARTIFACTS = join(import.meta.dirname, '../../../../artifacts/dashboard')

/** A real browser with an empty profile. */
export interface BrowserHere extends AsyncDisposable {
  /** A fresh browser: nothing of another one's cookies or storage. */
  open(options?: { width?: number; height?: number; dark?: boolean; sharp?: boolean }): Promise<BrowserPage>
}

export interface BrowserPage extends AsyncDisposable {
  page: Page
  context: BrowserContext
  /** What the page complained about: errors, refused loads, violations of its own policy. */
  complaints: string[]
  /** Writes a picture for people to look at. */
  picture(name: string, options?: { full?: boolean }): Promise<string>
  /** What axe finds more than minor, one line each. */
  barriers(): Promise<string[]>
}

export async function startBrowser(): Promise<BrowserHere> {
  const program = PROGRAMS.find(existsSync)
  if (!program) throw new Error('No Chromium is here: apt-get install chromium')
  const profile = scratch('bb-')
  const browser: Browser = await chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disk-cache-dir=${profile.path}`,
    ],
  })
  return {
    async open({ width = 1280, height = 860, dark = false, sharp = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        deviceScaleFactor: sharp ? 2 : 1,
        locale: 'en-GB',
        // Without a graphics card every frame of an animation costs as much as the page.
        reducedMotion: 'reduce',
        hasTouch: width < 600,
        isMobile: width < 600,
      })
      context.setDefaultTimeout(120_000)
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', message => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      page.on('pageerror', error => complaints.push(String(error)))
      return {
        page,
        context,
        complaints,
        async picture(name, { full = false } = {}) {
          mkdirSync(ARTIFACTS, { recursive: true })
          const path = join(ARTIFACTS, `${name}.png`)
          const window = page.viewportSize()
          // As high as the page is: what stands at the edge of the window would else lie across the middle.
          if (full && window) {
            const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
            await page.setViewportSize({ ...window, height: Math.min(6000, Math.max(window.height, height)) })
          }
          await page.screenshot({ path })
          if (full && window) await page.setViewportSize(window)
          return path
        },
        async barriers() {
          // By the debugger, not by a script element: the page's policy would refuse that one.
          await page.evaluate(axe.source)
          const found = (await page.evaluate(
            "axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.map(v => ({ id: v.id, impact: v.impact, nodes: v.nodes.map(n => n.html + ' ' + n.failureSummary) })))",
          )) as { id: string; impact: string; nodes: string[] }[]
          return found
            .filter(({ impact }) => impact !== 'minor')
            .flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node}`))
        },
        [Symbol.asyncDispose]: () => context.close(),
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      profile.remove()
    },
  }
}
