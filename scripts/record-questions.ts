/**
 * Renews the pictures of docs/guides/asks.md: a question on a phone (docs/asks-phone.png) and the same question as Telegram
 * shows it, from the real daemon, the real dashboard in Chromium and the tests' Telegram server. Run `npm run build` first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleQuestion } from '../packages/baton/test/ask/sample.ts'
import { dashboardWorld } from '../packages/baton/test/dashboard/world.ts'
import { startBrowser } from '../packages/baton/test/world/browser.ts'
import { startTelegram, telegramSettings } from '../packages/baton/test/world/telegram.ts'

const docs = join(import.meta.dirname, '../docs')

await using telegram = await startTelegram()
await using world = await dashboardWorld(telegramSettings(telegram))
await using browser = await startBrowser()
const closed = new AbortController()
const question = sampleQuestion('AskUserQuestion', {
  kind: 'question',
  title: 'Which database?',
  detail: '',
  questions: [
    {
      id: 'Which database?',
      kind: 'choice',
      text: 'Which database?',
      choices: [
        { value: 'pg', label: 'Postgres', description: 'Shared by several machines', recommended: true },
        { value: 'lite', label: 'SQLite', description: 'One file, no server' },
      ],
      ownWords: true,
    },
  ],
})
question.facts = { ...question.facts, agent: 'claude-code', project: '/home/ann/shop', cwd: '/home/ann/shop' }
void world.baton.asks.ask(question, { signal: closed.signal, withinMs: 86_390_000, unreached: 'wait' })

const { text, buttons } = await telegram.message(message => message.buttons.length > 0)
const opened = await browser.open({ width: 390, height: 700 })
await opened.page.goto(await world.link())
await opened.page.getByRole('heading', { name: 'Overview' }).waitFor()
await opened.page.goto(`${world.url}/asks`)
await opened.page.locator('.ask', { hasText: 'Which database?' }).waitFor()
const barriers = await opened.barriers()
if (barriers.length > 0) throw new Error(`axe found barriers:\n${barriers.join('\n')}`)
await opened.page.screenshot({ path: join(docs, 'asks-phone.png') })

const guide = join(docs, 'guides/asks.md')
const shown = `${text.replaceAll(/ask_\w{20}/g, 'ask_3f2a…')}\n\n${buttons.map(button => `[ ${button.text} ]`).join('\n')}`
const block = `<!-- telegram -->\n\`\`\`\n${shown}\n\`\`\`\n<!-- /telegram -->`
writeFileSync(
  guide,
  readFileSync(guide, 'utf8').replace(/<!-- telegram -->.*<!-- \/telegram -->/s, () => block),
)
await opened[Symbol.asyncDispose]()
