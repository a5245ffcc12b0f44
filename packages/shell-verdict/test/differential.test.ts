import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type Analysis, analyse } from '../src/shell/analysis.ts'
import { programName } from '../src/shell/program.ts'
import type { Word } from '../src/shell/word.ts'
import { shellText } from './generate-shell.ts'
import { RealBash } from './real-bash.ts'

const bash = new RealBash()
afterAll(() => bash.close())

const RUNS = process.env.BATON_LONG ? 20_000 : 300

test('every program that real bash runs was predicted, or the analysis says that it cannot know', async () => {
  let known = 0
  let ran = 0
  await fc.assert(
    fc.asyncProperty(shellText, async text => {
      const analysis = analyse(text, { cwd: '/nowhere', home: '/nobody' })
      const calls = await bash.run(text)
      if (calls.length > 0) ran++
      if (analysis.unknowns.length > 0) return
      known++
      for (const call of calls) {
        expect(predicted(call, analysis), `${JSON.stringify(call)} was not predicted`).toBe(true)
      }
    }),
    { numRuns: RUNS, ...(process.env.BATON_SEED ? { seed: Number(process.env.BATON_SEED) } : {}) },
  )
  // The property would hold emptily if everything were unknown.
  expect(known).toBeGreaterThan(RUNS / 4)
  expect(ran).toBeGreaterThan(RUNS / 4)
  if (process.env.BATON_LONG) console.log(`${RUNS} texts, ${known} fully known, ${ran} ran something`)
}, 3_600_000)

function predicted(call: readonly string[], analysis: Analysis): boolean {
  return analysis.commands.some(command => {
    const [first, ...rest] = command.words
    if (first?.value === undefined || programName(first.value) !== call[0]) return false
    return matches(rest, call.slice(1))
  })
}

/** Unknown words stand for anything; known ones must be exactly what bash passed. */
function matches(words: readonly Word[], args: readonly string[]): boolean {
  const [word, ...rest] = words
  if (!word) return args.length === 0
  const exact = word.value !== undefined && !word.glob && !word.tilde
  const fits = (arg: string) =>
    exact ? arg === word.value : word.choices ? word.choices.includes(arg) : true
  if (!word.many && !word.glob && !word.choices)
    return args[0] !== undefined && fits(args[0]) && matches(rest, args.slice(1))
  for (let taken = 0; taken <= args.length; taken++) if (matches(rest, args.slice(taken))) return true
  return false
}
