import { Scribe, type Trace } from './trace.ts'

/** Pseudo-random numbers that are the same in every run. */
function* numbers(seed: number): Generator<number> {
  let state = seed * 2_654_435_761 + 12_345
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield state / 2 ** 32
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const letter = (i: number) => LETTERS[i % LETTERS.length] ?? 'a'

type Turn = (s: Scribe, i: number) => unknown

/** Turns with progress. */
const STEPS: readonly Turn[] = [
  (s, i) => s.write(`src/${letter(i)}.ts`, `code ${i}`).test(),
  (s, i) => s.write(`test/${letter(i)}.test.ts`, `case ${i}`).test(`t${letter(i)}`),
  (s, i) => s.write('src/core.ts', `core ${i}`).test(`goal-${letter(i)}`),
  (s, i) => s.write(`docs/${letter(i)}.md`, `words ${i}`),
  (s, i) => s.write('src/core.ts', `final ${i}`).commit(`Step ${i}`),
  (s, i) => s.read(`src/unknown-${letter(i)}.ts`).write(`src/use-${letter(i)}.ts`, `use ${i}`),
  (s, i) => s.helper(`Review ${letter(i)}`).write('src/core.ts', `after review ${i}`),
]
/** Turns without progress that occur in every honest run. */
const PAUSES: readonly Turn[] = [
  s => s,
  s => s.run('git status', ''),
  s => s.test('known-red'),
  (s, i) => s.read(`lib/${letter(i)}.ts`),
]

/** Turns of a stuck run; each kind alone may look like work for a moment. */
const CIRCLES: readonly Turn[] = [
  s => s,
  s => s.run('git status', '').run('ls'),
  (s, i) => s.run(`sleep ${i}; gh pr checks ${i}`, 'pending'),
  s => s.test('wall'),
  (s, i) => s.write('src/wall.ts', i % 2 === 0 ? 'left' : 'right').test('wall'),
  s => s.read('src/wall.ts').search('wall'),
  s => s.todo('in_progress', 'pending'),
  (s, i) => s.denied(`sudo step ${letter(i)}`),
  (s, i) => s.run(`echo waiting ${i}`),
  s => s.run('npm run build', 'ok'),
]

/** Working runs with pauses in them, never more than two in a row. */
export const MIXED_WORKING: readonly Trace[] = Array.from({ length: 40 }, (_, seed) => {
  const chance = numbers(seed + 1)
  const next = () => chance.next().value ?? 0
  const scribe = new Scribe(seed % 5 !== 0)
  let paused = 0
  for (let i = 0; i < 12; i++) {
    const pause = paused < 2 && next() < 0.35
    paused = pause ? paused + 1 : 0
    const kinds = pause ? PAUSES : STEPS
    kinds[Math.floor(next() * kinds.length)]?.(scribe, i)
    scribe.stop()
  }
  return { name: `mixed work ${seed}`, label: 'progress', nature: 'building', intervals: scribe.intervals }
})

/** Runs that start well and then go in circles of changing kinds. */
export const MIXED_STUCK: readonly Trace[] = Array.from({ length: 40 }, (_, seed) => {
  const chance = numbers(seed + 1001)
  const next = () => chance.next().value ?? 0
  const scribe = new Scribe(seed % 5 !== 0)
  for (let i = 0; i < 3; i++) {
    STEPS[Math.floor(next() * STEPS.length)]?.(scribe, i)
    scribe.stop()
  }
  for (let i = 0; i < 14; i++) {
    CIRCLES[Math.floor(next() * CIRCLES.length)]?.(scribe, i)
    scribe.stop()
  }
  return { name: `mixed circles ${seed}`, label: 'busy', nature: 'building', intervals: scribe.intervals }
})
