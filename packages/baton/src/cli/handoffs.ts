import { join, resolve } from 'node:path'
import { EntryList, SessionList } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import { Session } from '@batonpass/contract/session'
import { newestTranscript, transcriptOf } from '../adapters/agents/claude-code/transcript-places.ts'
import { readerFor } from '../adapters/agents/readers.ts'
import { systemGit } from '../adapters/git/git.ts'
import { systemFiles } from '../adapters/system/files.ts'
import { systemFolders } from '../adapters/system/folders.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { loadConfig } from '../config/load.ts'
import { batonHome, stateDir } from '../config/places.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { type Evidence, gatherEvidence } from '../handoff/evidence.ts'
import { HandoffFiles } from '../handoff/handoff-files.ts'
import { type UserAnswer, userAnswers } from '../handoff/journal-answers.ts'
import type { Lookups } from '../handoff/statements/lookups.ts'
import { makeRedactor } from '../journal/redact.ts'
import { readTest } from '../session/transcript/test-runs.ts'
import { WorkItems } from '../work/stages/work-items.ts'
import { currentStageText } from '../work/stages/work-status.ts'
import { StateFiles } from '../work/workflows/state-files.ts'
import { callDaemon, folderOf } from './daemon.ts'
import type { Io } from './io.ts'

/** What a handoff is about: a session's transcript, and the project it worked in. */
export interface HandoffSubject {
  transcript: string
  root: string
  session: Session | undefined
}

export const isTest = (command: string): boolean => readTest(command, false, '') !== undefined

/** The documents of projects, as a command reads and writes them. */
export async function handoffFiles(io: Io): Promise<HandoffFiles> {
  const places = {
    project: findWorktreeRoot(io.cwd),
    env: io.env,
    home: io.home,
    stateDir: stateDir(io.env, io.home),
  }
  const { config } = await loadConfig(places, { files: systemFiles })
  const named = ['GITHUB_TOKEN', 'GH_TOKEN', 'ANTHROPIC_API_KEY'].map(name => io.env[name])
  const secrets = [config.telegram.token, config.store.url, ...named].filter(secret => secret !== undefined)
  return new HandoffFiles(
    systemSmallFiles,
    systemGit,
    makeRedactor(() => secrets),
  )
}

/** Finds the session: the one named, the one this command runs in, or the newest of this project. A dead one will do. */
export async function findSubject(
  io: Io,
  wanted: { session?: string | undefined; transcript?: string | undefined },
): Promise<HandoffSubject> {
  if (wanted.transcript !== undefined) return fromTranscript(io, resolve(io.cwd, wanted.transcript))
  const claude = io.env.CLAUDE_CONFIG_DIR ?? join(io.home, '.claude')
  const told = wanted.session ?? io.env.CLAUDE_CODE_SESSION_ID
  if (told) {
    const session = await known(io, told)
    const transcript = session?.transcript ?? (await transcriptOf(claude, session?.nativeSession ?? told))
    if (transcript === undefined) throw noSession(`No transcript of session ${told} is known`)
    return session ? ofSession(session, transcript, io) : fromTranscript(io, transcript)
  }
  const root = findWorktreeRoot(io.cwd)
  const session = await newest(io, root)
  if (session?.transcript) return ofSession(session, session.transcript, io)
  const transcript = (await newestTranscript(claude, io.cwd)) ?? (await newestTranscript(claude, root))
  if (transcript === undefined) throw noSession('Baton knows no session of this project')
  return { ...(await fromTranscript(io, transcript)), root }
}

/** What the session's transcript, git and the workflow's own files show. */
export async function evidenceFor(io: Io, subject: HandoffSubject, lookups?: Lookups): Promise<Evidence> {
  const { transcript: path, root, session } = subject
  const reader = await readerFor(path).catch(() => undefined)
  if (!reader)
    throw new BatonError('not_found', `${path} is not a transcript that Baton can read`, {
      remedy: 'docs/agents.md lists the agents whose transcripts Baton can read.',
    })
  const native = session?.nativeSession
  const files = new StateFiles(systemSmallFiles, batonHome(io.env, io.home))
  const found = native === undefined ? undefined : await files.read(files.rootFor(root), native)
  const state = found?.kind === 'state' ? found.state : undefined
  const evidence = await gatherEvidence(
    { git: systemGit, files: systemFiles, readTest },
    {
      root,
      session: native,
      transcript: { path, reader },
      issue: state?.issue_no,
      pr: state?.pr_number,
      ...(await workIn(root)),
      lookups,
      answers: session ? await answersTo(io, session.id) : [],
    },
  )
  if ((evidence.transcript?.messages ?? 0) < 2)
    throw new BatonError('nothing_to_hand_off', 'Nothing to hand off (no messages yet)', {
      remedy: 'Start the work first; a handoff needs at least a prompt and a reply.',
    })
  return evidence
}

/** What the user answered the session through Baton; nothing if no daemon runs. */
async function answersTo(io: Io, session: string): Promise<UserAnswer[]> {
  const query = new URLSearchParams({ session, kind: 'ask', order: 'desc', limit: '1000' })
  const answer = await asked(() => callDaemon(folderOf(io), 'GET', `/api/journal?${query}`))
  return userAnswers(EntryList.safeParse(answer).data?.entries.toReversed() ?? [])
}

/** What a work item in the folder says about the work. */
export async function workIn(root: string): Promise<{ stage?: string }> {
  const items = new WorkItems(systemSmallFiles, systemFolders)
  const stage = await currentStageText(items, systemGit, root).catch(() => undefined)
  return stage === undefined ? {} : { stage }
}

async function fromTranscript(io: Io, transcript: string): Promise<HandoffSubject> {
  const reader = await readerFor(transcript).catch(() => undefined)
  let cwd: string | undefined
  for await (const told of reader?.read(transcript) ?? []) {
    cwd = told.flatMap(each => (each.kind === 'about' ? (each.cwd ?? []) : [])).findLast(Boolean)
    break
  }
  const there = cwd !== undefined && (await systemFiles.facts(cwd).catch(() => undefined)) !== undefined
  return { transcript, root: findWorktreeRoot(there && cwd ? cwd : io.cwd), session: undefined }
}

const ofSession = (session: Session, transcript: string, io: Io): HandoffSubject => ({
  transcript,
  session,
  root: session.project ?? findWorktreeRoot(session.cwd ?? io.cwd),
})

async function known(io: Io, id: string): Promise<Session | undefined> {
  const answer = await asked(() => callDaemon(folderOf(io), 'GET', `/api/sessions/${encodeURIComponent(id)}`))
  return Session.safeParse(answer).data
}

async function newest(io: Io, root: string): Promise<Session | undefined> {
  const answer = await asked(() => callDaemon(folderOf(io), 'GET', '/api/sessions?limit=1000'))
  const sessions = SessionList.safeParse(answer).data?.sessions ?? []
  return sessions
    .filter(session => session.project === root && session.transcript !== undefined)
    .sort((a, b) => (a.lastSeenAt < b.lastSeenAt ? 1 : -1))[0]
}

/** A dead session is handed off without a daemon, too. */
async function asked(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof BatonError && ['daemon_absent', 'not_found', 'timed_out'].includes(cause.code))
      return undefined
    throw cause
  }
}

const noSession = (message: string) =>
  new BatonError('not_found', message, {
    remedy: 'See `baton status --all`, or name the file: baton handoff --transcript FILE',
  })
