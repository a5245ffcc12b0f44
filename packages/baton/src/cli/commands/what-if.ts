import { readFileSync } from 'node:fs'
import { EntryList } from '@batonpass/contract/api'
import { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { Entry } from '@batonpass/contract/journal'
import { systemFiles } from '../../adapters/system/files.ts'
import { realpath } from '../../adapters/system/realpath.ts'
import { loadConfig } from '../../config/load.ts'
import { plainValue } from '../../config/node.ts'
import { problemLine } from '../../config/problem.ts'
import { readConfig } from '../../config/read.ts'
import { subjectOf, type ToolEvent } from '../../permission/ask-for.ts'
import { judge } from '../../permission/judge.ts'
import { requestsOf, strictest } from '../../permission/requests.ts'
import type { RuleSet } from '../../permission/rules/compile.ts'
import { rulesInForce } from '../../permission/rules-in-force.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { since } from '../since.ts'

const PAGE = 1000

/** Replays recorded tool calls under other rules and lists every decision that would change. */
export const whatIf: Handler = async (given, io) => {
  const file = text(given, 'rules') ?? ''
  const proposed = configFrom(file)
  const from = text(given, 'since')
  let replayed = 0
  let changed = 0
  for await (const { event, project } of toolCalls(io, from ? since(from) : undefined)) {
    const place = { worktree: project, home: io.home }
    const now = decisionUnder(rulesInForce(await inForce(project, io), place), event, project, io)
    const then = decisionUnder(rulesInForce(proposed, place), event, project, io)
    replayed++
    if (now.decision === then.decision) continue
    changed++
    if (flag(given, 'json'))
      io.stdout.write(
        `${JSON.stringify({ at: event.at, tool: event.tool, subject: subjectOf(event), now, then })}\n`,
      )
    else
      io.stdout.write(
        `${now.decision} -> ${then.decision}  ${printable(subjectOf(event))}\n    ${printable(then.reason)}\n`,
      )
  }
  if (!flag(given, 'json'))
    io.stdout.write(`${replayed} tool calls replayed, ${changed} decisions would change.\n`)
  return EXIT.ok
}

function decisionUnder(rules: RuleSet, event: ToolEvent, worktree: string, io: Io) {
  const cwd = event.cwd ?? worktree
  const { decision, reason } = strictest(
    requestsOf(event).map(request =>
      judge({ ...request, cwd, worktree, home: io.home }, rules, { realpath }),
    ),
  )
  return { decision, reason }
}

const loaded = new Map<string, Config>()
async function inForce(project: string, io: Io): Promise<Config> {
  const known = loaded.get(project)
  if (known) return known
  const { config } = await loadConfig(
    { project, env: io.env, home: io.home, stateDir: folderOf(io).dir },
    { files: systemFiles },
  )
  loaded.set(project, config)
  return config
}

/** The file is read as it stands, without asking whether it is trusted: nothing runs by it. */
function configFrom(file: string): Config {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    throw new BatonError('config_unreadable', `${file} cannot be read`, { cause })
  }
  const { node, problems } = readConfig(bytes, file)
  if (!node || problems.length > 0)
    throw new BatonError('config_invalid', problems.map(problemLine).join('\n') || `${file} is empty`)
  return Config.parse(plainValue(node))
}

async function* toolCalls(
  io: Io,
  from: string | undefined,
): AsyncGenerator<{ event: ToolEvent; project: string }> {
  let after = 0
  for (;;) {
    const query = new URLSearchParams({
      kind: 'event',
      after: String(after),
      limit: String(PAGE),
      ...(from ? { since: from } : {}),
    })
    const { entries } = EntryList.parse(
      await callDaemon(folderOf(io), 'GET', `/api/journal?${query}`, 60_000),
    )
    for (const entry of entries) {
      const event = toolRequest(entry)
      if (event) yield { event, project: entry.project ?? event.cwd ?? '/' }
    }
    after = entries.at(-1)?.seq ?? after
    if (entries.length < PAGE) return
  }
}

const toolRequest = ({ body }: Entry): ToolEvent | undefined =>
  body.kind === 'event' && body.event.type === 'ToolRequested' ? body.event : undefined
