import { createInterface } from 'node:readline'
import { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import { z } from 'zod'
import { gitGrantFacts } from '../../adapters/git/grant-facts.ts'
import { fileKind } from '../../adapters/system/file-kind.ts'
import { realpath } from '../../adapters/system/realpath.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { readGrantsInForce } from '../../permission/grants/grants-in-force.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { type Io, paint, printable } from '../io.ts'
import { configOf, localJudge, warnOf } from '../local-judge.ts'
import { sandboxFinder } from '../local-sandbox.ts'
import { grantsHere } from '../local-workflows.ts'
import { decisionWords, type Outlook, outlook, snapshotNow, unreportedCall } from '../outlook.ts'
import { stepLine } from '../step-line.ts'
import { fitted } from '../wrap-words.ts'

interface Verdict extends Outlook {
  command: string
  judgement: PermissionJudgement
}

/** Decides about a command without running it, by the rules alone: no model and no person is asked. */
export const check: Handler = async (given, io) => {
  const [command] = given.positionals
  const isBatch = flag(given, 'batch')
  if (isBatch === (command !== undefined))
    throw new BatonError('usage', isBatch ? '--batch takes no COMMAND' : 'COMMAND is missing', {
      remedy: 'See `baton check --help`.',
    })
  const decide = await decider(given, io)
  if (command === undefined) return await batch(decide, io)
  const { judgement, ...verdict } = await decide(command)
  if (flag(given, 'json')) {
    const { trail, effects, reversible } = judgement
    io.stdout.write(`${JSON.stringify({ ...verdict, trail, effects, reversible })}\n`)
    return EXIT.ok
  }
  const write = fitted(io)
  const colour = paint(io)
  const style = verdict.decision === 'allow' ? 'green' : verdict.decision === 'deny' ? 'red' : 'yellow'
  // The steps below say why it would need a decision elsewhere. That does not explain this one.
  const isInside = verdict.sandbox && verdict.decision === 'allow' && judgement.decision !== 'allow'
  const reason = isInside ? 'it runs there without a question' : verdict.reason
  write(`${colour(style, decisionWords(verdict))}: ${printable(reason)}\n`)
  for (const step of judgement.trail) write(stepLine(step, colour))
  if (verdict.outside !== undefined && verdict.outside !== verdict.reason)
    write(`  ${colour('dim', printable(`not in the sandbox: ${verdict.outside}`))}\n`)
  if (verdict.noUndo !== undefined) write(`  ${colour('dim', printable(`no undo: ${verdict.noUndo}`))}\n`)
  return EXIT.ok
}

async function decider(given: Given, io: Io): Promise<(command: string) => Promise<Verdict>> {
  const worktree = findWorktreeRoot(io.cwd)
  const config = flag(given, 'defaults')
    ? Config.parse({ permission: { undo: false } })
    : await loaded(worktree, io)
  const rules = localJudge(config, worktree, io)
  const tool = text(given, 'tool') ?? 'Bash'
  const grants = flag(given, 'defaults') ? [] : await grantsHere(io)
  const isContained = tool === 'Bash' && config.sandbox.mode !== 'off' && !flag(given, 'no-sandbox')
  const findSandbox = isContained ? sandboxFinder(io) : undefined
  const place = { project: worktree, config, findSandbox, snapshot: snapshotNow(io) }
  return async command => {
    const shell = tool === 'Bash' || tool === 'Shell' ? command : undefined
    const inForce = await readGrantsInForce(grants, { folder: io.cwd, command: shell }, GRANT_PORTS)
    const input = inputOf(tool, command)
    const judgement = rules.tool({ tool, input, cwd: io.cwd, ...(inForce ? { grants: inForce } : {}) })
    const action = shell === undefined ? ({ kind: 'other' } as const) : { kind: 'shell' as const, command }
    const event = unreportedCall({ agent: 'claude-code', tool, input, action, cwd: io.cwd, mode: 'default' })
    const verdict = await outlook(event, judgement, place, io)
    return { command, ...verdict, judgement }
  }
}

const GRANT_PORTS = { facts: gitGrantFacts, realpath, fileKind }

async function loaded(worktree: string, io: Io): Promise<Config> {
  const found = await configOf(worktree, io)
  warnOf(found, io)
  return found.config
}

/** The one field of a tool's input that the rules look at. */
function inputOf(tool: string, subject: string): Record<string, string> {
  if (tool === 'Bash' || tool === 'Shell') return { command: subject }
  if (tool === 'WebFetch') return { url: subject }
  return tool === 'WebSearch' ? { query: subject } : { file_path: subject }
}

const Line = z.object({ command: z.string() })

async function batch(decide: (command: string) => Promise<Verdict>, io: Io): Promise<number> {
  let failed = 0
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const parsed = Line.safeParse(parseJson(line))
    if (!parsed.success) {
      failed++
      io.stdout.write(`${JSON.stringify({ error: 'not a line of the form {"command": "…"}' })}\n`)
      continue
    }
    const { command, decision, sandbox, reason } = await decide(parsed.data.command)
    io.stdout.write(`${JSON.stringify({ command, decision, ...(sandbox ? { sandbox } : {}), reason })}\n`)
  }
  return failed > 0 ? EXIT.failed : EXIT.ok
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
