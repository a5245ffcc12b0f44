import type { HandoffDocument, HandoffLedger } from '@batonpass/contract/handoff'
import { selectorsOf } from '../../session/transcript/failed-runs.ts'
import { type Evidence, isBatonFile, touchedFiles } from '../evidence.ts'
import { findRun, isSamePath, normalizeText } from '../same.ts'
import { anchorGroupsOf, groupKey } from './anchors.ts'
import { NOTHING_SHOWS, reasonAgainstState } from './check-state.ts'
import { type Line, mapLines, markLine } from './lines.ts'
import { isCommand } from './objects.ts'
import type { OutsideAction } from './outside-actions.ts'
import {
  type Check,
  isClaim,
  MAX_LINES,
  namesCheck,
  readLines,
  type Stated,
  type Statement,
  saysFails,
  saysProblem,
} from './read-statements.ts'
import {
  CHECK_WORDS,
  hasWord,
  LEAVES,
  lastRun,
  namesPath,
  noFile,
  PUSH,
  pathForm,
  RUNS,
  TAKES_BACK,
  UNDONE,
} from './session-commands.ts'
import { SessionWords } from './session-words.ts'
import type { StateFact } from './state-statements.ts'
import { isSameWork } from './support.ts'

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
  readonly #words: SessionWords

  constructor(evidence: Evidence, ledger: HandoffLedger | undefined) {
    this.#evidence = evidence
    this.#changed = [...touchedFiles(evidence), ...(evidence.git?.dirty ?? [])]
    this.#words = new SessionWords(evidence, ledger)
  }

  /** Whether evidence shows the line: it repeats what tools showed, or evidence for all that it names was found. */
  isShown(line: Line, statements: readonly Statement[]): boolean {
    if (line.mood !== 'done' && this.#words.quotes.has(normalizeText(line.text))) return true
    if (this.#isSupported(line) || this.#namesFailingTest(line)) return true
    if (!namesCheck(line.text) && this.#isInOneOutput(line)) return true
    const checked = statements.filter(
      ({ stated }) =>
        stated.about !== 'done' && !(stated.about === 'path' && this.#isUndone(line, stated.path)),
    )
    if (checked.length === 0) return false
    return (
      line.mood === 'done' ||
      checked.some(({ stated }) => stated.about === 'check' || stated.about === 'state') ||
      !namesCheck(line.text)
    )
  }

  #isSupported({ text, mood }: Line): boolean {
    const { shown, shownOfFailures, done, ran } = this.#words
    if (saysProblem(text)) return shownOfFailures.support(text, 'failure')
    if (ran.support(text, 'run')) return true
    // What a subagent found out supports work that was done only if it says all of it.
    return mood === 'done'
      ? done.support(text, 'user') || shown.support(text, 'all')
      : shown.support(text, 'user')
  }

  /** The work on the path was taken back last, and the line speaks of something else. */
  #isUndone({ text, mood }: Line, path: string): boolean {
    if (
      mood !== 'done' ||
      UNDONE.test(text.replaceAll(path, ' ')) ||
      this.#changed.some(one => isSamePath(path, one))
    )
      return false
    const last = lastRun(this.#evidence.transcript?.outcomes ?? new Map(), pathForm(path))
    return last !== undefined && TAKES_BACK.test(last.command)
  }

  /** The numbers and names of the line are all in the output of one command. */
  #isInOneOutput(line: Line): boolean {
    const { mentioned } = this.#evidence.transcript ?? {}
    return anchorGroupsOf(line).some(group => mentioned?.has(groupKey(group)) === true)
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
        return this.#checkResult(stated.check, stated.passed, line.text)
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
        return this.#words.quotes.has(normalizeText(line.text)) ? undefined : this.#checkObject(stated)
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
        return this.#userSays(stated.sentence)
      case 'decision':
        return this.#words.said.anyone.support(stated.sentence, 'decision') ? undefined : NOTHING_SHOWS
      default:
        return undefined
    }
  }

  #userSays(sentence: string): string | undefined {
    const { user, replaced, doubted } = this.#words.said
    if (!user.support(sentence, 'user')) return 'no prompt of the user says this'
    if (user.preferOther(sentence)) return 'the user said the opposite'
    return replaced.isCloser(sentence, user) || doubted.saysMore(sentence, user)
      ? 'the user said otherwise later'
      : undefined
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
        return mentioned && this.#words.earlier.includes(path) ? undefined : noFile(path, folder)
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
    if (this.#isMentioned(command) || this.#words.earlier.includes(command)) return undefined
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

  #checkResult(check: Check, passed: boolean, text: string): string | undefined {
    const { transcript } = this.#evidence
    if (!transcript) return `no transcript shows how the ${check} ended`
    if (check === 'tests') {
      const { test, stillFailing = [] } = transcript
      if (!test) return 'no test run was seen in this session'
      const runs = [...stillFailing, test]
      // A sentence that names what was tested speaks of that run only.
      const named = runs.filter(({ command }) => selectorsOf(command).some(each => namesPath(text, each)))
      const [one = test] = (named.length > 0 ? named : runs).filter(run => !run.passed)
      const isSo = named.length > 0 && named.every(run => run.passed) ? named[0] : one
      return isSo === undefined || isSo.passed === passed
        ? undefined
        : `the last run of \`${isSo.command.slice(0, 100)}\` ${isSo.passed ? 'passed' : 'failed'}`
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
    const push = transcript && lastRun(transcript.outcomes, PUSH)
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
    const told = [...this.#words.user, this.#words.earlier].some(text => form.test(text))
    return told ? undefined : `no command of this session shows a ${action}`
  }

  #checkState(fact: StateFact, text: string): string | undefined {
    const reason = reasonAgainstState(fact, this.#evidence, this.#words.environment)
    // A variable may also be set in a way that Baton does not read as one.
    return fact.of === 'variable' && reason === NOTHING_SHOWS && this.#words.shown.support(text, 'user')
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
    const { todos = [] } = this.#evidence.transcript ?? {}
    // The same words in another order are the same work, unless a finished todo has them, too.
    const isWork = (isDone: boolean) =>
      todos.some(todo => todo.done === isDone && isSameWork(text, todo.text))
    return (
      this.#openTodos().some(open => said === open || (open.length >= 12 && said.includes(open))) ||
      (isWork(false) && !isWork(true))
    )
  }

  #isMentioned(needle: string): boolean {
    const { mentioned } = this.#evidence.transcript ?? {}
    return (
      mentioned?.has(needle) === true ||
      hasWord(this.#words.earlier, needle) ||
      this.#words.user.some(text => hasWord(text, needle))
    )
  }
}
