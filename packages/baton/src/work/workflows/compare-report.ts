import { HandoffDocument } from '@batonpass/contract/handoff'
import type { CheckResult, Proof } from '@batonpass/contract/proof'
import type { Evidence } from '../../handoff/evidence.ts'
import { findRun, isSameCommand, isSamePath } from '../../handoff/same.ts'
import { type Lookups, lookupsOf } from '../../handoff/statements/lookups.ts'
import { type Check, readStatements, type Statement } from '../../handoff/statements/read-statements.ts'
import type { Checkouts } from '../../ports/checkouts.ts'
import { type Forge, ForgeError } from '../../ports/forge.ts'
import { withoutEvidence } from '../../proof/evidence-block.ts'
import type { CompareReport, Report } from '../../proof/report.ts'
import type { ReadTest } from '../../session/transcript/collect-facts.ts'

export interface ReportPorts {
  checkouts: Pick<Checkouts, 'tree' | 'changes'>
  forgeFor(project: string): Promise<Forge | undefined>
  readTest: ReadTest
  gather(report: Report, lookups: Lookups): Promise<Evidence>
}

const MAX_FOUND = 10
const MAX_TEXT = 60_000
const MAX_ISSUES = 5

/** Compares the last message and the text of the pull request with the transcript, git, the forge and the results of a proof. */
export const compareReport =
  (ports: ReportPorts): CompareReport =>
  async (report, proof) => {
    const { project, said, pullRequest, pullRequestText } = report
    const forge = await ports.forgeFor(project).catch(() => undefined)
    const body = pullRequest && (await forge?.pullRequestText(pullRequest).catch(() => undefined))
    const texts = [
      { source: 'The pull request', text: body || pullRequestText || '' },
      { source: 'The last message', text: said ?? '' },
    ]
    const found: string[] = []
    for (const { source, text } of texts) {
      const document = documentOf(text)
      const [evidence, paths, changes] = await Promise.all([
        ports.gather(report, lookupsOf(document)),
        ports.checkouts.tree(project, proof.commit).paths(),
        ports.checkouts.changes(project, proof.base, proof.commit),
      ])
      const known = [...paths, ...changes.map(({ path }) => path)]
      for (const statement of readStatements(document)) {
        const why = contradictionOf(statement, { evidence, proof, known, readTest: ports.readTest })
        if (why !== undefined) found.push(sentence(source, statement.line.text, why))
      }
      for (const { number, line } of await missingIssues(fixedIn(text), report, forge))
        found.push(sentence(source, line, `there is no issue #${number} in this repository`))
    }
    return [...new Set(found)].slice(0, MAX_FOUND)
  }

interface ReportFacts {
  evidence: Evidence
  proof: Pick<Proof, 'commit' | 'checks' | 'results'>
  /** The files of the commit, and those that the work changed or removed. */
  known: readonly string[]
  readTest: ReadTest
}

/** Why a statement is certainly wrong. What the evidence only does not show is not a contradiction. */
function contradictionOf({ line, stated }: Statement, facts: ReportFacts): string | undefined {
  const { evidence } = facts
  switch (stated.about) {
    case 'check':
      return stated.passed ? whyNotPassed(stated.check, facts) : undefined
    case 'command': {
      // A sentence that also speaks of a failure may say when it failed.
      if (!stated.succeeded || /fail|broke|error/i.test(line.text)) return undefined
      const proven = resultOf(facts.proof, command => isSameCommand(stated.command, command))
      if (proven) return failure(proven)
      const ran = evidence.transcript && findRun(stated.command, evidence.transcript.outcomes)
      return ran?.failed ? `the last run of \`${ran.command.slice(0, 100)}\` failed` : undefined
    }
    case 'clean': {
      const [first, ...more] = uncommitted(facts)
      if (first === undefined) return undefined
      return more.length === 0
        ? `\`${first}\` is not committed`
        : `${more.length + 1} files are not committed, such as \`${first}\``
    }
    case 'path':
      return stated.as === 'changed' && !stated.folder
        ? whyNotThere(stated.path, line.text, facts)
        : undefined
    default:
      return undefined
  }
}

/** How Baton's own checks ended counts before the session's runs, which may be older. */
function whyNotPassed(check: Check, { evidence, proof, readTest }: ReportFacts): string | undefined {
  const fits = (command: string) =>
    check === 'tests' ? readTest(command, false, '') !== undefined : COMMANDS[check]?.test(command) === true
  const proven = resultOf(proof, fits)
  if (proven) return failure(proven)
  const test = check === 'tests' ? evidence.transcript?.test : undefined
  return test && !test.passed ? `the last run of \`${test.command.slice(0, 100)}\` failed` : undefined
}

