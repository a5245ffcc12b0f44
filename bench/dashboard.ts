/**
 * How long users wait for the dashboard: 1,000 sessions, 100,000 journal entries, a real browser, the real daemon.
 * usage: node bench/dashboard.ts [--sessions N] [--entries N] [--runs N]
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DecisionEntry } from '@batonpass/contract/permission'
import { dashboardWorld } from '../packages/baton/test/dashboard/world.ts'
import { startBrowser } from '../packages/baton/test/world/browser.ts'
import { anEntry, aSession, eventId, sessionId } from '../packages/baton/test/world/journal.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    entries: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '7' },
  },
})
const [sessions, entries, runs] = [Number(values.sessions), Number(values.entries), Number(values.runs)]

await using world = await dashboardWorld()
await fill()
await using browser = await startBrowser()

// The first request has to count the decisions in the whole journal.
const cold = performance.now()
await world.baton.dashboard.overview(20)
console.log(`the daemon's first overview: ${(performance.now() - cold).toFixed(0)} ms`)
const warm = performance.now()
const size = JSON.stringify(await world.baton.dashboard.overview(20)).length
console.log(`the next one: ${(performance.now() - warm).toFixed(0)} ms, ${(size / 1024).toFixed(0)} KB`)

const weight = pageWeight()
console.log(
  `page weight, compressed: ${(weight.first / 1024).toFixed(1)} KB at first, ${(weight.all / 1024).toFixed(1)} KB in all`,
)

const rows: Record<string, number[]> = {}
for (const [name, path, sign] of [
  ['overview', '/', '.card'],
  ['asks', '/asks', '.empty'],
  ['history', '/history', '.plot canvas'],
  ['journal', '/journal', '.entry'],
  ['session', `/sessions/${sessionId(7)}`, '.entry'],
] as const) {
  for (let run = 0; run < runs; run++) {
    await using opened = await browser.open()
    const { page } = opened
    await page.goto(await world.link())
    await page.locator('.card').first().waitFor()
    await page.goto(`${world.url}${path}`)
    await page.locator(sign).first().waitFor()
    const [paint, shown] = (await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => {
      const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
      resolve([paint, performance.now()])
    }))`)) as [number, number]
    note(`${name}: first paint`, paint)
    note(`${name}: data shown`, shown)
  }
}
for (const [name, times] of Object.entries(rows)) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0)
  console.log(`${name.padEnd(24)} p50 ${at(0.5).padStart(5)} ms   max ${at(1).padStart(5)} ms`)
}
// Measures the first cards, not the browser's first paint.
const shown = rows['overview: data shown']?.toSorted((a, b) => a - b) ?? []
console.log(
  (shown[Math.floor(shown.length / 2)] ?? 0) < 1000 && weight.all < 300 * 1024
    ? 'goals met'
    : 'GOALS MISSED: cards within 1 s, weight under 300 KB',
)

function note(name: string, ms: number): void {
  rows[name] = [...(rows[name] ?? []), ms]
}

/** The bytes that the browser loads for any page, and for all pages. */
function pageWeight(): { first: number; all: number } {
  const folder = join(import.meta.dirname, '../packages/baton/dist/dashboard')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.br'),
  )
  const sizes = files.map(name => ({ name, size: statSync(join(folder, name)).size }))
  const sum = (list: typeof sizes) => list.reduce((total, { size }) => total + size, 0)
  return { first: sum(sizes.filter(({ name }) => !/uPlot/.test(name))), all: sum(sizes) }
}

/** As many live sessions as ended ones, and a journal in which every second entry is a decision. */
async function fill(): Promise<void> {
  const now = Date.now()
  const at = (n: number) => new Date(now - (entries - n) * 900).toISOString()
  for (let n = 1; n <= entries; n += 1000) {
    const batch = Array.from({ length: Math.min(1000, entries - n + 1) }, (_, index) => {
      const nth = n + index
      const session = sessionId((nth % sessions) + 1)
      const entry = anEntry(`prompt ${nth}`, { session, at: at(nth) })
      return nth % 2 === 0 ? entry : { ...entry, body: decision(nth) }
    })
    await world.baton.store.record(batch)
  }
  const known = Array.from({ length: sessions }, (_, index) =>
    aSession(index + 1, {
      startedAt: at(0),
      lastSeenAt: at(entries - index),
      context: {
        used: 60_000,
        size: 200_000,
        percent: 30,
        zone: 'fine',
        overflows: false,
        at: at(entries),
        growth: [],
        late: false,
      },
      ...(index % 2 === 0 ? { endedAt: at(entries - index), endReason: 'other' } : {}),
    }),
  )
  await world.baton.store.record([], known)
}

function decision(nth: number): DecisionEntry {
  return {
    kind: 'decision',
    event: eventId(nth),
    tool: 'Bash',
    subject: `npm test -- part-${nth}`,
    decision: nth % 20 === 1 ? 'deny' : 'allow',
    reason: 'runs the tests of this project',
    by: 'rules',
    trail: [{ rule: 'builtin npm', decision: 'allow', part: 'npm test', reason: 'runs the tests' }],
    tookMs: 0.3,
  }
}
