import type { TranscriptItem } from '../../ports/transcript.ts'
import { shownSecrets, showsSecrets } from './env-file.ts'
import { failingTests } from './failing-tests.ts'
import { mayDecide, type Passages, sortPassages } from './passages.ts'
import { TurningPoints } from './turning-points.ts'
import { readUserWords } from './user-words.ts'

/** What a session established, found by the structure of its transcript. Lists are oldest first and bounded. */
export interface SessionFacts {
  /** The user's own instructions, in every form in which the agent stores them. */
  instructions: string[]
  /** Instructions known only from the agent's summary of an earlier part. */
  summarized: string[]
  pasted: string[]
  decisions: string[]
  deadEnds: string[]
  said: string[]
  /** The agent's messages that were searched, without handoff documents. */
  replies?: string[]
  /** What the agent announced as its next step. */
  next: string | undefined
  /** The end of the agent's last message. */
  lastWords: string | undefined
  environment: string[]
  results: string[]
  /** Undefined if no test was run. */
  failing: string[] | undefined
  lastCommand: string | undefined
  /** Values that the session read from an environment file or set with a secret's name. */
  secrets: string[]
}

const MAX_INSTRUCTIONS = 500
const MAX_PASTED = 40
const MAX_REPLIES = 300
/** Beyond this much text, only the last replies are searched: a huge transcript must not take seconds. */
const MAX_SEARCHED = 1_000_000
const MAX_REPLY = 8000
const MAX_POINTS = 300
const MAX_SUMMARIES = 10
const MAX_SUMMARY = 40_000
const MAX_RESULTS = 60
const MAX_RESULT = 1500

/** Subagents, as the agents name the tools that start them or wait for them. */
const SUBAGENT =
  /^(?:Task|Agent|task|subagent|dispatch_agent|delegate(?:_task)?|invoke_agent|spawn_agent|wait_agent|wait|collab\w*)$/

interface Reply {
  text: string
  item: object
}

/** Collects facts item by item. */
export class SessionFactCollector {
  readonly #instructions = new Map<string, true>()
  readonly #summarized = new Map<string, true>()
  readonly #pasted: string[] = []
  readonly #summaries: string[] = []
  readonly #replies: Reply[] = []
  readonly #old: Reply[] = []
  readonly #turns = new TurningPoints()
  readonly #environment = new Map<string, true>()
  readonly #results: string[] = []
  readonly #secrets = new Set<string>()
  readonly #calls = new Map<string, { tool: string; command?: string; path?: string }>()
  #searched = 0
  #last: { command: string; failed: boolean; text: string } | undefined
  #failing: string[] | undefined

