import { EntryList, SessionList } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import { shortSessionId } from '@batonpass/contract/session-name'
import { findWorktreeRoot } from '../../config/project.ts'
import { handoffContext } from '../../handoff/context-form.ts'
import { HANDOFFS_FOLDER } from '../../handoff/document-name.ts'
import type { HandoffFiles } from '../../handoff/handoff-files.ts'
import { ledgerOfDocument } from '../../handoff/ledger.ts'
import { pickDocument, recallSection } from '../../handoff/recall.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { counted } from '../counted.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { diffOf } from '../diff.ts'
import { handoffFiles } from '../handoffs.ts'
import { type Io, paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

/** The handoff documents of this project: a list with their lineage, one of them, or what changed between two. */
export const handoffs: Handler = async (given, io) => {
  const [what, ...names] = given.positionals
  if (what === 'facts') return (await import('./handoff-facts.ts')).handoffFacts(given, io)
  if (what !== undefined && what !== 'show' && what !== 'diff')
    throw new BatonError('usage', `WHAT must be show, diff or facts, not '${what}'`, {
      remedy: 'See `baton handoff --help`.',
    })
  const root = findWorktreeRoot(io.cwd)
  const files = await handoffFiles(io)
  if (what === 'show') return show(given, io, files, root, names[0])
  if (what === 'diff') return diff(io, files, root, names)
  const received = await receivers(io, root)
  const named = await sessionNames(io)
  const list = (await rows(files, root)).map(row => ({ ...row, receivedBy: received.get(row.name) ?? [] }))
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ project: root, handoffs: list })}\n`)
    return EXIT.ok
  }
  if (list.length === 0)
    io.stdout.write('No handoff documents in this project yet. Write one: baton handoff\n')
  fitted(io)(handoffLines(list, named, io))
  return EXIT.ok
}

type HandoffRow = Awaited<ReturnType<typeof rows>>[number] & { receivedBy: readonly Receiver[] }

/** A document with its lineage, its task below. */
export function handoffLines(
  list: readonly HandoffRow[],
  names: ReadonlyMap<string, string>,
  io: Io,
): string {
  const colour = paint(io)
  const labelOf = (session: string) =>
    printable([shortSessionId(session), names.get(session)].filter(Boolean).join(' '))
  return list
    .flatMap(row => {
      const from = row.session ? `session ${labelOf(row.session)}` : 'an unnamed session'
      const after = row.parent ? `, which started with ${printable(row.parent)}` : ''
      const state =
        row.findings > 0
          ? colour('red', counted(row.findings, 'finding'))
          : row.verified
            ? 'verified'
            : 'not verified'
      const by =
        row.writtenBy === 'baton' ? 'written by Baton from evidence' : `written by the agent, ${state}`
      return [
        `${row.name}  ${colour('dim', `${from}${after}; ${by}`)}\n  ${printable(row.task)}\n`,
        ...row.receivedBy.map(
          ({ agent, session }) => `  ${colour('dim', `received by ${agent} ${labelOf(session)}`)}\n`,
        ),
      ]
    })
    .join('')
}

/** What people call the sessions, by the agents' own ids. */
async function sessionNames(io: Io): Promise<ReadonlyMap<string, string>> {
  const answer = await callDaemon(folderOf(io), 'GET', '/api/sessions?limit=5000').catch(() => undefined)
  const { sessions = [] } = SessionList.safeParse(answer).data ?? {}
  return new Map(sessions.flatMap(({ nativeSession, name }) => (name ? [[nativeSession, name]] : [])))
}

interface Receiver {
  agent: string
  session: string
}

/** Which sessions began with which document, as far as the journal knows. */
async function receivers(io: Io, root: string): Promise<ReadonlyMap<string, Receiver[]>> {
  const found = new Map<string, Receiver[]>()
  const query = new URLSearchParams({ kind: 'handoff', project: root, limit: '5000', order: 'desc' })
  const answer = await callDaemon(folderOf(io), 'GET', `/api/journal?${query}`).catch(() => undefined)
  for (const { body, agent, nativeSession } of EntryList.safeParse(answer).data?.entries ?? []) {
    if (body.kind !== 'handoff' || body.what !== 'received' || !body.document || !agent || !nativeSession)
      continue
    found.set(body.document, [{ agent, session: nativeSession }, ...(found.get(body.document) ?? [])])
  }
  return found
}

async function rows(files: HandoffFiles, root: string) {
  const names = await files.list(root)
  return Promise.all(
    names.map(async name => {
      const { facts, work } = (await files.read(root, name)).document
      return {
        name,
        createdAt: facts.created_at,
        agent: facts.agent,
        session: facts.session,
        parent: facts.parent,
        writtenBy: facts.written_by,
        verified: facts.verified_at !== undefined,
        findings: facts.findings?.length ?? 0,
        task: work.task || work.epic,
      }
    }),
  )
}

async function show(
  given: Given,
  io: Io,
  files: HandoffFiles,
  root: string,
  wanted: string | undefined,
): Promise<number> {
  const section = text(given, 'section')
  if (section !== undefined) {
    io.stdout.write(printable(await recallSection(files, root, { section, name: wanted })))
    return EXIT.ok
  }
  const name = await pickDocument(files, root, wanted, 0)
  const whole = await files.text(root, name)
  const { document, findings } = await files.read(root, name)
  const ledger = (await files.ledger(root, name)) ?? ledgerOfDocument(document)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ name, document, findings, ledger })}\n`)
  else if (flag(given, 'context'))
    io.stdout.write(
      `${printable(handoffContext(document, { path: `${HANDOFFS_FOLDER}/${name}`, ledger }))}\n`,
    )
  else io.stdout.write(printable(whole))
  return EXIT.ok
}

async function diff(io: Io, files: HandoffFiles, root: string, names: readonly string[]): Promise<number> {
  const [before, after] =
    names.length === 0
      ? [await pickDocument(files, root, undefined, 1), await pickDocument(files, root, undefined, 0)]
      : [await pickDocument(files, root, names[0], 0), await pickDocument(files, root, names[1], 0)]
  const [old, young] = await Promise.all([files.text(root, before), files.text(root, after)])
  const text = old === young ? '' : await diffOf(`${before} -> ${after}`, old, young)
  io.stdout.write(text === '' ? 'They are the same.\n' : printable(text))
  return EXIT.ok
}
