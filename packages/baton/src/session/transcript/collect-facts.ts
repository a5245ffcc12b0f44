import type { Todo, TranscriptItem } from '../../ports/transcript.ts'
import { FailedRuns } from './failed-runs.ts'
import { Mentions } from './mentions.ts'
import { SessionFactCollector, type SessionFacts } from './session-facts.ts'

/** A command and how it ended; `failed` is undefined until its result is known. */
export interface CommandRun {
  command: string
  at: number | undefined
  failed: boolean | undefined
}

export interface TestSeen {
  command: string
  passed: boolean
  failing?: number | undefined
  passing?: number | undefined
  /** All numbers of its summary. */
  numbers?: readonly number[] | undefined
  at: number | undefined
}

/** What a transcript shows about a session, in bounded space. */
export interface TranscriptFacts {
  session: string | undefined
  /** The folder in which the session started. */
  cwd: string | undefined
  startedAt: number | undefined
  lastAt: number | undefined
  /** Prompts and replies. */
  messages: number
  /** The person's prompts: the first and the last ones. */
  instructions: string[]
  /** The last commands, oldest first. */
  commands: CommandRun[]
  /** How each command ended the last time it ran, by its normalised text. */
  outcomes: ReadonlyMap<string, CommandRun>
  /** Files that the agent's tools wrote, as the agent named them. */
  written: string[]
  todos: readonly Todo[]
  test: TestSeen | undefined
  /** Runs of other tests that failed, and that no later run repeated. */
  stillFailing?: readonly TestSeen[] | undefined
  /** The address of the last opened pull request. */
  pullRequest: string | undefined
  lastReply: string | undefined
  /** Those of the words to look for that the user, a command or its output mentions. */
  mentioned?: ReadonlySet<string> | undefined
  /** Goal, instructions, decisions and the like, for the ledger. */
  facts?: SessionFacts | undefined
}

/** Reads the test result from a command's output, if the command ran tests. */
export type ReadTest = (command: string, failed: boolean, output: string) => Omit<TestSeen, 'at'> | undefined

const FIRST_WORDS = 3
const LAST_WORDS = 17
const MAX_WORDS_LENGTH = 2000
const MAX_COMMANDS = 200
const MAX_OUTCOMES = 5000
const MAX_FILES = 3000
const MAX_TEST_RUNS = 50
const MAX_TEST_OUTPUT = 50_000

/**
 * Reads a transcript to its end and collects what the next session needs. `wanted` is looked for on the way: words, and words in one
 * output. `answers` are words of the user that the transcript does not hold, oldest first; they count at their place in time.
 */
