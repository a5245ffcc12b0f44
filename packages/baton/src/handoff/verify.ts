import type { HandoffDocument, HandoffFinding } from '@batonpass/contract/handoff'
import type { ReadTest } from '../session/transcript/collect-facts.ts'
import type { ReadHandoff } from './document/parse.ts'
import { type Evidence, isBatonFile, touchedFiles } from './evidence.ts'
import { findRun, isListed, isSameCommand, isSamePath, normalizeText, statusPath } from './same.ts'
import { type TickedItem, tickedItems } from './ticked-items.ts'

type Code = HandoffFinding['code']

/**
 * Finds what a document must be sent back for: front matter and ticked boxes that the evidence contradicts. What the evidence
 * only does not show is marked instead (see `statements/`). Without evidence there is no finding.
 */
export function verifyHandoff(
  document: HandoffDocument,
  evidence: Evidence,
  isTest: (command: string) => boolean,
): HandoffFinding[] {
  const findings: HandoffFinding[] = []
  const wrong = (code: Code, where: string, message: string) =>
    void findings.push({ code, weight: 'wrong', where, message })
  checkProject(document, evidence, findings)
  checkGit(document, evidence, wrong)
  checkTests(document, evidence, wrong)
  checkWork(document, evidence, wrong)
  for (const claim of tickedItems(document)) checkTickedItem(claim, evidence, isTest, wrong)
  return findings
}

type Wrong = (code: Code, where: string, message: string) => void

function checkProject(
  { facts, project }: HandoffDocument,
  evidence: Evidence,
  findings: HandoffFinding[],
): void {
  const { root, names, git, session } = evidence
  const here = facts.root === undefined || facts.root === root || facts.root === git?.root
  const named = project === '' || names.some(name => normalizeText(name) === normalizeText(project))
  if (!here)
    findings.push({
      code: 'other-project',
      weight: 'wrong',
      where: 'root',
      message: `It is about ${facts.root}; this project is ${root}`,
    })
  else if (!named)
    findings.push({
      code: 'other-project',
      weight: facts.root === undefined ? 'wrong' : 'minor',
      where: 'Project',
      message: `It names the project \`${project.slice(0, 80)}\`; this one is \`${names[0] ?? root}\``,
    })
  if (facts.session !== undefined && session !== undefined && facts.session !== session)
    findings.push({
      code: 'other-session',
      weight: 'wrong',
      where: 'session',
      message: `It is about session ${facts.session.slice(0, 80)}, not ${session}`,
    })
}

function checkGit({ facts }: HandoffDocument, evidence: Evidence, wrong: Wrong): void {
  const { git } = evidence
  if (!git) return
  if (
    facts.branch !== undefined &&
    !sameBranch(facts.branch, git.branch ?? 'HEAD') &&
    !sameBranch(facts.branch, git.rebased ?? 'HEAD')
  )
    wrong(
      'wrong-fact',
      'branch',
      `Says branch \`${facts.branch}\`; it is ${git.branch ? `\`${git.branch}\`` : 'detached'}`,
    )
  if (facts.head !== undefined && !sameCommit(facts.head, git.head))
    wrong(
      'wrong-fact',
      'head',
      `Says HEAD is ${facts.head.slice(0, 12)}; ${git.head ? `it is ${git.head.slice(0, 12)}` : 'there is no commit yet'}`,
    )
  for (const side of ['ahead', 'behind'] as const) {
    const [said, is] = [facts[side], git[side]]
    if (said !== undefined && is !== undefined && said !== is)
      wrong('wrong-fact', side, `Says ${said} commits ${side}; it is ${is}`)
  }
  if (facts.dirty) {
    // A list copied from `git status` has letters before the paths, and names a new folder instead of its files.
    const listed = facts.dirty.map(line => (git.dirty.includes(line) ? line : statusPath(line)))
    const left = git.dirty.filter(path => !listed.some(said => isListed(said, path)))
    const extra = listed.filter(
      said =>
        !isBatonFile(said) && ![...git.dirty, ...(git.submodules ?? [])].some(path => isListed(said, path)),
    )
    if (left.length > 0)
      wrong(
        'wrong-fact',
        'dirty',
        facts.dirty.length === 0
          ? `Says nothing is uncommitted; ${listInBackticks(left)} ${left.length === 1 ? 'is' : 'are'}`
          : `Leaves out uncommitted ${listInBackticks(left)}`,
      )
    if (extra.length > 0)
      wrong('wrong-fact', 'dirty', `Says uncommitted: ${listInBackticks(extra)}; git says otherwise`)
  }
}

function checkTests({ facts }: HandoffDocument, { transcript }: Evidence, wrong: Wrong): void {
  const said = facts.tests
  if (!said || !transcript) return
  const last = transcript.test
  if (!last) {
    // A run whose result Baton cannot read may have ended as the document says.
    if (!findRun(said.command, transcript.outcomes))
      wrong('never-ran', 'tests', `Says \`${said.command}\` ${said.result}; no test was run in this session`)
    return
  }
  const claims = said.result === 'passed' ? 'tests pass' : 'tests fail'
  if ((said.result === 'passed') !== last.passed)
    wrong(
      'wrong-test',
      'tests',
      `Says ${claims}; the last run of \`${last.command}\` ${last.passed ? 'passed' : 'failed'}${atTime(last.at)}`,
    )
  else if (!isSameCommand(said.command, last.command) && !findRun(said.command, transcript.outcomes))
    wrong(
      'never-ran',
      'tests',
      `Says \`${said.command}\` was run; the last test run was \`${last.command}\`${atTime(last.at)}`,
    )
  else if (said.failing !== undefined && last.failing !== undefined && said.failing !== last.failing)
    wrong(
      'wrong-test',
      'tests',
      `Says ${said.failing} tests fail; ${last.failing} did in the last run${atTime(last.at)}`,
    )
}

