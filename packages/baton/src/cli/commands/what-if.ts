import { readFileSync } from 'node:fs'
import { EntryList } from '@batonpass/contract/api'
import { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { Entry } from '@batonpass/contract/journal'
import { plainValue } from '../../config/node.ts'
import { problemLine } from '../../config/problem.ts'
import { readConfig } from '../../config/read.ts'
import { REDACTED } from '../../journal/redact.ts'
import { subjectOf, type ToolEvent } from '../../permission/ask-for.ts'
import { EXIT, flag, type Handler, text } from '../command.ts'
import { callDaemon, folderOf } from '../daemon.ts'
import { type Io, printable } from '../io.ts'
import { configOf, type LocalJudge, localJudge, warnOf } from '../local-judge.ts'
import { sandboxFinder } from '../local-sandbox.ts'
import { decisionWords, type Outlook, outlook, snapshotThen } from '../outlook.ts'
import { parseSince } from '../parse-since.ts'
import { fitted } from '../wrap-words.ts'

const PAGE = 1000

/** Replays recorded tool calls under other rules and lists every decision that would change. */
export const whatIf: Handler = async (given, io) => {
  const proposed = configFrom(text(given, 'rules') ?? '')
  const from = text(given, 'since')
  const sides = new Map<string, Sides>()
  const json = flag(given, 'json')
  const findSandbox = sandboxFinder(io)
  let [replayed, changed, unreadable] = [0, 0, 0]
  for await (const { event, project } of toolCalls(io, from ? parseSince(from) : undefined)) {
    if (!isWhole(event)) {
      unreadable++
      continue
    }
    const known = sides.get(project) ?? (await sidesOf(project, proposed, findSandbox, io))
    sides.set(project, known)
    const [now, then] = [await known.current(event), await known.proposed(event)]
    replayed++
    if (decisionWords(now) === decisionWords(then)) continue
    changed++
    const subject = subjectOf(event)
    if (json)
      io.stdout.write(`${JSON.stringify({ at: event.at, tool: event.tool, subject, project, now, then })}\n`)
    else
      fitted(io)(
        `${decisionWords(now)} -> ${decisionWords(then)}  ${printable(subject)}\n    ${printable(then.reason)}\n`,
      )
  }
  const skipped = unreadable > 0 ? ` ${unreadable} could not be: the journal holds only their digests.` : ''
  if (!json) fitted(io)(`${replayed} tool calls replayed, ${changed} decisions would change.${skipped}\n`)
  return EXIT.ok
}

type FindSandbox = ReturnType<typeof sandboxFinder>
type Side = (event: ToolEvent) => Promise<Outlook>
interface Sides {
  current: Side
  proposed: Side
}

async function sidesOf(project: string, proposed: Config, findSandbox: FindSandbox, io: Io): Promise<Sides> {
  const loaded = await configOf(project, io)
  warnOf(loaded, io)
  const side = (config: Config): Side => {
    const rules: LocalJudge = localJudge(config, project, io)
    const place = { project, config, findSandbox, snapshot: snapshotThen }
    return event => outlook(event, rules.call(event), place, io)
  }
  return { current: side(loaded.config), proposed: side(proposed) }
}

/** With `journal.content: digest` the words are gone; a secret that was taken out changes nothing. */
export const isWhole = (event: ToolEvent): boolean =>
  !/^sha256:[0-9a-f]{64} bytes:\d+$/.test(subjectOf(event).replaceAll(REDACTED, ''))

/** The file is read as it is, without asking whether it is trusted: nothing runs by it. */
function configFrom(file: string): Config {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    throw new BatonError('config_unreadable', `${file} cannot be read`, {
      cause,
      remedy: 'Pass a file in the form of .baton.yaml.',
    })
  }
  const { node, problems } = readConfig(bytes, file)
  if (!node || problems.length > 0)
    throw new BatonError('config_invalid', problems.map(problemLine).join('\n') || `${file} is empty`)
  return Config.parse(plainValue(node))
}

export async function* toolCalls(
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
