import fc from 'fast-check'
import { readCommand } from '../../src/verdict.ts'
import type { Fuzzed } from './fuzzed.ts'

/** 300 lines of each program in CI, 20,000 on request. */
export const LONG = process.env['BATON_LONG'] === '1'
export const LINES = LONG ? 20_000 : 300
const BATCH = 25

type Line = readonly string[]

/** Runs lines and says what happened besides reading. */
export type Trial = (lines: readonly Line[]) => Promise<string | undefined>

export interface Tried {
  readonly harmless: number
  /** The first line that did something, although it was judged harmless. */
  readonly missed: { readonly line: Line; readonly did: string } | undefined
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** It only reads, and what it reads is not the file that no one may see. */
export function isHarmless(program: string, words: Line): boolean {
  const verdict = readCommand([program, ...words].map(quote).join(' '), { cwd: '/work', home: '/home/me' })
  return verdict.onlyReads && !verdict.programs.some(({ reads }) => reads.includes('/secret'))
}

/** Generates lines, and really runs those that are judged harmless, until one of them does something. */
export async function tryLines(
  args: Fuzzed['args'],
  count: number,
  seed: number,
  judge: (words: Line) => boolean,
  run: Trial,
): Promise<Tried> {
  let harmless = 0
  for (let from = 0; from < count; from += 1000) {
    const lines = fc.sample(args, { numRuns: Math.min(1000, count - from), seed: seed + from }).filter(judge)
    for (let at = 0; at < lines.length; at += BATCH) {
      const batch = lines.slice(at, at + BATCH)
      harmless += batch.length
      const did = await run(batch)
      if (did) return { harmless, missed: await firstThat(batch, did, run) }
    }
  }
  return { harmless, missed: undefined }
}

/** Which of these lines it was: each is run again on its own. */
async function firstThat(batch: readonly Line[], before: string, run: Trial): Promise<Tried['missed']> {
  for (const line of batch) {
    const did = await run([line])
    if (did) return { line, did }
  }
  return { line: batch.flat(), did: before }
}
