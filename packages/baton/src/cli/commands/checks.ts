import { spawn } from 'node:child_process'
import { basename, dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { CheckList } from '@batonpass/contract/proof'
import { systemAncestry } from '../../adapters/system/ancestry.ts'
import { systemFiles as files } from '../../adapters/system/files.ts'
import { refuseAgents } from '../../ask/refuse-agents.ts'
import { MAX_BYTES } from '../../config/parse.ts'
import { CONFIG_NAMES, ownFolders, stateDir } from '../../config/places.ts'
import { problemLine } from '../../config/problem.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { configFileIn, outside, readConfig, realFile } from '../../config/read.ts'
import { hashOf, readPins, setPin } from '../../config/trust.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { readDeclaration, withAddedCheck, withChecks, withoutCheck } from '../done-when-file.ts'
import { type Column, fitList } from '../fit-table.ts'
import { type Io, printable } from '../io.ts'
import { configOf, warnOf } from '../local-judge.ts'
import { isInteractive } from '../questions.ts'

const CALL_MS = 60_000

/** Shows the checks of this project, or changes those in its settings file. */
export const checks: Handler = async (given, io) => {
  const [what, which] = given.positionals
  switch (what) {
    case 'pin': {
      const { checks: found } = await read(given, io, undefined)
      if (found.length === 0) throw new BatonError('not_found', NONE)
      return change(given, io, before => withChecks(before, found))
    }
    case 'add': {
      const check = readDeclaration(needed(which, 'CHECK'), { ...named(given) })
      return change(given, io, before => withAddedCheck(before, check))
    }
    case 'remove': {
      const name = needed(which, 'CHECK')
      return change(given, io, before => withoutCheck(before, name))
    }
    case 'edit':
      return edit(given, io)
    default:
      return showChecks(given, io, what)
  }
}

/** Lists the checks that a proof of a commit would run, and where each comes from. */
export async function showChecks(given: Given, io: Io, commit: string | undefined): Promise<number> {
  // Checks of a file with a mistake do not count, so others are listed.
  warnOf(await configOf(findWorktreeRoot(io.cwd), io), io)
  const found = await read(given, io, commit)
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify(found)}\n`)
    return EXIT.ok
  }
  io.stdout.write(checkLines(found, io))
  for (const { check, note } of found.notes ?? []) io.stdout.write(`${printable(`! ${check}: ${note}`)}\n`)
  if (found.checks.length === 0) io.stdout.write(`${NONE} Set proof.done_when in .baton.yaml.\n`)
  return EXIT.ok
}

/** One line for each check: its name, and where it comes from. */
function checkLines({ setup, checks, base }: CheckList, io: Io): string {
  const rows = [
    ...(setup ? [{ name: setup, from: 'setup' }] : []),
    ...checks.map(({ name, source, where }) => ({
      name,
      from: source === 'derived' ? `derived from ${where} at ${base.slice(0, 10)}` : `from ${where}`,
    })),
  ]
  const name: Column<(typeof rows)[number]> = {
    dropped: 0,
    least: 24,
    cell: row => ({ text: printable(row.name) }),
  }
  const from: Column<(typeof rows)[number]> = {
    dropped: 0,
    least: 24,
    wraps: true,
    cell: row => ({ text: printable(row.from), style: 'dim' }),
  }
  return fitList(rows, [name, from], io)
}

const NONE = 'No checks: the repository declares no tests.'

async function read(given: Given, io: Io, commit: string | undefined): Promise<CheckList> {
  const base = text(given, 'base')
  const query = new URLSearchParams({
    project: io.cwd,
    ...(commit === undefined ? {} : { commit }),
    ...(base === undefined ? {} : { base }),
  })
  return CheckList.parse(await callStartedDaemon(io, 'GET', `/api/proofs/checks?${query}`, CALL_MS))
}

/** Changes the project's settings file. If it counted in full before, it still does: a person made the change. */
async function change(given: Given, io: Io, make: (before: string | undefined) => string): Promise<number> {
  await refuseAgent()
  const { path, before } = await settingsFile(io)
  const after = make(before)
  const isTrusted = await isPinned(io, path, before)
  await files.replace(path, after, 0o644)
  return report(given, io, path, after, isTrusted)
}

async function edit(given: Given, io: Io): Promise<number> {
  await refuseAgent()
  const chosen = io.env.VISUAL || io.env.EDITOR
  if (!chosen && !isInteractive(io))
    throw new BatonError('not_allowed', 'An editor needs a terminal', {
      remedy: 'Use `baton checks add` and `baton checks remove`, or set $EDITOR.',
    })
  const { path, before } = await settingsFile(io)
  const isTrusted = await isPinned(io, path, before)
  if (before === undefined) {
    const { checks: found } = await read(given, io, undefined)
    await files.replace(path, withChecks(undefined, found), 0o644)
  }
  // People write `code --wait`: words, and no shell.
  const [program = 'vi', ...words] = (chosen || 'vi').split(/\s+/).filter(Boolean)
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(program, [...words, path], { stdio: 'inherit', cwd: dirname(path) })
    child.once('error', reject)
    child.once('close', resolve)
  }).catch(cause => {
    throw new BatonError('missing_tool', `${program} cannot be started`, { cause, remedy: 'Set $EDITOR.' })
  })
  if (code !== 0) throw new BatonError('usage', `${program} ended with ${code}; nothing was checked`)
  const after = new TextDecoder().decode((await files.read(path, MAX_BYTES)).bytes)
  return report(given, io, path, after, isTrusted)
}

async function report(
  given: Given,
  io: Io,
  path: string,
  after: string,
  isTrusted: boolean,
): Promise<number> {
  const bytes = new TextEncoder().encode(after)
  const { problems } = readConfig(bytes, path)
  for (const problem of problems) io.stderr.write(`${problemLine(problem)}\n`)
  if (problems.length > 0) return EXIT.invalid
  const isOwn = ownFolders(io).includes(dirname(path))
  if (isTrusted && !isOwn) await setPin(stateDir(io.env, io.home), path, hashOf(bytes), files)
  const counts = isTrusted || isOwn
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ file: path, trusted: counts })}\n`)
  else
    io.stdout.write(
      `Wrote ${printable(path)}.${counts ? '' : ' Its checks count after you have trusted it: baton trust'}\n`,
    )
  return EXIT.ok
}

