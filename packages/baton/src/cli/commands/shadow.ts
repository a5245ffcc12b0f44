import { EntryList, SessionList } from '@batonpass/contract/api'
import { systemFiles } from '../../adapters/system/files.ts'
import { systemSmallFiles } from '../../adapters/system/small-files.ts'
import { stateDir } from '../../config/places.ts'
import { subjectOf } from '../../permission/ask-for.ts'
import { readCatalogue } from '../../work/workflows/catalogue.ts'
import { detectWorkflow } from '../../work/workflows/detect-workflow.ts'
import type { Workflow } from '../../work/workflows/workflow.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, paint, printable } from '../io.ts'
import { configOf, localJudge } from '../local-judge.ts'
import { sandboxFinder } from '../local-sandbox.ts'
import { outlook, snapshotThen } from '../outlook.ts'
import { parseSince } from '../parse-since.ts'
import { changeUserConfig, writeUserConfig } from '../user-config.ts'
import { fitted } from '../wrap-words.ts'
import { isWhole, toolCalls } from './what-if.ts'

interface Fate {
  count: number
  /** What it would have happened to, each once. */
  examples: Map<string, string>
}

/** What Baton would have done while it only watched. */
export const shadow: Handler = async (given, io) => {
  if (flag(given, 'end')) {
    const change = changeUserConfig(io, [['shadow.enabled', false]])
    writeUserConfig(change)
    io.stdout.write(`Baton decides from now on (${change.path}).\n`)
    return EXIT.ok
  }
  const from = text(given, 'since')
  const start = from === undefined ? undefined : parseSince(from)
  const fates = await fatesOf(io, start)
  const [continued, handedOff] = [await wouldContinue(io, start), await wouldHandOff(io, start)]
  if (flag(given, 'json')) {
    const tools = Object.fromEntries([...fates].map(([name, { count }]) => [name, count]))
    io.stdout.write(`${JSON.stringify({ tools, continued, handedOff })}\n`)
    return EXIT.ok
  }
  const write = fitted(io)
  const colour = paint(io)
  for (const [name, title, style] of TITLES) {
    const { count, examples } = fates.get(name) ?? { count: 0, examples: new Map() }
    write(`${colour(style, `${title}: ${count}`)}\n`)
    const shown = [...examples].slice(0, name === 'allow' || name === 'sandbox' ? 3 : 20)
    for (const [subject, reason] of shown)
      write(
        `  ${printable(subject.replaceAll(/\s+/g, ' ').slice(0, 120))}\n    ${colour('dim', printable(reason))}\n`,
      )
  }
  write(`Would have gone on after a stop: ${continued}\nWould have handed off: ${handedOff}\n`)
  const { config } = await configOf(io.cwd, io)
  write(
    config.shadow.enabled ? 'Let Baton decide: baton shadow --end\n' : 'Shadow mode is off: Baton decides.\n',
  )
  return EXIT.ok
}

const TITLES = [
  ['deny', 'Would have stopped', 'red'],
  ['ask', 'Would have asked you about', 'yellow'],
  ['sandbox', 'Would have run in the sandbox', 'green'],
  ['undo', 'Would have allowed, with a snapshot to go back to', 'cyan'],
  ['allow', 'Would have allowed by rules', 'green'],
  ['defer', "Would have left to the agent's own mode", 'dim'],
] as const

async function fatesOf(io: Io, start: string | undefined): Promise<Map<string, Fate>> {
  const fates = new Map<string, Fate>()
  const findSandbox = sandboxFinder(io)
  const deciders = new Map<string, Awaited<ReturnType<typeof deciderFor>>>()
  for await (const { event, project } of toolCalls(io, start)) {
    if (!isWhole(event)) continue
    const decide = deciders.get(project) ?? (await deciderFor(project, findSandbox, io))
    deciders.set(project, decide)
    const { name, reason } = await decide(event)
    const fate = fates.get(name) ?? { count: 0, examples: new Map() }
    fates.set(name, fate)
    fate.count++
    if (fate.examples.size < 200) fate.examples.set(subjectOf(event), reason)
  }
  return fates
}

async function deciderFor(project: string, findSandbox: ReturnType<typeof sandboxFinder>, io: Io) {
  const { config } = await configOf(project, io)
  const rules = localJudge(config, project, io)
  const place = { project, config, findSandbox, snapshot: snapshotThen }
  return async (event: Parameters<typeof rules.call>[0]) => {
    const judgement = rules.call(event)
    const { decision, reason, sandbox } = await outlook(event, judgement, place, io)
    if (sandbox && decision === 'allow') return { name: 'sandbox', reason }
    const byUndo = decision === 'allow' && judgement.decision !== 'allow'
    return { name: byUndo ? 'undo' : decision, reason }
  }
}

/** Stops of a session whose last command began a workflow: at most as many as the settings allow. */
async function wouldContinue(io: Io, start: string | undefined): Promise<number> {
  const running = new Map<string, number>()
  const catalogues = new Map<string, readonly Workflow[]>()
  let [after, count] = [0, 0]
  for (;;) {
    const query = new URLSearchParams({
      kind: 'event',
      after: String(after),
      limit: '1000',
      ...(start ? { since: start } : {}),
    })
    const { entries } = EntryList.parse(
      await callDaemon(folderOf(io), 'GET', `/api/journal?${query}`, 60_000),
    )
    for (const { body, session, project = '/' } of entries) {
      if (body.kind !== 'event' || session === undefined || body.event.subagent) continue
      const { event } = body
      if (event.type === 'PromptSubmitted' && !event.automatic) {
        const known = catalogues.get(project) ?? (await workflowsOf(project, io))
        catalogues.set(project, known)
        if (detectWorkflow(event.prompt, known))
          running.set(session, (await configOf(project, io)).config.handsoff.max_continuations)
        else running.delete(session)
      }
      const left = running.get(session) ?? 0
      if (event.type === 'TurnEnded' && left > 0) {
        count++
        running.set(session, left - 1)
      }
    }
    after = entries.at(-1)?.seq ?? after
    if (entries.length < 1000) return count
  }
}

async function workflowsOf(project: string, io: Io): Promise<readonly Workflow[]> {
  const { config, sources } = await configOf(project, io)
  const ports = {
    files: systemFiles,
    smallFiles: systemSmallFiles,
    env: io.env,
    home: io.home,
    stateDir: stateDir(io.env, io.home),
  }
  return (await readCatalogue(project, { workflows: config.workflows, sources }, ports)).workflows
}

async function wouldHandOff(io: Io, start: string | undefined): Promise<number> {
  const { sessions } = SessionList.parse(await callDaemon(folderOf(io), 'GET', '/api/sessions?limit=5000'))
  return sessions.filter(
    ({ context, lastSeenAt }) => context?.zone === 'trigger' && (!start || lastSeenAt >= start),
  ).length
}