const COMMANDS: Partial<Record<Check, RegExp>> = {
  build: /\b(?:npm|pnpm|yarn|bun|cargo|go|make)\s+(?:run\s+)?build\b/,
  lint: /\b(?:lint|eslint|ruff|flake8|clippy|golangci-lint|rubocop)\b/,
  types: /\b(?:typecheck|type-check|check-types|tsc|mypy|pyright)\b/,
}

/** The worst result of the checks that run such a command. */
function resultOf(
  { checks, results }: Pick<Proof, 'checks' | 'results'>,
  fits: (command: string) => boolean,
): CheckResult | undefined {
  const names = checks.flatMap(check => (check.kind === 'run' && fits(check.command) ? check.name : []))
  const ended = results.filter(({ name, status }) => names.includes(name) && status !== 'not-run')
  return ended.find(({ status }) => status === 'failed' || status === 'timed-out') ?? ended[0]
}

const failure = ({ name, status, why }: CheckResult): string | undefined =>
  status === 'failed' || status === 'timed-out' ? `\`${name}\` ${why ?? status}` : undefined

/** Words that say that the file is what the work deals with, not what it adds. */
const ABOUT =
  /\b(?:for|supports?|like|such as|reads?|reading|parses?|parsing|loads?|loading|handles?|handling|detects?|when|if|from|named|examples?|e\.g|instead|ignores?)\b/i
const ADDS = /\b(?:add(?:ed|s)?|create[ds]?|wrote|written|implement(?:ed|s)?|introduce[ds]?)\b/i

function whyNotThere(path: string, text: string, facts: ReportFacts): string | undefined {
  const { evidence, known } = facts
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (!path.includes('/') || known.some(one => one === name || one.endsWith(`/${name}`))) return undefined
  const at = text.indexOf(path)
  const verb = ADDS.exec(text.slice(0, Math.max(0, at)))
  if (!verb || ABOUT.test(text.slice(verb.index, at))) return undefined
  if (uncommitted(facts).some(one => isSamePath(path, one))) return `\`${path}\` is not committed`
  return evidence.present.get(path) === false ? `there is no file \`${path}\`` : undefined
}

/** Of no use if the work has moved to another commit since. */
const uncommitted = ({ evidence: { git }, proof }: ReportFacts): readonly string[] =>
  git?.head === proof.commit ? git.dirty : []

/** Prose that reports: without code, quotes, open boxes and Baton's own block. */
const proseOf = (text: string): string =>
  withoutEvidence(text.slice(0, MAX_TEXT))
    .replaceAll(/<!--[\s\S]*?-->/g, ' ')
    .replaceAll(/^(?<fence>```+|~~~+)[^\n]*\n[\s\S]*?^\k<fence>[^\n]*$/gm, ' ')
    .split('\n')
    .filter(line => !/^\s*(?:>|(?:[-*+]|\d+[.)])\s+\[ \])/.test(line))
    .join('\n')

const documentOf = (text: string): HandoffDocument => HandoffDocument.parse({ notes: [proseOf(text)] })

const FIXED = /\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\s+#(\d{1,9})\b/gi

/** Issues that the text says are done, with the line. */
const fixedIn = (text: string): { number: number; line: string }[] =>
  proseOf(text)
    .split('\n')
    .flatMap(line => [...line.matchAll(FIXED)].map(found => ({ number: Number(found[1]), line })))
    .slice(0, MAX_ISSUES)

/** Those that do not exist. A login that cannot read issues gets the same answer, so the run's own issue is asked for first. */
async function missingIssues(
  named: readonly { number: number; line: string }[],
  { issue }: Report,
  forge: Forge | undefined,
): Promise<{ number: number; line: string }[]> {
  const others = named.filter(({ number }) => number !== issue)
  if (!forge || issue === undefined || others.length === 0) return []
  if (await isMissing(forge.issue(issue))) return []
  const missing: { number: number; line: string }[] = []
  for (const each of others)
    if ((await isMissing(forge.issue(each.number))) && (await isMissing(forge.pullRequest(each.number))))
      missing.push(each)
  return missing
}

/** Whether the forge says that it does not exist. Not if the forge does not answer. */
const isMissing = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => false,
    cause => cause instanceof ForgeError && cause.trouble === 'not-found',
  )

function sentence(source: string, line: string, why: string): string {
  const said = line.replaceAll(/\s+/g, ' ').trim()
  return `${source} says "${said.length > 160 ? `${said.slice(0, 159)}…` : said}", but ${why}`
}
