/**
 * What the next session receives: generated sessions in three agents' (since the fifth blind set: four agents') transcript formats with real git repositories, through the
 * real handoff code, with a model that writes everything, little, or nothing. A fact counts as received when it is in the injected
 * text, or in a section that the text names with a command that prints it.
 * Run: node bench/continuity.ts [--part held-out|tuning|blind|blind-2|blind-3|blind-4|blind-5|blind-6|blind-7|blind-8] [--sessions 48] [--misses] [--behavior lazy] [--lies-only] [--facts-only]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { EIGHTH_SESSIONS } from './continuity/blind/eighth.ts'
import { EIGHTH_LIES, EIGHTH_OWN, EIGHTH_TRUTHS } from './continuity/blind/eighth-statements.ts'
import { FIFTH_SESSIONS } from './continuity/blind/fifth.ts'
import { FIFTH_LIES, FIFTH_OWN, FIFTH_TRUTHS } from './continuity/blind/fifth-statements.ts'
import { FOURTH_LIES, FOURTH_SESSIONS, FOURTH_TRUTHS } from './continuity/blind/fourth.ts'
import { SECOND_LIES, SECOND_SESSIONS, SECOND_TRUTHS } from './continuity/blind/second.ts'
import { BLIND_SESSIONS } from './continuity/blind/sessions.ts'
import { SEVENTH_SESSIONS } from './continuity/blind/seventh.ts'
import { SEVENTH_LIES, SEVENTH_OWN, SEVENTH_TRUTHS } from './continuity/blind/seventh-statements.ts'
import { SIXTH_SESSIONS } from './continuity/blind/sixth.ts'
import { SIXTH_LIES, SIXTH_OWN, SIXTH_TRUTHS } from './continuity/blind/sixth-statements.ts'
import { BLIND_LIES, BLIND_TRUTHS, ownStatements } from './continuity/blind/statements.ts'
import { THIRD_LIES, THIRD_SESSIONS, THIRD_TRUTHS } from './continuity/blind/third.ts'
import { BEHAVIORS, type Behavior, documentOf, writtenDocument } from './continuity/documents.ts'
import { type Received, Workplace } from './continuity/handoff.ts'
import { LIES, type Sentence, TRUTHS } from './continuity/lies.ts'
import {
  type BenchSession,
  type FactClass,
  generateSessions,
  idleSession,
  poolOf,
} from './continuity/sessions.ts'
import { has, percent, Tally } from './continuity/tally.ts'
import { transcriptOf } from './continuity/transcripts.ts'

interface BlindSet {
  sessions: readonly BenchSession[]
  lies: readonly Sentence[]
  truths: readonly Sentence[]
  /** Statements about one session each. */
  own?: Readonly<Record<string, { lies: Sentence[]; truths: Sentence[] }>>
}

const { values } = parseArgs({
  options: {
    part: { type: 'string', default: 'held-out' },
    sessions: { type: 'string', default: '48' },
    misses: { type: 'boolean', default: false },
    // One behavior of the model, without chains: for a quick look.
    behavior: { type: 'string' },
    'lies-only': { type: 'boolean', default: false },
    'facts-only': { type: 'boolean', default: false },
  },
})
/** A later session's own commands and plans replace these. */
const LASTING: ReadonlySet<FactClass> = new Set([
  'goal',
  'instruction',
  'decision',
  'dead end',
  'environment',
  'subagent result',
  'open todo',
  'done todo',
  'failing test',
])

/** What must not happen, and how the table calls it. */
const BAD = {
  secrets: 'secrets',
  superseded: 'superseded',
  injected: 'injected',
  redacted: 'falsely redacted',
  doubted: 'in force, called earlier',
} as const

/** The sets that were written by hand. */
const BLIND_SETS: Readonly<Record<string, BlindSet>> = {
  blind: { sessions: BLIND_SESSIONS, lies: BLIND_LIES, truths: BLIND_TRUTHS },
  'blind-2': { sessions: SECOND_SESSIONS, lies: SECOND_LIES, truths: SECOND_TRUTHS },
  'blind-3': { sessions: THIRD_SESSIONS, lies: THIRD_LIES, truths: THIRD_TRUTHS },
  'blind-3-open': {
    sessions: THIRD_SESSIONS.filter((_, i) => i % 2 === 0),
    lies: THIRD_LIES,
    truths: THIRD_TRUTHS,
  },
  'blind-4': { sessions: FOURTH_SESSIONS, lies: FOURTH_LIES, truths: FOURTH_TRUTHS },
  'blind-5': { sessions: FIFTH_SESSIONS, lies: FIFTH_LIES, truths: FIFTH_TRUTHS, own: FIFTH_OWN },
  'blind-6': { sessions: SIXTH_SESSIONS, lies: SIXTH_LIES, truths: SIXTH_TRUTHS, own: SIXTH_OWN },
  'blind-7': { sessions: SEVENTH_SESSIONS, lies: SEVENTH_LIES, truths: SEVENTH_TRUTHS, own: SEVENTH_OWN },
  'blind-8': { sessions: EIGHTH_SESSIONS, lies: EIGHTH_LIES, truths: EIGHTH_TRUTHS, own: EIGHTH_OWN },
}
const START = Date.UTC(2026, 0, 22, 12)
const blindSet = BLIND_SETS[values.part]
const sessions =
  blindSet?.sessions ?? generateSessions(Number(values.sessions)).filter(({ part }) => part === values.part)
