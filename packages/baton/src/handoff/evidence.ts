import { basename, isAbsolute, join, relative } from 'node:path'
import type { AgentName } from '@batonpass/contract/event'
import type { HandoffFacts } from '@batonpass/contract/handoff'
import type { Files } from '../ports/files.ts'
import type { CommitFacts, Git, GitPosition, LookedUp, WorktreePosition } from '../ports/git.ts'
import { repositoryOf } from '../ports/remote.ts'
import type { TranscriptReader } from '../ports/transcript.ts'
import { collectFacts, type ReadTest, type TranscriptFacts } from '../session/transcript/collect-facts.ts'
import type { UserAnswer } from './journal-answers.ts'
import type { Lookups } from './statements/lookups.ts'

/** What git, the transcript and Baton's own files show. Handoff documents are checked against it. */
export interface Evidence {
  root: string
  /** Names of the project that a document may use; the first is preferred. */
  names: string[]
  agent: AgentName | undefined
  session: string | undefined
  git: WorktreePosition | undefined
  /** Commits made while the session ran. */
  commits: CommitFacts[]
  transcript: TranscriptFacts | undefined
  /** Prompts of the session from Baton's journal, for a session without a readable transcript. */
  prompts?: readonly string[] | undefined
  contextTokens: number | undefined
  issue: number | undefined
  pr: number | undefined
  stage: string | undefined
  /** Whether each file the document names exists, by its path from the root. */
  present: ReadonlyMap<string, boolean>
  /** Which of the commits that the document names exist, and all branches and tags. */
  lookedUp?: LookedUp | undefined
}

export interface EvidencePorts {
  git: GitPosition & Pick<Git, 'remoteUrl'>
  files: Pick<Files, 'facts'>
  readTest: ReadTest
}

export interface Subject {
  root: string
  agent?: AgentName | undefined
  session?: string | undefined
  transcript?: { path: string; reader: TranscriptReader } | undefined
  issue?: number | undefined
  pr?: number | undefined
  stage?: string | undefined
  prompts?: readonly string[] | undefined
  /** What the user answered through Baton's channels, oldest first. */
  answers?: readonly UserAnswer[] | undefined
  /** What a document names and the evidence may show. */
  lookups?: Lookups | undefined
}

/** A commit may be slightly later than the transcript's last line; one that is much later belongs to someone else. */
const COMMIT_GRACE_MS = 60_000

export async function gatherEvidence(ports: EvidencePorts, subject: Subject): Promise<Evidence> {
  const { root, transcript, lookups } = subject
  const [git, remote, seen, contextTokens, present, lookedUp] = await Promise.all([
    ports.git.readPosition(root),
    ports.git.remoteUrl(root),
    transcript &&
      collectFacts(transcript.reader.read(transcript.path), ports.readTest, lookups, subject.answers),
    transcript?.reader.contextSize(transcript.path),
    Promise.all((lookups?.paths ?? []).map(path => presence(ports.files, root, path))),
    lookups && ports.git.lookUp(root, lookups.commits),
  ])
  const repository = remote === undefined ? undefined : repositoryOf(remote)?.name
  const { startedAt, lastAt } = seen ?? {}
  const commits =
    git && startedAt !== undefined && lastAt !== undefined
      ? await ports.git.commitsBetween(root, startedAt, lastAt + COMMIT_GRACE_MS)
      : []
  return {
    root,
    names: [...new Set([repository, basename(root)].filter(name => name !== undefined))],
    agent: transcript?.reader.agent ?? subject.agent,
    session: seen?.session ?? subject.session,
    git,
    commits,
    transcript: seen,
    ...(seen
      ? {}
      : { prompts: [...(subject.prompts ?? []), ...(subject.answers ?? []).map(({ text }) => text)] }),
    contextTokens,
    issue: subject.issue ?? issueOfBranch(git?.branch),
    pr: subject.pr ?? pullRequestNumber(seen?.pullRequest),
    stage: subject.stage,
    present: new Map(present.flat()),
    ...(lookedUp ? { lookedUp } : {}),
  }
}

/** Returns no answer for a file that Baton may not read. */
async function presence(
  files: Pick<Files, 'facts'>,
  root: string,
  path: string,
): Promise<[string, boolean][]> {
  try {
    return [[path, (await files.facts(join(root, path))) !== undefined]]
  } catch {
    return []
  }
}

const MAX_LISTED = 200

/** The evidence as front-matter facts. */
export function evidenceFacts(evidence: Evidence): Partial<HandoffFacts> {
  const { git, transcript, contextTokens } = evidence
  const facts: { [K in keyof HandoffFacts]: HandoffFacts[K] | undefined } = {
    baton: 1,
    written_by: undefined,
    agent: evidence.agent,
    session: evidence.session,
    context_tokens: contextTokens,
    root: evidence.root,
    branch: git?.branch,
    head: git?.head || undefined,
    ahead: git?.ahead,
    behind: git?.behind,
    dirty: git?.dirty.slice(0, MAX_LISTED),
    touched: touchedFiles(evidence).slice(0, MAX_LISTED),
    commands: transcript && [...new Set(transcript.commands.map(ran => ran.command))].slice(-30),
    tests: transcript?.test && {
      command: transcript.test.command,
      result: transcript.test.passed ? 'passed' : 'failed',
      ...(transcript.test.failing === undefined ? {} : { failing: transcript.test.failing }),
      ...(transcript.test.at === undefined ? {} : { at: new Date(transcript.test.at).toISOString() }),
    },
    todos: transcript?.todos.flatMap(todo => (todo.done ? [] : todo.text)).slice(0, MAX_LISTED),
    instructions: transcript?.instructions ?? evidence.prompts?.slice(),
    issue: evidence.issue,
    pr: evidence.pr,
    stage: evidence.stage,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/** Files the session changed, relative to the root: those its tools wrote and those in its commits. */
export function touchedFiles({ root, git, transcript, commits }: Evidence): string[] {
  const roots = [...new Set([root, git?.root ?? root])]
  const written = (transcript?.written ?? []).flatMap(path => {
    const whole = isAbsolute(path) ? path : join(transcript?.cwd ?? root, path)
    return roots.map(from => relative(from, whole)).find(isInside) ?? []
  })
  return [...new Set([...written, ...commits.flatMap(commit => commit.files)])].filter(
    path => !isBatonFile(path),
  )
}

const isInside = (path: string): boolean => path !== '' && !path.startsWith('..') && !isAbsolute(path)

/** Whether the file is Baton's own: such files do not count as the agent's work. */
export const isBatonFile = (path: string): boolean => /^(?:\.\/)?\.(?:tmp|baton|bmad)(?:\/|$)/.test(path)

/** `issue-42`, `feature/issue-42-tokens`: how the seed's workflows name their branches. */
const issueOfBranch = (branch: string | undefined): number | undefined =>
  Number(/(?:^|\/)issue[-_/](\d{1,9})(?:$|[-_/])/.exec(branch ?? '')?.[1]) || undefined

const pullRequestNumber = (url: string | undefined): number | undefined =>
  Number(/\/pull\/(\d{1,9})$/.exec(url ?? '')?.[1]) || undefined
