import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { type RunRequest, Spawn } from '@batonpass/contract/watch'
import type { PullRequestState } from '@batonpass/contract/work'
import { launchesOf } from '../../adapters/agents/launches.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { onPath } from '../../adapters/system/on-path.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { bundledPlugin } from '../../hook/start-workflow.ts'
import { promptFileName, templateFor, writePrompt } from '../../work/packs/paw/prompt-templates.ts'
import { rowOf, STAGES } from '../../work/packs/paw/stage-table.ts'
import { callTool } from '../../work/packs/paw/tools.ts'
import { parseCommand, type WorkCommand } from '../../work/stages/parse-command.ts'
import { row } from '../../work/stages/render-status.ts'
import { resolveCommand } from '../../work/stages/resolve-command.ts'
import { Stages } from '../../work/stages/stages.ts'
import { isPart, position } from '../../work/stages/work-facts.ts'
import { workIdOf } from '../../work/stages/work-id.ts'
import { summaryOf, type WorkItem } from '../../work/stages/work-items.ts'
import { detectWorkItem } from '../../work/stages/work-status.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { callDaemon, ensureDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { reportHere, workHere } from '../local-work.ts'
import { handedOn } from '../started-environment.ts'
import { socketHere } from '../tmux-place.ts'
import { fitted } from '../wrap-words.ts'

const WHAT = ['new', 'list', 'show', 'mode', 'run'] as const

/** Work items: begin one, list them, look at one, change how much it does by itself, or begin its next stage. */
export const work: Handler = async (given, io) => {
  const [what = 'list', ...words] = given.positionals
  const project = findWorktreeRoot(io.cwd)
  switch (what) {
    case 'new':
      return begin(given, io, project, words.join(' '))
    case 'list':
      return list(given, io, project)
    case 'show':
      return show(given, io, project, words[0])
    case 'mode':
      return mode(given, io, project, words)
    case 'run':
      return run(given, io, project, words)
    default:
      throw new BatonError('usage', `WHAT must be one of ${WHAT.join(', ')}, not '${what}'`, {
        remedy: 'See `baton work --help`.',
      })
  }
}

async function begin(given: Given, io: Io, project: string, title: string): Promise<number> {
  const { items } = workHere(io)
  const wanted = {
    title,
    mode: text(given, 'mode'),
    strategy: text(given, 'strategy'),
    workflow: text(given, 'workflow'),
    work_id: text(given, 'id'),
    branch: text(given, 'branch'),
    issue: text(given, 'issue'),
    remote: text(given, 'remote'),
  }
  if (title.trim() === '')
    throw new BatonError('usage', 'TITLE is missing', { remedy: 'For example: baton work new "Auth System"' })
  if (wanted.workflow === 'review' && !wanted.issue)
    throw new BatonError('usage', 'Which pull request is to be reviewed?', {
      remedy: 'Name it: --issue https://github.com/OWNER/REPOSITORY/pull/107',
    })
  if (!existsSync(join(project, '.git')))
    throw new BatonError('not_found', `Not a git repository: ${project}. Nothing was created`, {
      remedy: 'Stages work on a branch. Go into a repository, or begin one here: git init',
    })
  if (flag(given, 'dry-run')) {
    io.stdout.write(`Would begin ${wanted.work_id ?? workIdOf(title)} in .paw/work (--dry-run).\n`)
    return EXIT.ok
  }
  const made = await items.create(project, wanted)
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify(made)}\n`
      : `${made.path}\nBegin its first stage: baton work run ${made.workId}\n`,
  )
  return EXIT.ok
}

async function list(given: Given, io: Io, project: string): Promise<number> {
  const items = (await workHere(io).items.list(project)).map(summaryOf)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify({ project, items })}\n`)
  else if (items.length === 0) io.stdout.write('No work items here. Create one: baton work new "TITLE"\n')
  else for (const item of items) fitted(io)(`${printable(row(item))}\n`)
  return EXIT.ok
}

async function show(given: Given, io: Io, project: string, workId: string | undefined): Promise<number> {
  const report = await reportHere(io, project, workId)
  if (flag(given, 'json')) io.stdout.write(`${JSON.stringify(report)}\n`)
  else fitted(io)(printable(report.text))
  return EXIT.ok
}

async function mode(given: Given, io: Io, project: string, words: readonly string[]): Promise<number> {
  const [workId, wanted] = words
  const { items } = workHere(io)
  const { context } = await items.get(project, workId)
  if (wanted !== undefined) {
    if (wanted !== 'manual' && wanted !== 'semi-auto' && wanted !== 'auto')
      throw new BatonError('usage', `MODE must be manual, semi-auto or auto, not '${wanted}'`)
    await items.setMode(project, workId, wanted)
  }
  const now = wanted ?? context.mode
  io.stdout.write(
    flag(given, 'json') ? `${JSON.stringify({ workId, mode: now })}\n` : `${workId}: Handoff Mode ${now}\n`,
  )
  return EXIT.ok
}

