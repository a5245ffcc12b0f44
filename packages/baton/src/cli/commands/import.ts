import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { HandoffDocument } from '@batonpass/contract/handoff'
import { adapters } from '../../adapters/agents/registry.ts'
import { systemGit } from '../../adapters/git/git.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { CONFIG_NAMES } from '../../config/places.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { replaceFile } from '../../daemon/secret-file.ts'
import { formatCreated } from '../../handoff/document-name.ts'
import { HandoffFiles } from '../../handoff/handoff-files.ts'
import { HandoffMemory } from '../../handoff/write/handoff-memory.ts'
import { makeRedactor } from '../../journal/redact.ts'
import type { ForeignHooks } from '../../ports/agent.ts'
import { EXIT, flag, type Given, type Handler } from '../command.ts'
import { folderOf } from '../daemon.ts'
import { type ImportPlan, planImport, SYSTEMS, type System } from '../import/plan.ts'
import { writeCopy } from '../import/session-files.ts'
import { type Io, printable } from '../io.ts'
import { askAtTerminal, isInteractive } from '../questions.ts'
import { type PlannedFile, setupPlan } from '../setup-plan.ts'
import { fitted } from '../wrap-words.ts'
import { otherHooks, removeOtherHooks } from './init.ts'

/** Takes over the files of another system: shows the plan, and writes after a yes. */
export const importSystem: Handler = async (given, io) => {
  const [named] = given.positionals
  const systems = named === undefined ? SYSTEMS : [named as System]
  const plans = flag(given, 'hooks') ? [] : await planImport(systems, io)
  const hooks = otherHooks(adapters, io).filter(
    ({ system }) => flag(given, 'hooks') || systems.some(name => name === system.toLowerCase()),
  )
  const writes = plans.some(({ files, copies, context }) => files.length + copies.length > 0 || context)
  if (flag(given, 'json')) {
    const wrote = flag(given, 'yes') && (writes || hooks.length > 0)
    if (wrote) await carryOut(plans, hooks, given, io)
    io.stdout.write(
      `${JSON.stringify({ plans: plans.map(withoutTexts), hooks: hooks.map(({ system, path }) => ({ system, path })), wrote })}\n`,
    )
    return EXIT.ok
  }
  for (const line of await planLines(plans, hooks, io)) fitted(io)(`${printable(line)}\n`)
  if (plans.length + hooks.length === 0) {
    io.stdout.write('Nothing to import here. Baton looks for agentize, PAW, oh-my-pi and MoltNet.\n')
    return EXIT.ok
  }
  if (!writes && hooks.length === 0) {
    io.stdout.write('Nothing has to be written.\n')
    return EXIT.ok
  }
  if (!(await agreed(given, io))) {
    io.stdout.write(`Nothing was written.${isInteractive(io) ? '' : ' To write it: baton import --yes'}\n`)
    return EXIT.ok
  }
  await carryOut(plans, hooks, given, io)
  const project = findWorktreeRoot(io.cwd)
  // A project's file is also what anyone with access to the repository wrote, so its author does not decide alone.
  if (
    project !== io.home &&
    plans.some(({ files }) => files.some(({ path }) => path === join(project, CONFIG_NAMES[0])))
  )
    io.stdout.write(
      'Some settings of a project apply only after you have read and trusted them: baton trust\n',
    )
  io.stdout.write('Imported. The original files are unchanged, except where the plan says so.\n')
  return EXIT.ok
}

async function agreed(given: Given, io: Io): Promise<boolean> {
  if (flag(given, 'yes')) return true
  if (!isInteractive(io)) return false
  using questions = askAtTerminal(io)
  return questions.yes('\nWrite it?', true)
}

async function planLines(
  plans: readonly ImportPlan[],
  hooks: readonly ForeignHooks[],
  io: Io,
): Promise<string[]> {
  const parts = await Promise.all(
    plans.map(async ({ system, files, copies, context, notes }) => [
      `${TITLES[system]}:`,
      ...(await setupPlan(files, io)),
      ...copies.map(({ from }) => `  copy ${from} for \`baton chat --resume\``),
      ...(context ? [`  ${context.from}: a handoff document for the next session here`] : []),
      ...notes.map(note => `  ${note}`),
    ]),
  )
  return [
    ...parts.flat(),
    ...hooks.map(
      ({ system, path, effect }) =>
        `Remove the hooks of ${system} from ${path}: as long as both run, ${effect}`,
    ),
  ]
}

const TITLES: Readonly<Record<System, string>> = {
  agentize: 'agentize',
  paw: 'PAW',
  'oh-my-pi': 'oh-my-pi',
  moltnet: 'MoltNet',
}

async function carryOut(
  plans: readonly ImportPlan[],
  hooks: readonly ForeignHooks[],
  given: Given,
  io: Io,
): Promise<void> {
  for (const { files, copies, context } of plans) {
    for (const file of files) writePlanned(file)
    for (const copy of copies) writeCopy(copy)
    if (context) await leaveContext(context, io)
  }
  await removeOtherHooks(hooks, { ...given, options: { ...given.options, 'dry-run': false } }, io)
}

/** Settings may hold a token, so the file is private. */
function writePlanned({ path, before, after }: PlannedFile): void {
  if (textOf(path) !== before)
    throw new BatonError('settings_changed', `${path} was changed by another program just now`, {
      remedy: 'Run the command again.',
    })
  mkdirSync(dirname(path), { recursive: true })
  if (after !== undefined && after !== before) replaceFile(path, after, 0o600)
}

/** Stores a text as the handoff document that the next session of an agent here receives. */
async function leaveContext({ text, from }: { text: string; from: string }, io: Io): Promise<void> {
  const root = findWorktreeRoot(io.cwd)
  const now = systemClock.now()
  const document = HandoffDocument.parse({
    facts: { written_by: 'baton', created_at: new Date(now).toISOString(), root },
    created: formatCreated(now),
    notes: [`Imported from ${from}. It was written by another system; check it before you rely on it.`],
    others: [{ title: 'Session pack', text: text.slice(0, MAX_CONTEXT) }],
  })
  const name = await new HandoffFiles(systemSmallFiles, systemGit, makeRedactor()).store(root, document, now)
  const memory = new HandoffMemory(systemSmallFiles, folderOf(io).dir)
  await memory.await(root, { document: name, writtenBy: 'baton' })
}

const MAX_CONTEXT = 20_000

const withoutTexts = ({ system, files, copies, context, notes }: ImportPlan) => ({
  system,
  files: files.map(({ path, what }) => ({ path, what })),
  copies: copies.map(({ from, to }) => ({ from, to })),
  ...(context ? { context: context.from } : {}),
  notes,
})

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
