/**
 * Renews the pictures of docs/dashboard-pages.md: every page of the dashboard on a desk (1280) and on a phone (390), from the
 * real daemon with the sample of the tests, in Chromium. Stops if axe finds a barrier. Run `npm run build` first.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { tmuxWorld } from '../packages/baton/test/adapters/tmux/world.ts'
import { fillFleet, fleetSettings } from '../packages/baton/test/dashboard/fleet-sample.ts'
import { PAGES } from '../packages/baton/test/dashboard/page-list.ts'
import { fillWorld } from '../packages/baton/test/dashboard/sample.ts'
import { dashboardWorld } from '../packages/baton/test/dashboard/world.ts'
import { type BrowserPage, startBrowser } from '../packages/baton/test/world/browser.ts'
import { postgres } from '../packages/baton/test/world/postgres.ts'

const folder = join(import.meta.dirname, '../docs/dashboard')
const SIZES = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
]
const NAMES_OF_PROJECTS: Readonly<Record<string, string>> = {
  'docs-site': 'Write the migration guide',
  'payments-api': 'Refund a payment once',
}
const QUALITY = 0.75
const RULE = '─'.repeat(100)
const SCREEN = `
❯ /issue-to-impl 42

● I start with the issue, then the cart.

● Read(src/cart.ts)
  └ Read 184 lines

● Bash(npm test -- cart)
  └ 31 passed, 1 failed: "a code counts once"

● Update(src/discounts.ts)
  └ Added 12 lines, removed 3 lines

✻ Working… (48s · esc to interrupt)

${RULE}
❯
${RULE}
  accept edits on (shift+tab to cycle)
`

await using server = await postgres()
const url = await server.database()
await using world = await dashboardWorld(fleetSettings(url))
await using terminal = tmuxWorld()
await using browser = await startBrowser()
const filled = await fillWorld(world)
await fillFleet(world, url)

// A terminal for the session that works on the issue.
const screen = join(terminal.folder, 'screen.txt')
writeFileSync(screen, SCREEN)
terminal.tmux('new-session', '-d', '-x', '100', '-y', '24', 'sh', '-c', 'cat "$0"; exec sleep 3600', screen)
const pane = `${terminal.tmux('list-panes', '-a', '-F', '#{pane_id}').trim()} ${terminal.socket}`
const names: Readonly<Record<string, string>> = {
  codex: 'Update the payment client',
  opencode: 'Upgrade the build',
  gemini: 'Make the login button larger',
  cursor: 'Plan the offline mode',
}
const sessions = (await world.baton.store.sessions({ limit: 100 })).map(session => {
  const name = session.name ?? names[session.agent] ?? NAMES_OF_PROJECTS[basename(session.project ?? '')]
  const isCoding = session.id === filled.coding.id
  return { ...session, ...(name ? { name } : {}), ...(isCoding ? { pane } : {}) }
})
await world.baton.store.record([], sessions)

const pages: typeof PAGES = [
  ...PAGES.filter(([name]) => name !== 'terminal'),
  ['live-session', ({ coding }) => `/sessions/${coding.id}`, /Added 12 lines/],
  ['terminal', ({ coding }) => `/sessions/${coding.id}/terminal`, /Added 12 lines/],
]

// The folders of this run and the user's name on this machine do not belong in pictures.
const HIDE_MACHINE = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode
    const text = node.data.replaceAll(${JSON.stringify(world.scratch.path)}, '/home/ann').replaceAll(/\\b${userInfo().username}-(?=\\d{6})/g, 'ann-')
    if (text !== node.data) node.data = text
  }
})()`

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const size of SIZES) {
  await using opened = await browser.open(size)
  const { page } = opened
  await page.goto(await world.link())
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  for (const [name, path, sign] of pages) {
    await page.goto(`${world.url}${path(filled)}`)
    await page.locator('#page').getByText(sign).first().waitFor()
    if (name === 'history') await page.locator('.plot canvas').nth(2).waitFor()
    if (name === 'fleet') await page.locator('.plot canvas').nth(1).waitFor()
    const barriers = await opened.barriers()
    if (barriers.length > 0) throw new Error(`axe found barriers on ${name}:\n${barriers.join('\n')}`)
    await page.evaluate(HIDE_MACHINE)
    writeFileSync(join(folder, `${name}-${size.width}.webp`), await pictureOf(opened))
  }
}

/** The window as WebP: a third of a PNG. */
async function pictureOf({ page, context }: BrowserPage): Promise<Buffer> {
  const png = await page.screenshot()
  const blank = await context.newPage()
  const url = await blank.evaluate(
    `(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${png.toString('base64')}'
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', ${QUALITY})
    })()`,
  )
  await blank.close()
  return Buffer.from(String(url).split(',')[1] ?? '', 'base64')
}