const folder = mkdtempSync(join(tmpdir(), 'baton-continuity-'))
const template = join(folder, 'template')

try {
  prepareRepository(template)
  console.log(
    `${sessions.length} sessions (${values.part}), ${sessions.flatMap(({ facts }) => facts).length} facts`,
  )
  if (!values['lies-only']) await facts()
  if (!values['facts-only']) await lies()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function facts(): Promise<void> {
  const columns: Record<string, Tally> = {}
  for (const behavior of BEHAVIORS.filter(each => [undefined, each].includes(values.behavior as Behavior))) {
    const tally = new Tally(report)
    for (const session of sessions)
      await inWorkplace(session, async place => tally.add(session, await place.handOff(session, behavior)))
    columns[behavior] = tally
  }
  const alone = new Tally(report)
  const tail = new Tally(report)
  for (const session of sessions) {
    const text = (documentOf(session, 'omits 30 %') ?? '').slice(0, 9000)
    alone.add(session, plain(text))
    tail.add(session, plain(transcriptOf(session, '/work', START).slice(-9000)))
  }
  table({ ...columns, 'document alone (omits 30 %)': alone, 'transcript tail': tail })
  if (values.behavior === undefined) await chains()
}

function report(miss: string): void {
  if (values.misses) console.log(miss)
}

async function chains(): Promise<void> {
  for (const behavior of ['lazy', 'silent', 'crash', 'mixed'] as const)
    for (const length of [1, 3, 10]) {
      let [kept, all, longest] = [0, 0, 0]
      for (const session of sessions.filter((_, i) => !blindSet || i % 2 === 0).slice(0, 8))
        await inWorkplace(session, async place => {
          const behaviorAt = (i: number): Behavior =>
            behavior === 'mixed' ? (BEHAVIORS[i % BEHAVIORS.length] ?? 'lazy') : behavior
          let received = await place.handOff(session, behaviorAt(0))
          for (let i = 1; i < length; i++)
            received = await place.handOff(idleSession(`${session.id}-${i}`, session.agent), behaviorAt(i))
          const lasting = session.facts.filter(fact => length === 1 || LASTING.has(fact.class))
          const missing = lasting.filter(fact => !has(received, fact))
          for (const fact of missing) report(`  chain ${behavior} ${length}: ${fact.class}: ${fact.text}`)
          all += lasting.length
          kept += lasting.length - missing.length
          longest = Math.max(longest, received.context.length)
        })
      console.log(
        `chain of ${length}, ${behavior}: ${percent(kept, all)} of facts; longest text ${longest} characters`,
      )
    }
}

async function lies(): Promise<void> {
  // Statements about passing tests are false only where tests fail.
  const failing = sessions.filter(({ facts }) => facts.some(fact => fact.class === 'failing test'))
  const some = failing.filter((_, i) => i % Math.max(1, Math.floor(failing.length / 4)) === 0).slice(0, 4)
  let sentBack = 0
  for (const session of some)
    await inWorkplace(session, async place => {
      mkdirSync(join(place.root, 'src/fresh/deep'), { recursive: true })
      writeFileSync(join(place.root, 'src/fresh/deep/a.ts'), '')
      writeFileSync(join(place.root, 'src/fresh/b.ts'), '')
      const status = execFileSync('git', ['-C', place.root, 'status', '--short'], { encoding: 'utf8' })
      const front = `dirty:\n${status
        .trimEnd()
        .split('\n')
        .map(line => `  - ${JSON.stringify(line)}`)
        .join('\n')}\n`
      const received = await place.handOff(session, writtenDocument(session.facts, { front }))
      if (received.sentBack) sentBack++
    })
  const generated = values.part === 'tuning' ? 'tuning' : 'held-out'
  const lying = blindSet?.lies ?? poolOf(LIES, generated)
  const telling = blindSet?.truths ?? poolOf(TRUTHS, generated)
  let [marked, lied] = await countMarked(some, lying, false)
  let [wrong, told] = await countMarked(some, telling, true)
  if (blindSet)
    for (const session of sessions) {
      const own = ownStatements(session)
      const written = blindSet.own?.[session.id] ?? { lies: [], truths: [] }
      const [seen, of] = await countMarked([session], [...own.lies, ...written.lies], false)
      const [falsely, ofTrue] = await countMarked([session], [...own.truths, ...written.truths], true)
      marked += seen
      lied += of
      wrong += falsely
      told += ofTrue
    }
  console.log(
    `lies unmarked: ${lied - marked} of ${lied}; true statements marked: ${wrong} of ${told}; true documents sent back: ${sentBack} of ${some.length}`,
  )
}

/** How many of the sentences the next session reads with a mark, or does not read at all. */
async function countMarked(
  some: readonly BenchSession[],
  sentences: readonly Sentence[],
  isTrue: boolean,
): Promise<[number, number]> {
  let marked = 0
  for (const session of some)
    for (const { where, text } of sentences)
      await inWorkplace(session, async place => {
        const written = writtenDocument(session.facts, { [where]: text })
        const received = await place.handOff(session, written)
        const line = received.context.split('\n').find(each => each.includes(text))
        const isMarked = line === undefined || /unverified/i.test(line)
        if (isMarked) marked++
        if (isMarked === isTrue) report(`  ${isTrue ? 'truth marked' : 'lie unmarked'}: ${line ?? text}`)
      })
  return [marked, some.length * sentences.length]
}

function table(tallies: Record<string, Tally>): void {
  const rows: Record<string, Record<string, string>> = {}
  for (const [name, tally] of Object.entries(tallies)) {
    let [kept, all] = [0, 0]
    for (const [kind, [here, of]] of tally.facts) {
      rows[kind] = { ...rows[kind], [name]: percent(here, of) }
      kept += here
      all += of
    }
    rows['all facts'] = { ...rows['all facts'], [name]: percent(kept, all) }
    for (const kind of Object.keys(BAD) as (keyof typeof BAD)[])
      rows[BAD[kind]] = { ...rows[BAD[kind]], [name]: `${tally.bad[kind]}/${tally.of[kind]}` }
    rows['longest text'] = { ...rows['longest text'], [name]: String(tally.longest) }
  }
  console.table(rows)
}

function plain(context: string): Received {
  return { context, sections: [], section: () => '', stored: '', sentBack: false }
}

/** Runs work in a fresh copy of the repository, in the session's git state. */
async function inWorkplace(session: BenchSession, work: (place: Workplace) => Promise<void>): Promise<void> {
  const root = join(folder, 'work')
  rmSync(root, { recursive: true, force: true })
  execFileSync('cp', ['-R', session.gitState ? `${template}-${session.gitState}` : template, root])
  if (session.env.length > 0) writeFileSync(join(root, '.env'), `${session.env.join('\n')}\n`)
  await using place = new Workplace(root, join(folder, 'home'), START)
  await work(place)
}

function prepareRepository(root: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      stdio: 'ignore',
    })
  mkdirSync(root)
  git('init', '-q', '-b', 'main')
  writeFileSync(join(root, 'a.txt'), 'one\n')
  writeFileSync(join(root, '.gitignore'), '.env\n')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const states = ['stash', 'merge', 'rebase', 'cherry-pick', 'submodule'] as const
  for (const state of states) execFileSync('cp', ['-R', root, `${root}-${state}`])
  const at = (name: string, ...args: string[]) =>
    execFileSync(
      'git',
      ['-C', `${root}-${name}`, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args],
      { stdio: 'ignore' },
    )
  writeFileSync(join(`${root}-stash`, 'a.txt'), 'two\n')
  at('stash', 'stash')
  at('submodule', '-c', 'protocol.file.allow=always', 'submodule', 'add', root, 'vendored')
  at('submodule', 'commit', '-qm', 'add a submodule')
  writeFileSync(join(`${root}-submodule`, 'vendored/a.txt'), 'changed\n')
  for (const state of ['merge', 'rebase', 'cherry-pick'] as const) {
    at(state, 'checkout', '-qb', 'other')
    writeFileSync(join(`${root}-${state}`, 'a.txt'), 'three\n')
    at(state, 'commit', '-qam', 'three')
    at(state, 'checkout', '-q', 'main')
    writeFileSync(join(`${root}-${state}`, 'a.txt'), 'four\n')
    at(state, 'commit', '-qam', 'four')
    try {
      at(state, state, 'other')
    } catch {
      // The conflict is wanted.
    }
  }
  readFileSync(join(`${root}-merge`, '.git/MERGE_HEAD'))
}