/** A command as it would be typed to an agent; without one, what `continue` means. */
async function run(given: Given, io: Io, project: string, words: readonly string[]): Promise<number> {
  const ports = workHere(io)
  const [workId, ...typed] = words
  const item = workId
    ? await ports.items.get(project, workId)
    : detectWorkItem(await ports.items.list(project), await ports.git.readPosition(project))
  if (!item)
    throw new BatonError('usage', 'WORK is missing, and the branch does not tell', {
      remedy: 'See `baton work list`.',
    })
  const said = typed.join(' ') || 'continue'
  const from = position(item.facts)
  const command = parseCommand(said, from?.stage)
  if (!command)
    throw new BatonError('usage', `'${said.slice(0, 60)}' begins no stage`, {
      remedy: `What can be done next: baton work show ${item.workId}`,
    })
  switch (command.kind) {
    case 'status':
      return show(given, io, project, item.workId)
    case 'list':
      return list(given, io, project)
    case 'help':
      fitted(io)(wordsOf(item))
      return EXIT.ok
    case 'prompt':
      return prompt(given, io, project, item, command)
  }
  const pulls = command.kind === 'comments' ? await pullsOf(io, project, item.workId) : []
  const meaning = resolveCommand(command, item.facts, from, pulls)
  if (meaning.kind === 'blocked')
    throw new BatonError('usage', `${item.workId} is blocked: ${meaning.reason}`)
  if (meaning.kind === 'nothing') throw new BatonError('usage', meaning.why)
  if (meaning.kind === 'unmet')
    throw new BatonError('usage', `It cannot begin: ${meaning.missing.map(each => each.what).join('; ')}`, {
      remedy: meaning.missing.map(each => each.fix).join(' '),
    })
  const { step, agent, instruction } = meaning
  const inline = [step.phase ? `Phase ${step.phase}` : '', instruction ?? ''].filter(Boolean).join(': ')
  const args = {
    target_agent: agent,
    work_id: item.workId,
    ...(inline ? { inline_instruction: inline } : {}),
  }
  if (flag(given, 'dry-run')) {
    io.stdout.write(`Would begin ${agent}${inline ? ` (${inline})` : ''} (--dry-run).\n`)
    return EXIT.ok
  }
  const how = { agent: text(given, 'agent') ?? 'claude-code', hosted: flag(given, 'hosted') }
  const { spawn, text: instead } = await started(io, project, args, how)
  io.stdout.write(
    flag(given, 'json')
      ? `${JSON.stringify({ workId: item.workId, agent, ...(spawn ? { spawn } : { instead }) })}\n`
      : spawn
        ? `${agent} begins as ${spawn.title}.\n  look     ${how.hosted ? 'baton ps' : `baton attach ${spawn.title}`}\n  follow   baton logs --follow --kind stage\n`
        : `${printable(instead)}\n`,
  )
  return EXIT.ok
}

/** `help`: the words that begin a stage of this work, and what each does. */
function wordsOf({ facts }: WorkItem): string {
  const stages = STAGES.filter(({ stage }) => isPart(stage, facts))
  const width = Math.max(...stages.map(({ words }) => words[0]?.length ?? 0))
  return stages.map(({ words, purpose }) => `${words[0]?.padEnd(width)}  ${purpose}\n`).join('')
}

/** `generate prompt for implementer Phase 3`: a file to edit. */
async function prompt(
  given: Given,
  io: Io,
  project: string,
  item: WorkItem,
  { stage, phase, instruction }: Extract<WorkCommand, { kind: 'prompt' }>,
): Promise<number> {
  const key = templateFor(stage)
  if (!key) throw new BatonError('usage', `There is no prompt file for ${rowOf(stage).agent}`)
  const filename = promptFileName(key, phase)
  if (flag(given, 'dry-run')) {
    io.stdout.write(`Would write ${filename} (--dry-run).\n`)
    return EXIT.ok
  }
  const additional = [phase && `Phase: ${phase}`, instruction].filter(Boolean).join('\n\n')
  const { path } = await writePrompt(workHere(io).files, project, item, { key, filename, additional })
  io.stdout.write(flag(given, 'json') ? `${JSON.stringify({ workId: item.workId, path })}\n` : `${path}\n`)
  return EXIT.ok
}

/** Only the daemon knows the forge. */
async function pullsOf(io: Io, project: string, workId: string): Promise<PullRequestState[]> {
  const folder = folderOf(io)
  await ensureDaemon(folder, io)
  return (await reportHere(io, project, workId)).status?.pullRequests ?? []
}

/** The daemon starts it with the person's own environment, as `baton run` does; without tmux they get the command. */
async function started(
  io: Io,
  project: string,
  args: Record<string, unknown>,
  how: { agent: string; hosted: boolean },
): Promise<{ spawn?: Spawn; text: string }> {
  const ports = workHere(io)
  const { open } = await callTool(new Stages(ports), ports, 'paw_call_agent', args, {
    project,
    opensChats: true,
  })
  const prompt = open?.prompt ?? ''
  const { agent } = launchesOf(how.agent)
  if (!how.hosted && !onPath('tmux', io.env))
    return { text: `There is no tmux here. Run:\n${ports.commandFor(agent, project, prompt)}` }
  const folder = folderOf(io)
  await ensureDaemon(folder, io)
  const body: RunRequest = {
    agent,
    driver: how.hosted ? 'acp' : 'tmux',
    tools: true,
    cwd: project,
    prompt,
    title: `baton-${String(args.work_id).slice(0, 40)}-${systemClock.now().toString(36).slice(-5)}`,
    // The stage's tools come with the plugin.
    args: how.hosted ? [] : bundledPlugin(agent, io),
    env: handedOn(io.env),
    ...(how.hosted ? {} : { where: socketHere(io.env) }),
  }
  return { spawn: Spawn.parse(await callDaemon(folder, 'POST', '/api/spawns', 60_000, { body })), text: '' }
}