/** What the file allows may count at once, so an agent must not write it; a person's script may. */
const refuseAgent = async () => refuseAgents(await systemAncestry.ancestorsOf(process.pid), 'not-needed')

async function settingsFile(io: Io): Promise<{ path: string; before: string | undefined }> {
  const root = findWorktreeRoot(io.cwd)
  const found = (await configFileIn(root, files)) ?? join(root, CONFIG_NAMES[0])
  if (!(await files.taken(found)))
    return { path: join(await files.realPath(root), basename(found)), before: undefined }
  const path = await realFile(found, root, files)
  if (path === undefined) throw new BatonError('config_outside_project', problemLine(outside(found)))
  return { path, before: new TextDecoder().decode((await files.read(path, MAX_BYTES)).bytes) }
}

/** A new file has nothing in it but what the person adds now. */
async function isPinned(io: Io, path: string, before: string | undefined): Promise<boolean> {
  if (before === undefined) return true
  const { pins } = await readPins(stateDir(io.env, io.home), files)
  return pins.get(path) === hashOf(new TextEncoder().encode(before))
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined) return value
  throw new BatonError('usage', `${name} is missing`, { remedy: 'See `baton checks --help`.' })
}

function named(given: Given): { name?: string; minutes?: number } {
  const [name, minutes] = [text(given, 'name'), text(given, 'minutes')]
  return {
    ...(name === undefined ? {} : { name }),
    ...(minutes === undefined ? {} : { minutes: Number(minutes) }),
  }
}
