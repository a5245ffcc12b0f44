import type { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import type { CommandRun } from '../../session/transcript/collect-facts.ts'
import { type Evidence, isBatonFile, touchedFiles } from '../evidence.ts'
import { listFacts } from '../facts.ts'
import { findRun, isSamePath, normalizeText } from '../same.ts'
import { findReplaced } from '../supersession.ts'
import { NOTHING_SHOWS, reasonAgainstState } from './check-state.ts'
import { isMarked, type Line, mapLines, markLine } from './lines.ts'
import { isCommand } from './objects.ts'
import {
  type Check,
  isClaim,
  MAX_LINES,
  namesCheck,
  type OutsideAction,
  readLines,
  type Stated,
  type Statement,
  saysFails,
} from './read-statements.ts'
import type { StateFact } from './state-statements.ts'
import { Sayings } from './support.ts'

/** A statement without evidence, and why. */
export interface Unverified {
  statement: Statement
  reason: string
}

/**
 * Compares every statement with the evidence and, for what earlier sessions left, with the ledger. What the document says as a fact
 * or as work done counts only if something shows it: a sentence that Baton cannot read is unverified, too, in any language.
 */
export function findUnverified(
  document: HandoffDocument,
  evidence: Evidence,
  ledger: HandoffLedger | undefined,
): Unverified[] {
  const checker = new StatementChecker(evidence, ledger)
  return readLines(document).flatMap(({ line, statements }): Unverified[] => {
    const against = statements.flatMap(statement => {
      const reason = checker.reasonAgainst(statement)
      return reason === undefined ? [] : [{ statement, reason }]
    })
    if (against.length > 0 || !isClaim(line) || checker.isShown(line, statements)) return against
    return [{ statement: { line, stated: { about: 'other' } }, reason: NOTHING_SHOWS }]
  })
}

/** The document with a mark before each line that holds such a statement. */
export function markUnverified(
  document: HandoffDocument,
  unverified: readonly Unverified[],
): HandoffDocument {
  const reasons = new Map<string, string>()
  for (const { statement, reason } of unverified) {
    const key = keyOf(statement.line)
    if (!reasons.has(key)) reasons.set(key, reason)
  }
  let lines = 0
  return mapLines(document, line => {
    const reason = ++lines > MAX_LINES ? 'the document is too long to check' : reasons.get(keyOf(line))
    return reason === undefined ? line.text : markLine(line.text, reason)
  })
}

const keyOf = ({ section, text }: Line): string => `${section}\0${text}`

class StatementChecker {
  readonly #evidence: Evidence
  readonly #changed: readonly string[]
  readonly #earlier: string
  readonly #userWords: readonly string[]
  readonly #said: { user: Sayings; anyone: Sayings }
  readonly #quotes: ReadonlySet<string>
  /** What commands set up, oldest first. */
  readonly #environment: readonly string[]
  /** What tools, git and earlier sessions show; neither the agent's words nor what the user only asked for. */
  readonly #shown: Sayings

  constructor(evidence: Evidence, ledger: HandoffLedger | undefined) {
    this.#evidence = evidence
    this.#changed = [...touchedFiles(evidence), ...(evidence.git?.dirty ?? [])]
    const { transcript, prompts = [] } = evidence
    const { facts } = transcript ?? {}
    this.#userWords = [
      ...(facts?.instructions ?? transcript?.instructions ?? []),
      ...(facts?.summarized ?? []),
      ...(facts?.pasted ?? []),
      ...prompts,
      ...(ledger ? [ledger.goal, ...ledger.instructions, ...ledger.replaced, ...ledger.pasted] : []),
    ]
    const inForce = this.#wordsInForce(ledger)
    const kept = (ledger ? listFacts(ledger) : []).map(({ text }) => text).filter(text => !isMarked(text))
    this.#earlier = kept.join('\n')
    this.#said = {
      user: new Sayings(inForce),
      anyone: new Sayings([
        ...(facts?.replies ?? []),
        ...this.#userWords,
        ...(facts?.results ?? []),
        ...kept,
      ]),
    }
    const { results = [], environment = [], failing = [], lastCommand = '' } = facts ?? {}
    this.#environment = [...(ledger?.environment ?? []), ...environment]
    this.#shown = new Sayings([
      ...results,
      ...environment,
      ...failing,
      lastCommand,
      ...(transcript?.todos.flatMap(({ text, done }) => (done ? text : [])) ?? []),
      ...[...(transcript?.outcomes.values() ?? [])].flatMap(({ command, failed }) => (failed ? [] : command)),
      ...(ledger ? [...ledger.done, ...ledger.environment, ...ledger.results, ...ledger.dead_ends] : []),
    ])
    this.#quotes = new Set(
      [
        ...inForce,
        ...kept.filter(text => !ledger?.replaced.includes(text)),
        ...(facts?.environment ?? []),
        ...(facts?.results ?? []),
        ...(transcript?.todos.map(({ text }) => text) ?? []),
      ].map(normalizeText),
    )
  }

  /** The user's words without instructions that a later one replaced: they support nothing any longer. */
  #wordsInForce(ledger: HandoffLedger | undefined): string[] {
    const { facts } = this.#evidence.transcript ?? {}
    const asked = [
      ...(ledger?.instructions ?? []),
      ...(facts?.summarized ?? []),
      ...(facts?.instructions ?? this.#evidence.transcript?.instructions ?? []),
    ]
    const goal = ledger?.goal || asked[0]
    const { replaced } = findReplaced([...new Set(asked)].filter(text => text !== goal))
    // What the user said again counts again.
    const gone = new Set([...replaced, ...(ledger?.replaced ?? []).filter(text => !asked.includes(text))])
    return this.#userWords.filter(text => !gone.has(text))
  }

  /** Whether evidence shows the line: it repeats what tools showed, or evidence for all that it names was found. */
  isShown(line: Line, statements: readonly Statement[]): boolean {
    if (line.mood !== 'done' && this.#quotes.has(normalizeText(line.text))) return true
    if (this.#shown.support(line.text, 'user') || this.#namesFailingTest(line)) return true
    const checked = statements.filter(({ stated }) => stated.about !== 'done')
    if (checked.length === 0) return false
    return (
      line.mood === 'done' ||
      checked.some(({ stated }) => stated.about === 'check' || stated.about === 'state') ||
      !namesCheck(line.text)
    )
  }

  /** "X still fails", where the last run shows it. */
  #namesFailingTest({ text, mood }: Line): boolean {
    if (mood === 'done' || !saysFails(text)) return false
    const failing = this.#evidence.transcript?.facts?.failing ?? []
    const named = text.match(/[\p{L}\d_]{8,200}/gu) ?? []
    return failing.some(test => text.includes(test) || named.some(name => test.includes(name)))
  }

  /** Why nothing shows it; undefined if something does. */
  reasonAgainst({ line, stated }: Statement): string | undefined {
    switch (stated.about) {
      case 'check':
        return this.#checkResult(stated.check, stated.passed)
      case 'done':
        return this.#isOpenTodo(stated.text) ? 'its todo is still open in the agent’s list' : undefined
      case 'all-todos':
        return this.#openTodos().length > 0 ? `${this.#openTodos().length} todos are still open` : undefined
      case 'clean':
        return this.#checkClean()
      case 'pushed':
        return this.#checkPushed()
      case 'outside':
        return this.#checkOutside(stated.action)
      case 'state':
        return this.#checkState(stated.fact, line.text)
      case 'tag':
        return this.#checkTag(stated.name)
      default:
        // What the user, a subagent or an earlier session said word for word is a quote.
        return this.#quotes.has(normalizeText(line.text)) ? undefined : this.#checkObject(stated)
    }
  }

  #checkObject(stated: Stated): string | undefined {
    switch (stated.about) {
      case 'path':
        return this.#checkPath(stated.path, stated.folder, stated.as)
      case 'commit':
        return this.#checkCommit(stated.id, stated.as)
      case 'command':
        return this.#checkCommand(stated.command, stated.succeeded)
      case 'branch':
        return this.#checkBranch(stated.name, stated.current)
      case 'port':
        return this.#isMentioned(stated.port) ? undefined : `nothing shows port ${stated.port}`
      case 'user':
        return this.#said.user.support(stated.sentence, 'user')
          ? undefined
          : 'no prompt of the user says this'
      case 'decision':
        return this.#said.anyone.support(stated.sentence, 'decision') ? undefined : NOTHING_SHOWS
      default:
        return undefined
    }
  }

  #checkPath(path: string, folder: boolean, as: 'changed' | 'named' | 'absent'): string | undefined {
    if (isBatonFile(path)) return undefined
    const { present } = this.#evidence
    if (as === 'absent') {
      const exists = present.get(path)
      return exists === false ? undefined : exists ? `\`${path}\` exists` : NOTHING_SHOWS
    }
    const covers = (one: string) => isSamePath(path, one) || (folder && `/${one}`.includes(`/${path}/`))
    if (this.#changed.some(covers)) return undefined
    const exists = present.get(path)
    const mentioned = this.#isMentioned(path)
    if (as === 'changed') {
      if (exists === false)
        return mentioned && this.#earlier.includes(path) ? undefined : noFile(path, folder)
      return mentioned ? undefined : `nothing shows a change of \`${path}\``
    }
    return exists === true || mentioned ? undefined : noFile(path, folder)
  }

  #checkCommit(id: string, as: 'made' | 'named'): string | undefined {
    const { git, commits, lookedUp } = this.#evidence
    if (!git) return undefined
    if (git.head.startsWith(id) || commits.some(commit => commit.id.startsWith(id))) return undefined
    if (lookedUp?.commits.includes(id)) return undefined
    // The user or a tool may name a commit of another repository.
    return as === 'named' && this.#isMentioned(id) ? undefined : `there is no commit ${id.slice(0, 12)} here`
  }

  #checkCommand(command: string, succeeded: boolean): string | undefined {
    const { transcript } = this.#evidence
    const ran = transcript && findRun(command, transcript.outcomes)
    if (ran) return succeeded && ran.failed ? `the last run of \`${command}\` failed` : undefined
    if (this.#isMentioned(command) || this.#earlier.includes(command)) return undefined
    return isCommand(command) || transcript
      ? `\`${command.slice(0, 120)}\` was not run in this session`
      : undefined
  }

  #checkBranch(name: string, current: boolean): string | undefined {
    const { git, lookedUp } = this.#evidence
    if (!git) return undefined
    if (git.branch === name || git.rebased === name) return undefined
    if (current) return `the branch is \`${git.branch ?? 'none (detached HEAD)'}\``
    const known = lookedUp?.refs.some(ref => ref === name || ref.replace(/^[^/]+\//, '') === name)
    return known || this.#isMentioned(name) ? undefined : `there is no branch \`${name}\``
  }

  #checkResult(check: Check, passed: boolean): string | undefined {
    const { transcript } = this.#evidence
    if (!transcript) return `no transcript shows how the ${check} ended`
    if (check === 'tests') {
      const { test, facts } = transcript
      if (!test) return 'no test run was seen in this session'
      if (test.passed === passed || (!passed && (facts?.failing?.length ?? 0) > 0)) return undefined
      return `the last run of \`${test.command.slice(0, 100)}\` ${test.passed ? 'passed' : 'failed'}`
    }
    const last = lastRun(transcript.outcomes, RUNS[check])
    if (!last) return `no run of the ${CHECK_WORDS[check]} was seen in this session`
    return last.failed === !passed
      ? undefined
      : `the last run of \`${last.command.slice(0, 100)}\` ${last.failed ? 'failed' : 'succeeded'}`
  }

  #checkClean(): string | undefined {
    const { git } = this.#evidence
    const [submodule] = git?.submodules ?? []
    if (git?.dirty.length === 0 && submodule !== undefined)
      return `the submodule \`${submodule}\` is not clean`
    if (!git || git.dirty.length === 0) return undefined
    return git.dirty.length === 1
      ? `\`${git.dirty[0]}\` is not committed`
      : `${git.dirty.length} files are not committed`
  }

  #checkPushed(): string | undefined {
    const { git, transcript } = this.#evidence
    if (git?.ahead === 0) return undefined
    const push = transcript && lastRun(transcript.outcomes, /\bgit\b[^;&|]*\bpush\b/)
    if (push && !push.failed && !(git?.ahead !== undefined && git.ahead > 0)) return undefined
    if (push && !push.failed) return `${git?.ahead} commits are not pushed`
    return push ? 'the last `git push` failed' : 'no push was seen in this session'
  }

  /** A command of the session, or a successful one that an earlier session left in the ledger, shows it. */
  #checkOutside(action: OutsideAction): string | undefined {
    const { transcript, pr } = this.#evidence
    if (!transcript || (action === 'pull request' && pr !== undefined)) return undefined
    const form = LEAVES[action]
    const ran = lastRun(transcript.outcomes, form)
    if (ran) return ran.failed ? `the last run of \`${ran.command.slice(0, 100)}\` failed` : undefined
    const told = [...this.#userWords, this.#earlier].some(text => form.test(text))
    return told ? undefined : `no command of this session shows a ${action}`
  }

  #checkState(fact: StateFact, text: string): string | undefined {
    const reason = reasonAgainstState(fact, this.#evidence, this.#environment)
    // A variable may also be set in a way that Baton does not read as one.
    return fact.of === 'variable' && reason === NOTHING_SHOWS && this.#shown.support(text, 'user')
      ? undefined
      : reason
  }

  #checkTag(name: string): string | undefined {
    const { git, lookedUp } = this.#evidence
    if (!git || !lookedUp || lookedUp.refs.includes(name)) return undefined
    return this.#isMentioned(name) ? undefined : `there is no tag \`${name}\``
  }

  #openTodos(): string[] {
    return (
      this.#evidence.transcript?.todos.flatMap(({ text, done }) => (done ? [] : normalizeText(text))) ?? []
    )
  }

  #isOpenTodo(text: string): boolean {
    const said = normalizeText(text)
    return this.#openTodos().some(open => said === open || (open.length >= 12 && said.includes(open)))
  }

  #isMentioned(needle: string): boolean {
    const { mentioned } = this.#evidence.transcript ?? {}
    return (
      mentioned?.has(needle) === true ||
      hasWord(this.#earlier, needle) ||
      this.#userWords.some(text => hasWord(text, needle))
    )
  }
}

