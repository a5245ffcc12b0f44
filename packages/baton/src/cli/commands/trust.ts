import { basename, dirname, resolve } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { systemAncestry } from '../../adapters/system/ancestry.ts'
import { systemFiles as files } from '../../adapters/system/files.ts'
import { refuseAgents } from '../../ask/refuse-agents.ts'
import { configKeys } from '../../config/keys.ts'
import { loadConfig } from '../../config/load.ts'
import { MAX_BYTES } from '../../config/parse.ts'
import { CONFIG_NAMES, ownFolders, stateDir } from '../../config/places.ts'
import { printable, problemLine } from '../../config/problem.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { configFileIn, outside, readConfig, realFile, unreadable } from '../../config/read.ts'
import { showValue } from '../../config/render.ts'
import { hashOf, needsTrust, plainAt, readPins, setPin } from '../../config/trust.ts'
import { ENDS_CONTAINMENT, mentionsContainers } from '../../permission/container-clients.ts'
import { FileError } from '../../ports/files.ts'
import { EXIT, flag, type Given, type Handler } from '../command.ts'
import type { Io } from '../io.ts'
import { isWorkflowFile, trustWorkflow } from '../trust-workflow.ts'
import { fitted } from '../wrap-words.ts'

/** Lets a project's own configuration count in full, as long as its bytes stay as they are. */
export const trust: Handler = async (given, io) => {
  try {
    if (flag(given, 'list')) return await list(given, io)
    const path = await target(given, io)
    if (flag(given, 'remove')) return await remove(path, io)
    // What the project's file allows counts from then on, so an agent must not say so; a person's script may.
    if (!flag(given, 'dry-run')) refuseAgents(await systemAncestry.ancestorsOf(process.pid), 'not-needed')
    if (isWorkflowFile(path)) return await trustWorkflow(path, flag(given, 'dry-run'), io)
    return await pin(path, given, io)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const { code, message, remedy } = unreadable(error.path, error.trouble)
    throw new BatonError(code, `${printable(error.path)}: ${message}`, {
      cause: error,
      ...(remedy ? { remedy } : {}),
    })
  }
}

async function pin(path: string, given: Given, io: Io): Promise<number> {
  const folder = stateDir(io.env, io.home)
  const own = await Promise.all(ownFolders(io).map(place => files.realPath(place).catch(() => place)))
  if (own.includes(await files.realPath(dirname(path)))) {
    io.stdout.write(`${printable(path)} is your own file: it needs no trust.\n`)
    return EXIT.ok
  }
  const real = await realFile(path, findWorktreeRoot(dirname(path)), files)
  if (real === undefined) throw new BatonError('config_outside_project', problemLine(outside(path)))
  const { bytes } = await files.read(real, MAX_BYTES)
  const { node, problems } = readConfig(bytes, path)
  if (!node || problems.length > 0) {
    for (const problem of problems) io.stderr.write(`${problemLine(problem)}\n`)
    throw new BatonError('config_invalid', `${printable(path)} is not trusted`, { remedy: 'Fix it first.' })
  }
  const { config } = await loadConfig({ env: io.env, home: io.home, stateDir: folder }, { files })
  const dryRun = flag(given, 'dry-run')
  if (!dryRun) await setPin(folder, real, hashOf(bytes), files)

  const counts = needsTrust(node, config).map(({ key, path: keyPath, line }) => {
    const facts = configKeys().find(known => known.name === key)?.facts
    const value = showValue(plainAt(node, keyPath), facts)
    const ends =
      key.startsWith('permissions.') && mentionsContainers(value) ? `    ${ENDS_CONTAINMENT}\n` : ''
    return `  ${key}: ${value} (line ${line})\n${ends}`
  })
  const more = counts.length > 0 ? `This counts with it:\n${counts.join('')}` : 'Nothing in it needed that.\n'
  fitted(io)(`${dryRun ? 'Would trust' : 'Trusted'} ${printable(real)} as it is now. ${more}`)
  return EXIT.ok
}

async function remove(path: string, io: Io): Promise<number> {
  const real = await files.realPath(path).catch(() => path)
  const changed = await setPin(stateDir(io.env, io.home), real, undefined, files)
  io.stdout.write(`${printable(real)} ${changed ? 'is no longer trusted' : 'was not trusted'}.\n`)
  return EXIT.ok
}

async function list(given: Given, io: Io): Promise<number> {
  const { pins, notice } = await readPins(stateDir(io.env, io.home), files)
  if (notice) io.stderr.write(`${problemLine(notice)}\n`)
  const rows = await Promise.all(
    [...pins].map(async ([file, sha256]) => ({ file, sha256, state: await stateOf(file, sha256) })),
  )
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  else fitted(io)(rows.map(({ file, state }) => `${state.padEnd(8)} ${printable(file)}\n`).join(''))
  return EXIT.ok
}

async function stateOf(file: string, sha256: string): Promise<'trusted' | 'changed' | 'gone'> {
  try {
    const { bytes } = await files.read(file, MAX_BYTES)
    return hashOf(bytes) === sha256 ? 'trusted' : 'changed'
  } catch {
    return 'gone'
  }
}

async function target(given: Given, io: Io): Promise<string> {
  const [named] = given.positionals
  const wanted = named === undefined ? findWorktreeRoot(io.cwd) : resolve(io.cwd, named)
  const isFolder = (await files.facts(wanted))?.kind === 'folder'
  const path = isFolder ? await configFileIn(wanted, files) : wanted
  if (path === undefined)
    throw new BatonError('not_found', `${printable(wanted)} has no ${CONFIG_NAMES.join(' or ')}`, {
      remedy: 'There is nothing to trust until it has one.',
    })
  if (!isWorkflowFile(path) && !CONFIG_NAMES.some(name => name === basename(path)))
    throw new BatonError('usage', `${printable(path)} is not a Baton configuration file`, {
      remedy: `Name a ${CONFIG_NAMES.join(' or ')}, the folder it is in, or a .baton/workflows/*.md.`,
    })
  if (!flag(given, 'remove') && !(await files.taken(path)))
    throw new BatonError('not_found', `There is no ${printable(path)}`)
  return path
}
