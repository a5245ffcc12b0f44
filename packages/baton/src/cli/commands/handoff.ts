import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { BatonError } from '@batonpass/contract/errors'
import type { HandoffDocument, HandoffFinding } from '@batonpass/contract/handoff'
import { NativeId } from '@batonpass/contract/ids'
import { LAUNCHABLE, launchesOf } from '../../adapters/agents/launches.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { onPath } from '../../adapters/system/on-path.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { handoffContext } from '../../handoff/context-form.ts'
import { parseHandoff } from '../../handoff/document/parse.ts'
import { HANDOFFS_FOLDER } from '../../handoff/document-name.ts'
import type { Evidence } from '../../handoff/evidence.ts'
import { findUnverified } from '../../handoff/statements/check-statements.ts'
import { lookupsOf } from '../../handoff/statements/lookups.ts'
import { verifyHandoff } from '../../handoff/verify.ts'
import { fromEvidenceAlone, prepareDocument, storeChecked } from '../../handoff/write/document-writer.ts'
import { HandoffMemory } from '../../handoff/write/handoff-memory.ts'
import type { Launches } from '../../ports/launch.ts'
import { sessionId } from '../../session/id.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { folderOf } from '../daemon.ts'
import { evidenceFor, findSubject, type HandoffSubject, handoffFiles, isTest } from '../handoffs.ts'
import { type Io, paint, printable } from '../io.ts'

const CONTINUE_PROMPT = 'Continue the work from there: begin with the first of the next steps.'

/** Nothing is stored that a pointer could name, so what is printed may be longer than a hook's answer. */
const MAX_PRINTED = 30_000

/** The agent that is to continue; `missing_tool` when it is not installed, before anything is written. */
function nextAgent(name: string, io: Io): Launches {
  const launches = launchesOf(name)
  const { program } = launches.interactive({})
  if (onPath(program, io.env)) return launches
  throw new BatonError('missing_tool', `${program} is not installed, or not on PATH`, {
    remedy: `Install it, or name another agent: ${LAUNCHABLE.join(', ')}.`,
  })
}

/** Starts it with the document, at this terminal or for a single turn without one, and waits for its end. */
function startNext(launches: Launches, context: string, cwd: string, io: Io): Promise<number> {
  const prompt = `${context}\n\n${CONTINUE_PROMPT}`
  const terminal = process.stdin.isTTY && process.stdout.isTTY
  const { program, args, env } = terminal ? launches.interactive({ prompt }) : launches.headless({ prompt })
  return new Promise((resolve, reject) => {
    // Its signals are its own: it shares the terminal with us.
    const child = spawn(program, args, {
      cwd,
      env: { ...io.env, ...env },
      stdio: terminal ? 'inherit' : ['ignore', 'inherit', 'inherit'],
    })
    child.once('error', cause =>
      reject(
        new BatonError('missing_tool', `${program} could not be started`, {
          cause,
          remedy: 'Is it installed, and on the PATH? See `baton doctor`.',
        }),
      ),
    )
    child.once('close', code => resolve(code ?? EXIT.failed))
  })
}

/** Writes a session's handoff document from what git and its transcript show, prints it, or checks a given one. */
export const handoff: Handler = async (given, io) => {
  const subject = await findSubject(io, {
    session: text(given, 'session'),
    transcript: text(given, 'transcript'),
  })
  const claimed = text(given, 'verify')
  if (claimed !== undefined)
    return verify(given, io, subject, claimed === '-' ? claimed : resolve(io.cwd, claimed))
  const evidence = await evidenceFor(io, subject)
  const now = systemClock.now()
  const memory = new HandoffMemory(systemSmallFiles, folderOf(io).dir)
  const { agent, session } = evidence
  const id =
    agent !== undefined && NativeId.safeParse(session).success ? sessionId(agent, session ?? '') : undefined
  const parent = (id && (await memory.received(id)))?.document
  const files = await handoffFiles(io)
  const checked = fromEvidenceAlone(evidence)
  const writing = { root: subject.root, now, focus: text(given, 'focus'), parent }
  if (flag(given, 'print')) {
    const { document, ledger } = await prepareDocument(files, checked, writing)
    const context = handoffContext(document, { ledger, longest: MAX_PRINTED })
    io.stdout.write(flag(given, 'json') ? `${JSON.stringify({ context })}\n` : `${printable(context)}\n`)
    return EXIT.ok
  }
  const to = text(given, 'to')
  const next = to === undefined ? undefined : nextAgent(to, io)
  const { name, document, ledger } = await storeChecked(files, checked, writing)
  await memory.await(subject.root, {
    document: name,
    ...(session ? { from: session } : {}),
    ...(agent ? { fromAgent: agent } : {}),
    ...(next ? { toldTo: next.agent } : {}),
  })
  if (next) {
    const context = handoffContext(document, { path: `${HANDOFFS_FOLDER}/${name}`, ledger })
    return startNext(next, context, subject.root, io)
  }
  const path = join(subject.root, HANDOFFS_FOLDER, name)
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify({ document: path, session, writtenBy: 'baton' })}\n`
      : `${printable(path)}\nWritten from git and the transcript alone. The next session in this project begins with it, whichever agent it is.\n`,
  )
  return EXIT.ok
}

async function verify(given: Given, io: Io, subject: HandoffSubject, path: string): Promise<number> {
  const written = await (path === '-' ? readAll(io.stdin) : readFile(path, 'utf8')).catch(cause => {
    throw new BatonError('not_found', `${path} cannot be read`, {
      remedy: 'List the documents: baton handoff list',
      cause,
    })
  })
  const { document, form, findings: odd } = parseHandoff(written)
  const evidence = await evidenceFor(io, subject, lookupsOf(document))
  const findings = [...odd, ...verifyHandoff(document, evidence, isTest), ...unverified(document, evidence)]
  const wrong = findings.filter(({ weight }) => weight === 'wrong').length
  if (flag(given, 'json'))
    io.stdout.write(`${JSON.stringify({ document: path, form, ok: wrong === 0, findings })}\n`)
  else {
    for (const finding of findings) io.stdout.write(`${lineOf(finding, io)}\n`)
    io.stdout.write(wrong === 0 ? 'The document holds what the evidence shows.\n' : `${wrong} wrong.\n`)
  }
  return wrong === 0 ? EXIT.ok : EXIT.failed
}

/** What nothing shows, although it may be true. */
function unverified(document: HandoffDocument, evidence: Evidence): HandoffFinding[] {
  const found = findUnverified(document, evidence, undefined).map(
    ({ statement: { line }, reason }): HandoffFinding => ({
      code: 'unverified',
      weight: 'minor',
      where: line.section,
      message: `Unverified: "${line.text.slice(0, 120)}"; ${reason}`,
    }),
  )
  return [...new Map(found.map(finding => [finding.message, finding])).values()]
}

function lineOf({ weight, where, message }: HandoffFinding, io: Io): string {
  const colour = paint(io)
  return `${colour(weight === 'wrong' ? 'red' : 'yellow', weight)}  ${printable(where)}: ${printable(message)}`
}
