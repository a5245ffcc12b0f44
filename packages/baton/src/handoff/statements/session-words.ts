import type { HandoffLedger } from '@batonpass/contract/handoff'
import type { Evidence } from '../evidence.ts'
import { listFacts } from '../facts.ts'
import { normalizeText } from '../same.ts'
import { contestedNotes, findReplaced } from '../supersession.ts'
import { isMarked } from './lines.ts'
import { TAKES_BACK } from './session-commands.ts'
import { Sayings } from './support.ts'

/** What was said and shown in this session and in earlier ones, sorted by what it can support. */
export class SessionWords {
  /** What earlier sessions left. */
  readonly earlier: string
  /** All that the user said, also what no longer counts. */
  readonly user: readonly string[]
  readonly said: { user: Sayings; replaced: Sayings; doubted: Sayings; anyone: Sayings }
  readonly quotes: ReadonlySet<string>
  /** What commands set up, oldest first. */
  readonly environment: readonly string[]
  /** What tools, git and earlier sessions show; neither the agent's words nor what the user only asked for. */
  readonly shown: Sayings
  /** As `shown`, without what succeeded: that does not support a sentence about a failure. */
  readonly shownOfFailures: Sayings
  /** Work that was done. What a subagent found out is not among it. */
  readonly done: Sayings
  /** Commands that succeeded. */
  readonly ran: Sayings

  constructor(evidence: Evidence, ledger: HandoffLedger | undefined) {
    const { transcript, prompts = [] } = evidence
    const { facts } = transcript ?? {}
    this.user = [
      ...(facts?.instructions ?? transcript?.instructions ?? []),
      ...(facts?.summarized ?? []),
      ...(facts?.pasted ?? []),
      ...prompts,
      ...(ledger ? [ledger.goal, ...ledger.instructions, ...ledger.replaced, ...ledger.pasted] : []),
    ]
    const { inForce, gone, doubted } = wordsInForce(this.user, evidence, ledger)
    // What others wrote and the user pasted is not what the user wants.
    const pasted = new Set([...(facts?.pasted ?? []), ...(ledger?.pasted ?? [])])
    const kept = (ledger ? listFacts(ledger) : []).map(({ text }) => text).filter(text => !isMarked(text))
    this.earlier = kept.join('\n')
    this.said = {
      user: new Sayings(inForce.filter(text => !pasted.has(text))),
      replaced: new Sayings(gone),
      doubted: new Sayings(doubted),
      anyone: new Sayings([...(facts?.replies ?? []), ...this.user, ...(facts?.results ?? []), ...kept]),
    }
    const { results = [], environment = [], failing = [], lastCommand = '' } = facts ?? {}
    this.environment = [...(ledger?.environment ?? []), ...environment]
    const doneTodos = transcript?.todos.flatMap(({ text, done }) => (done ? text : [])) ?? []
    const succeeded = [...(transcript?.outcomes.values() ?? [])].flatMap(({ command, failed }) =>
      failed || TAKES_BACK.test(command) ? [] : command,
    )
    const done = [...doneTodos, ...(ledger?.done ?? [])]
    const found = [...results, ...(ledger ? [...ledger.results, ...ledger.dead_ends] : [])]
    const set = [...environment, ...(ledger?.environment ?? [])]
    this.shown = new Sayings([...found, ...set, ...failing, lastCommand, ...done, ...succeeded])
    const hasFailed = [...(transcript?.outcomes.values() ?? [])].at(-1)?.failed === true
    this.shownOfFailures = new Sayings([...found, ...failing, ...(hasFailed ? [lastCommand] : [])])
    this.done = new Sayings([...done, ...set, ...succeeded, lastCommand])
    this.ran = new Sayings(succeeded)
    this.quotes = new Set(
      [
        ...inForce,
        ...kept.filter(text => !ledger?.replaced.includes(text)),
        ...(facts?.environment ?? []),
        ...(facts?.results ?? []),
        ...(transcript?.todos.map(({ text }) => text) ?? []),
      ].map(normalizeText),
    )
  }
}

/** The user's words without instructions that a later one replaced: they support nothing any longer. */
function wordsInForce(
  user: readonly string[],
  { transcript }: Evidence,
  ledger: HandoffLedger | undefined,
): { inForce: string[]; gone: string[]; doubted: string[] } {
  const { facts } = transcript ?? {}
  const asked = [
    ...(ledger?.instructions ?? []),
    ...(facts?.summarized ?? []),
    ...(facts?.instructions ?? transcript?.instructions ?? []),
  ]
  const goal = ledger?.goal || asked[0]
  const { replaced, inForce } = findReplaced([...new Set(asked)].filter(text => text !== goal))
  const noteOf = contestedNotes(inForce)
  const contested = inForce.filter(text => noteOf(text) !== '')
  // What the user said again counts again.
  const gone = new Set([
    ...replaced,
    ...contested.filter(text => /\d/.test(text)),
    ...(ledger?.replaced ?? []).filter(text => !asked.includes(text)),
  ])
  return { inForce: user.filter(text => !gone.has(text)), gone: [...gone], doubted: contested }
}