  /** `prompt`: what of the prompt a person typed; without Baton's own prompts. */
  addPrompt(prompt: string): void {
    const { text, pasted } = readUserWords(prompt)
    for (const each of pasted) pushBounded(this.#pasted, each.slice(0, 4000), MAX_PASTED)
    if (text !== '') addLast(this.#instructions, text, MAX_INSTRUCTIONS)
  }

  addItem(item: TranscriptItem): void {
    this.#turns.addItem(item)
    switch (item.kind) {
      case 'summary':
        for (const text of instructionsInSummary(item.text)) addLast(this.#summarized, text, MAX_INSTRUCTIONS)
        pushBounded(this.#summaries, item.text.slice(0, MAX_SUMMARY), MAX_SUMMARIES)
        return
      case 'reply':
        this.#addReply(item)
        return
      case 'call': {
        const { tool, action } = item
        const command = action.kind === 'shell' ? action.command : undefined
        const path = action.kind === 'read' ? action.paths[0] : undefined
        if (command !== undefined || path !== undefined || SUBAGENT.test(tool))
          this.#calls.set(item.id, {
            tool,
            ...(command === undefined ? {} : { command }),
            ...(path === undefined ? {} : { path }),
          })
        return
      }
      case 'result':
        this.#addResult(item)
        return
      default:
    }
  }

  #addReply(item: Extract<TranscriptItem, { kind: 'reply' }>): void {
    const text = item.text.slice(0, MAX_REPLY)
    this.#searched += text.length
    this.#replies.push({ text, item })
    if (this.#replies.length <= MAX_REPLIES) return
    const dropped = this.#replies.shift()
    if (dropped === undefined || this.#searched > MAX_SEARCHED) return
    // An old message that decides something is kept, as long as the search does not take too long.
    const { givenUp, chosen } = this.#turns
    if (givenUp.has(dropped.item) || chosen.has(dropped.item) || mayDecide(dropped.text))
      this.#old.push(dropped)
  }

  /** What a message shows by its words; next to a turning point, all that it says is a decision or a dead end. */
  #passagesOf({ text, item }: Reply): Passages {
    const found = sortPassages(text)
    const { givenUp, chosen } = this.#turns
    if (givenUp.has(item)) return { ...found, deadEnds: [...found.deadEnds, ...found.other], other: [] }
    if (chosen.has(item)) return { ...found, decisions: [...found.decisions, ...found.other], other: [] }
    return found
  }

  #addResult(item: Extract<TranscriptItem, { kind: 'result' }>): void {
    const call = this.#calls.get(item.id)
    this.#calls.delete(item.id)
    if (!call) return
    const { tool, command, path } = call
    if (SUBAGENT.test(tool) && command === undefined) {
      const text = resultText(item.text)
      if (text !== '' && !item.failed) pushBounded(this.#results, text.slice(0, MAX_RESULT), MAX_RESULTS)
      return
    }
    const shown = command ?? path ?? ''
    if (showsSecrets(shown)) for (const value of shownSecrets(shown, item.text)) this.#secrets.add(value)
    if (command === undefined) return
    // Only the last ones matter, so they are read at the end.
    this.#last = { command, failed: item.failed, text: item.text }
    if (
      !item.failed &&
      (ENVIRONMENT.test(command.slice(0, 2000)) || IN_BACKGROUND.test(item.text.slice(0, 400)))
    ) {
      const address = ADDRESS.exec(outputOf(item.text).slice(0, 4000))?.[0]
      addLast(this.#environment, `\`${lineOf(command)}\`${address ? ` (${address})` : ''}`, 60)
    }
  }

  #lastCommand(): string | undefined {
    if (!this.#last) return undefined
    const { command, failed, text } = this.#last
    const end = outputOf(text).slice(-300).split('\n').slice(-3).join('\n').trim()
    return `\`${lineOf(command)}\` ${failed ? 'failed' : 'succeeded'}${end ? `: ${end}` : ''}`
  }

  /** The outputs of the test runs that failed and were not repeated; called if a run's end is known. */
  addTestRuns(failedOutputs: readonly string[]): void {
    this.#failing = [...new Set(failedOutputs.flatMap(output => failingTests(outputOf(output))))]
  }

  result(): SessionFacts {
    const [decisions, deadEnds, said] = [new Set<string>(), new Set<string>(), new Set<string>()]
    let next: string | undefined
    const passages = [
      // Every point of a summary was worth keeping once.
      ...this.#summaries.map(text => sortPassages(text, true)),
      ...[...this.#old, ...this.#replies].map(reply => this.#passagesOf(reply)),
    ]
    for (const found of passages) {
      for (const each of found.decisions) decisions.add(each)
      for (const each of found.deadEnds) deadEnds.add(each)
      for (const each of found.other) said.add(each)
      next = found.next ?? next
    }
    for (const each of this.#turns.undone) deadEnds.add(each)
    const last = this.#replies.findLast(({ text }) => !HANDOFF_TALK.test(text.slice(0, 300)))?.text
    return {
      instructions: [...this.#instructions.keys()],
      summarized: [...this.#summarized.keys()].filter(text => !this.#instructions.has(text)),
      pasted: this.#pasted,
      decisions: [...decisions].slice(-MAX_POINTS),
      deadEnds: [...deadEnds].slice(-MAX_POINTS),
      said: [...said].slice(-MAX_POINTS),
      replies: [
        ...this.#summaries,
        ...[...this.#old, ...this.#replies].map(({ text }) => text).filter(text => !DOCUMENT.test(text)),
      ],
      next: sortPassages(last ?? '').next ?? next,
      lastWords: last?.trim().slice(-600),
      environment: [...this.#environment.keys()],
      results: this.#results,
      failing: this.#failing,
      lastCommand: this.#lastCommand(),
      secrets: [...this.#secrets],
    }
  }
}

/** A message about the handoff itself says nothing about the work. */
const HANDOFF_TALK = /\bhandoff(?: document)?\b/i

/** A message that is a handoff document repeats its own statements. */
const DOCUMENT = /^#{1,2} (?:Handoff Document|Next Steps|Key Decisions|Critical (?:State|Context))\b/m

/** Commands that leave something behind: a service, a container, a variable. */
const ENVIRONMENT =
  /(?:^|[;&|(]\s*)(?:export\s+\w+=|[A-Z][A-Z0-9_]{2,}=\S+\s+\S|source\s+\S|\.\s+\S+\/activate|nvm use|pyenv |conda activate|direnv |nohup\s)|\bdocker(?:[ -]compose)?\b[^;|]{0,200}\b(?:run|up|start)\b|\bpodman run\b|\bkubectl port-forward\b|&\s*$|\bssh\b[^;|]{0,100}\s-L\b|\b(?:npm|yarn|pnpm|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)\b|\brunserver\b|\b(?:systemctl|service|brew services|pg_ctl)\b[^;|]{0,80}\bstart\b|--(?:port|listen)[= ]\S/

/** How the agents report a command that they left running: Claude Code, Codex, Gemini CLI. */
const IN_BACKGROUND =
  /^Command (?:running in background with ID\b|moved to background \()|^Process running with session ID \d/m

const ADDRESS =
  /(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d{2,5}\S{0,40}|\bport \d{2,5}\b/

const lineOf = (command: string): string =>
  command.slice(0, 2000).replaceAll(/\s+/g, ' ').trim().slice(0, 400)

/** A subagent's report; some agents wrap it in JSON. */
function resultText(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return trimmed
  try {
    return textsWithin(JSON.parse(trimmed)).join('\n').trim()
  } catch {
    return trimmed
  }
}

function textsWithin(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.length >= 20 ? [value] : []
  if (typeof value !== 'object' || value === null || depth > 6) return []
  return Object.values(value).flatMap(each => textsWithin(each, depth + 1))
}

/** Codex reports how a command ended before its output. */
const outputOf = (text: string): string =>
  text
    .slice(-50_000)
    .replace(/^[\s\S]{0,400}?\nOutput:\n/, '')
    .replace(/^Exit code \d+\n/, '')

/** What a summary says that the user wants: the points under a heading about it, and sentences that begin with the user. */
function instructionsInSummary(summary: string): string[] {
  const text = summary.slice(0, MAX_SUMMARY)
  const listed = [...text.matchAll(WANTED_HEADING)].flatMap(from => {
    const rest = text.slice(from.index + from[0].length)
    const end =
      /^\s*(?:#{1,6}\s|\d{1,2}\.\s+[A-Z*]|<\/|\*\*[^*\n]+\*\*:?\s*$)/m.exec(rest)?.index ?? rest.length
    return [...rest.slice(0, end).matchAll(/^\s*[-*•]\s+(.+(?:\n(?!\s*[-*•]).+)*)/gm)].map(([, item]) => item)
  })
  const told = [...text.matchAll(TOLD)].map(([, words]) => words)
  return [...listed, ...told].flatMap(
    (item = '') => readUserWords(item.trim().replace(/^["“'](.*)["”']$/s, '$1')).text || [],
  )
}
const WANTED_HEADING =
  /^[^\S\n]*(?:#{1,6}\s+|\d{1,2}\.\s+|[-*•]\s+|\*\*)?\**(?:all user messages|user messages|(?:the )?user['’]?s? (?:instructions|requirements|preferences|constraints|wishes|rules)|constraints(?: (?:&|and) preferences)?|(?:explicit )?(?:instructions|requirements)(?: from the user)?|preferences|vorgaben|anweisungen|wünsche)\b[^\n]{0,60}\n/gim
const TOLD =
  /^[^\S\n]*(?:[-*•]|\d{1,2}[.)])?[^\S\n]*(?:the )?user (?:also |then |later |explicitly |clearly )*(?:said|says|insist(?:s|ed)|want(?:s|ed)|ask(?:s|ed)|told (?:us|me)|require[sd]?|prefer(?:s|red)|request(?:s|ed)|demand(?:s|ed)|instruct(?:s|ed))(?: that| for| to)?\s*[:：]?\s+(.{8,1000})$/gim

function addLast(set: Map<string, true>, text: string, most: number): void {
  // A repeated instruction counts at its last position.
  set.delete(text)
  set.set(text, true)
  const [oldest] = set.keys()
  if (set.size > most && oldest !== undefined) set.delete(oldest)
}

function pushBounded<T>(list: T[], value: T, most: number): void {
  list.push(value)
  if (list.length > most) list.shift()
}