const RUNS: Readonly<Record<Exclude<Check, 'tests'>, RegExp>> = {
  build:
    /\b(?:build|compile|tsc|webpack|vite|rollup|esbuild|make|cmake|javac|assemble|package|bazel|ninja|rustc)\b/,
  lint: /\b(?:lint|eslint|biome|ruff|flake8|golangci-lint|clippy|rubocop|prettier|check|format|fmt)\b/,
  ci: /\b(?:gh\s+(?:run|workflow)|gh\s+pr\s+(?:checks|view|status)|glab\s+(?:ci|pipeline)|circleci|bk\s+build|az\s+pipelines|tkn)\b/,
  types: /\b(?:tsc|typecheck|type-check|types|mypy|pyright|check)\b/,
}

const CHECK_WORDS = { build: 'build', lint: 'lint', types: 'type check', ci: 'CI' } as const

const LEAVES: Readonly<Record<OutsideAction, RegExp>> = {
  merge: /\b(?:gh\s+pr\s+merge|glab\s+mr\s+merge|git\s+merge|merged)\b/,
  'pull request':
    /\b(?:gh\s+pr\s+(?:create|new|view|edit|ready)|glab\s+mr\s+(?:create|new)|hub\s+pull-request)\b/,
  deployment:
    /deploy|\b(?:kubectl\s+(?:apply|rollout|set)|helm\s+(?:upgrade|install)|terraform\s+apply|ansible-playbook|rsync|scp|vercel|netlify|wrangler|serverless|cdk|pulumi|docker\s+(?:push|stack)|git\s+push|systemctl\s+restart|flyctl|fly)\b/i,
  publication:
    /publish|\b(?:twine\s+upload|gem\s+push|docker\s+push|gh\s+release|release|cargo\s+publish|mvn\s+deploy)\b/i,
}

function lastRun(outcomes: ReadonlyMap<string, CommandRun>, form: RegExp): CommandRun | undefined {
  let found: CommandRun | undefined
  for (const ran of outcomes.values()) if (ran.failed !== undefined && form.test(ran.command)) found = ran
  return found
}

function hasWord(text: string, needle: string): boolean {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1))
    if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + needle.length] ?? '')) return true
  return false
}

const noFile = (path: string, folder: boolean): string =>
  `there is no ${folder ? 'folder' : 'file'} \`${path}\``