export async function collectFacts(
  pieces: AsyncIterable<readonly TranscriptItem[]>,
  readTest: ReadTest,
  wanted: { words?: readonly string[]; together?: readonly (readonly string[])[] } = {},
  answers: readonly { text: string; at: number }[] = [],
): Promise<TranscriptFacts> {
  const first: string[] = []
  const last: string[] = []
  const commands: CommandRun[] = []
  const running = new Map<string, { ran?: CommandRun; paths?: readonly string[] }>()
  const outcomes = new Map<string, CommandRun>()
  const written = new Set<string>()
  const collector = new SessionFactCollector()
  const mentions = new Mentions(wanted.words ?? [], wanted.together)
  let tested: { ran: CommandRun; output: string } | undefined
  const testRuns = new Map<string, { ran: CommandRun; output: string }>()
  const replies = { last: undefined as string | undefined }
  const seen: TranscriptFacts = {
    session: undefined,
    cwd: undefined,
    startedAt: undefined,
    lastAt: undefined,
    messages: 0,
    instructions: [],
    commands,
    outcomes,
    written: [],
    todos: [],
    test: undefined,
    pullRequest: undefined,
    lastReply: undefined,
  }
  let given = 0
  const addAnswersUntil = (at: number) => {
    for (; given < answers.length && (answers[given]?.at ?? 0) <= at; given++) {
      collector.addPrompt(answers[given]?.text ?? '')
      mentions.addText(answers[given]?.text ?? '')
    }
  }
  for await (const piece of pieces)
    for (const item of piece) {
      if (given < answers.length && item.at !== undefined) addAnswersUntil(item.at)
      seen.startedAt ??= item.at
      seen.lastAt = item.at ?? seen.lastAt
      collector.addItem(item)
      switch (item.kind) {
        case 'about':
          seen.session = item.session || seen.session
          seen.cwd = item.cwd || seen.cwd
          break
        case 'prompt': {
          if (item.to === undefined) seen.messages++
          const own = userPromptText(item.text)
          collector.addPrompt(own)
          mentions.addText(own)
          const typed = own.slice(0, MAX_WORDS_LENGTH)
          if (typed === '' || item.to !== undefined) break
          if (first.length < FIRST_WORDS) first.push(typed)
          else pushBounded(last, typed, LAST_WORDS)
          break
        }
        case 'reply':
          if (item.id === undefined || item.id !== replies.last) seen.messages++
          // One reply may span several rows.
          seen.lastReply =
            item.id !== undefined && item.id === replies.last && seen.lastReply !== undefined
              ? `${seen.lastReply}\n${item.text}`
              : item.text
          replies.last = item.id
          break
        case 'call': {
          const { action } = item
          if (action.kind === 'shell') {
            const ran: CommandRun = { command: wordsOf(action.command), at: item.at, failed: undefined }
            pushBounded(commands, ran, MAX_COMMANDS)
            running.set(item.id, { ran })
            mentions.addText(ran.command)
          } else if (action.kind === 'write') running.set(item.id, { paths: action.paths })
          break
        }
        case 'result': {
          const { ran, paths } = running.get(item.id) ?? {}
          running.delete(item.id)
          // Tools that write a file show what was written.
          if (paths) mentions.addText(item.text)
          else if (!ran?.command.includes('.bmad/handoff')) mentions.addOutput(ran?.command ?? '', item.text)
          if (paths && !item.failed) for (const path of paths) if (written.size < MAX_FILES) written.add(path)
          if (!ran) break
          ran.failed = item.failed
          ran.at = item.at ?? ran.at
          outcomes.delete(ran.command)
          outcomes.set(ran.command, ran)
          if (outcomes.size > 2 * MAX_OUTCOMES) dropOldest(outcomes, MAX_OUTCOMES)
          if (readTest(ran.command, false, '') ?? readTest(ran.command, item.failed, item.text)) {
            tested = { ran, output: item.text }
            // Read at the end, so that thousands of runs cost nothing; the same command again replaces its last run.
            testRuns.delete(ran.command)
            testRuns.set(ran.command, { ran, output: item.text.slice(-MAX_TEST_OUTPUT) })
            if (testRuns.size > 2 * MAX_TEST_RUNS) dropOldest(testRuns, MAX_TEST_RUNS)
          }
          seen.pullRequest = pullRequestIn(ran.command, item.failed, item.text) ?? seen.pullRequest
          break
        }
        case 'todos':
          seen.todos = item.items
      }
    }
  addAnswersUntil(Number.POSITIVE_INFINITY)
  const run = tested && readTest(tested.ran.command, tested.ran.failed === true, tested.output)
  const failedRuns = new FailedRuns<TestSeen>()
  for (const { ran, output } of testRuns.values()) {
    const { command, at } = ran
    const seenRun = readTest(command, ran.failed === true, output)
    if (seenRun) failedRuns.add({ command, output, seen: { ...seenRun, command: command.slice(0, 200), at } })
  }
  const others = failedRuns.runs.filter(({ command }) => command !== tested?.ran.command)
  const ended = run?.passed === false ? [...others, { output: tested?.output ?? '' }] : others
  if (run) collector.addTestRuns(ended.map(({ output }) => output))
  return {
    ...seen,
    instructions: [...first, ...last],
    facts: collector.result(),
    mentioned: mentions.found,
    written: [...written],
    stillFailing: others.map(each => each.seen),
    test: tested && run && { ...run, command: tested.ran.command.slice(0, 200), at: tested.ran.at },
  }
}

/** A command with normalised white space. */
export const wordsOf = (command: string): string => command.replaceAll(/\s+/g, ' ').trim().slice(0, 2000)

/** Drops the oldest half at once: finding the first key of a map takes long after many deletions. */
function dropOldest<K, V>(map: Map<K, V>, kept: number): void {
  const entries = [...map].slice(-kept)
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}

function pushBounded<T>(list: T[], value: T, most: number): void {
  list.push(value)
  if (list.length > most) list.shift()
}

function pullRequestIn(command: string, failed: boolean, output: string): string | undefined {
  if (failed || !/\bgh pr create\b/.test(command)) return undefined
  return /https?:\/\/[^\s"'<>]+\/pull\/\d{1,9}\b/.exec(output.slice(-20_000))?.[0]
}

/**
 * The beginnings of prompts that Baton itself typed or sent. They are not the person's instructions: a document that
 * repeated them would tell the next session to read an outdated document.
 */
const OWN: readonly RegExp[] = [
  /^Create handoff document now - context at /,
  /^Read handoff from \S+ and resume work/,
  /^Correct\. Now continue the work from /,
  /^Describe the state of this work for a reader who will continue it/,
  /^That is not what the handoff document says:/,
  /^This is an auto-continuation prompt for hands-?off mode/,
  /^\[Baton\] /,
  /^Baton, which hosts you, was started again/,
  /^Continue the work from there: begin with the first of the next steps\.$/,
  // 0.1's wording of three of these prompts: old transcripts still contain it.
  /^Right\. Now go on with the work from /,
  /^Write down where this work stands, for somebody who goes on with it/,
  /^Go on with the work from there: begin with the first of the next steps\.$/,
  /^\/(?:[\w.-]+:){0,3}handoff(?:\s|$)/,
]
/** An earlier handoff document that precedes the person's own prompt. */
const GIVEN =
  /^<handoff-context>[\s\S]*?<\/handoff-context>\s*(?:The above is a handoff document from a previous session\.[^\n]*)?\s*/

/** The part of a prompt that a person typed; empty for a prompt that Baton sent. */
export function userPromptText(prompt: string): string {
  const words = prompt.replace(GIVEN, '').trim()
  return OWN.some(own => own.test(words)) ? '' : words
}
