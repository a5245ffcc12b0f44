import { join } from 'node:path'
import { EntryList } from '@batonpass/contract/api'
import { BatonError } from '@batonpass/contract/errors'
import { isBrokered } from '@batonpass/contract/journal'
import type { PermissionRule } from '@batonpass/contract/permission'
import { systemAncestry } from '../../adapters/system/ancestry.ts'
import { systemFiles } from '../../adapters/system/files.ts'
import { refuseAgents } from '../../ask/refuse-agents.ts'
import { withRule } from '../../config/add-rule.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { CONFIG_NAMES, ownFolders } from '../../config/places.ts'
import { configFileIn } from '../../config/read.ts'
import { type Lesson, learn as lessonsFrom, type Taught, type Trial } from '../../permission/learn.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { counted } from '../counted.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { diffOf } from '../diff.ts'
import { type Io, printable } from '../io.ts'
import { configOf, type LocalJudge, localJudge } from '../local-judge.ts'
import { parseSince } from '../parse-since.ts'
import { fitted } from '../wrap-words.ts'

/** Proposes rules for what a person kept allowing, as a diff of their own configuration; `--accept` writes it. */
export const learn: Handler = async (given, io) => {
  const accept = flag(given, 'accept')
  const times = timesOf(given)
  // A rule is a yes to the future: the same people may give it who may answer an ask.
  if (accept) refuseAgents(await systemAncestry.ancestorsOf(process.pid), 'needed')
  const taught = await decisions(io, text(given, 'since'))
  const lessons = lessonsFrom(taught, await trialOf(taught, io), times)
  const file = await ownFile(io)
  const before = await textOf(file)
  const after = added(before, lessons)
  if (flag(given, 'json'))
    io.stdout.write(`${JSON.stringify({ file, lessons, accepted: accept && lessons.length > 0 })}\n`)
  else if (lessons.length === 0)
    fitted(io)('Nothing to learn yet: there is no command that you keep allowing.\n')
  else {
    for (const { rule, allowed, examples } of lessons)
      fitted(io)(
        `${JSON.stringify(rule)}  allowed ${counted(allowed, 'time')}, e.g. ${printable(examples.join(' | '))}\n`,
      )
    io.stdout.write(`\n${printable(await diffOf(file, before, after))}`)
  }
  if (!accept || lessons.length === 0) return EXIT.ok
  await systemFiles.exclusively(file, async () => {
    if ((await textOf(file)) !== before)
      throw new BatonError('config_invalid', `${file} was changed meanwhile`, { remedy: 'Run it again.' })
    await systemFiles.replace(file, after, 0o600)
  })
  io.stderr.write(`Wrote ${file}\n`)
  return EXIT.ok
}

function timesOf(given: Given): number {
  const times = text(given, 'times') ?? '2'
  if (/^[1-9]\d{0,3}$/.test(times)) return Number(times)
  throw new BatonError('usage', '--times takes a whole number of at least 1', {
    remedy: 'See `baton learn --help`.',
  })
}

/** The file of the user's own that counts; behind a link, the file it leads to. */
async function ownFile(io: Io): Promise<string> {
  const [folder = io.home] = ownFolders(io)
  const found = await configFileIn(folder, systemFiles)
  return found ? await systemFiles.realPath(found) : join(folder, CONFIG_NAMES[0])
}

const MAX_FILE_SIZE = 1_000_000

async function textOf(file: string): Promise<string> {
  if (!(await systemFiles.taken(file))) return ''
  return new TextDecoder().decode((await systemFiles.read(file, MAX_FILE_SIZE)).bytes)
}

const added = (before: string, lessons: readonly Lesson[]): string =>
  lessons.reduce(
    (text, { rule }) =>
      withRule(text, { rule, scope: 'everywhere', project: '', comment: 'proposed by baton learn' }),
    before,
  )

async function decisions(io: Io, from: string | undefined): Promise<Taught[]> {
  const query = new URLSearchParams({
    kind: 'decision',
    order: 'desc',
    limit: '5000',
    ...(from ? { since: parseSince(from) } : {}),
  })
  const { entries } = EntryList.parse(await callDaemon(folderOf(io), 'GET', `/api/journal?${query}`, 60_000))
  return entries.flatMap(entry => {
    const { body, project } = entry
    // What a person allowed in the agent's dialog has its own entry: the command that then left the sandbox is the same yes.
    if (body.kind !== 'decision' || (body.again && isBrokered(entry))) return []
    return { ...body, project: project ?? io.home }
  })
}

/** Judges what was decided under the rules in force where it was, and some besides. */
async function trialOf(taught: readonly Taught[], io: Io): Promise<Trial> {
  const configs = new Map<string, LoadedConfig>()
  for (const { project, by } of taught)
    if (by === 'person' && !configs.has(project)) configs.set(project, await configOf(project, io))
  const made = new Map<string, LocalJudge>()
  const rulesIn = (project: string, besides: readonly PermissionRule[], { config }: LoadedConfig) => {
    const key = JSON.stringify([project, besides])
    const rules = made.get(key) ?? localJudge(config, project, io, besides)
    made.set(key, rules)
    return rules
  }
  return (besides, { tool, subject, project }) => {
    const loaded = configs.get(project)
    if (!loaded) return 'ask'
    const rest = subject.slice(tool.length).trim()
    const input = tool === 'WebFetch' ? { url: rest } : tool.startsWith('mcp__') ? {} : { command: subject }
    return rulesIn(project, besides, loaded).tool({ tool, input, cwd: project }).decision
  }
}