function checkWork({ facts }: HandoffDocument, evidence: Evidence, wrong: Wrong): void {
  const { transcript, git } = evidence
  // The stage is not compared: files show the last finished stage, but people name the current one.
  for (const key of ['issue', 'pr'] as const) {
    const [said, is] = [facts[key], evidence[key]]
    if (said !== undefined && is !== undefined && said !== is)
      wrong('wrong-fact', key, `Says ${key} ${String(said).slice(0, 80)}; it is ${is}`)
  }
  if (facts.touched && transcript) {
    const known = [...touchedFiles(evidence), ...(git?.dirty ?? [])]
    const extra = facts.touched.filter(
      said => !known.some(path => isSamePath(said, path) || isListed(said, path)),
    )
    if (extra.length > 0)
      wrong('wrong-fact', 'touched', `Says it changed ${listInBackticks(extra)}; nothing shows that`)
  }
  if (!transcript) return
  const never = (facts.commands ?? []).filter(command => !findRun(command, transcript.outcomes))
  if (never.length > 0)
    wrong('never-ran', 'commands', `Says it ran ${listInBackticks(never)}; that was not run in this session`)
  if (!facts.todos) return
  const open = transcript.todos.flatMap(todo => (todo.done ? [] : todo.text))
  const unnamed = open.filter(text => !facts.todos?.some(said => normalizeText(said) === normalizeText(text)))
  if (unnamed.length > 0)
    wrong('todo-unnamed', 'todos', `Leaves out what is still to do: ${listInBackticks(unnamed)}`)
  const done = facts.todos.filter(said =>
    transcript.todos.some(todo => todo.done && normalizeText(todo.text) === normalizeText(said)),
  )
  if (done.length > 0)
    wrong('wrong-fact', 'todos', `Says ${listInBackticks(done)} is still to do; it is done`)
}

function checkTickedItem(
  { box, named, path }: TickedItem,
  evidence: Evidence,
  isTest: (command: string) => boolean,
  wrong: Wrong,
): void {
  const { transcript, git } = evidence
  const changed =
    path !== undefined &&
    [...touchedFiles(evidence), ...(git?.dirty ?? [])].some(one => isSamePath(path, one))
  if (path !== undefined && evidence.present.get(path) === false && !changed)
    wrong('file-absent', 'completed', `Ticked: "${box}"; there is no file \`${path}\``)
  if (path !== undefined || !transcript) return
  const ran = findRun(named, transcript.outcomes)
  if (ran?.failed)
    wrong(
      'command-failed',
      'completed',
      `Ticked: "${box}"; the last run of \`${named}\` failed${atTime(ran.at)}`,
    )
  else if (!ran && isTest(named))
    wrong('never-ran', 'completed', `Ticked: "${box}"; \`${named}\` was not run in this session`)
}

/** A commit may be followed by its subject, as `git log --oneline` prints it. */
function sameCommit(said: string, is: string): boolean {
  const [, id] = /^`?([0-9a-f]{4,40})`?(?:\s|$)/i.exec(said) ?? []
  return is !== '' && id !== undefined && is.startsWith(id.toLowerCase())
}

const sameBranch = (said: string, is: string): boolean =>
  said === is ||
  said
    .replaceAll('`', '')
    .replace(/^refs\/heads\//, '')
    .replace(/\s+\(.*\)$/, '') === is

function listInBackticks(items: readonly string[]): string {
  const shown = items.slice(0, 5).map(item => `\`${item.slice(0, 120)}\``)
  return shown.join(', ') + (items.length > shown.length ? ` and ${items.length - shown.length} more` : '')
}

function atTime(at: number | undefined): string {
  if (at === undefined) return ''
  const time = new Date(at)
  const two = (n: number) => String(n).padStart(2, '0')
  return ` at ${two(time.getHours())}:${two(time.getMinutes())}`
}

/** The findings, in form and against the evidence, that must be corrected before the document may be used. */
export function documentErrors(
  written: ReadHandoff,
  evidence: Evidence,
  readTest: ReadTest,
): HandoffFinding[] {
  const isTest = (command: string) => readTest(command, false, '') !== undefined
  const all = [...written.findings, ...verifyHandoff(written.document, evidence, isTest)]
  return all.filter(({ weight }) => weight === 'wrong')
}
