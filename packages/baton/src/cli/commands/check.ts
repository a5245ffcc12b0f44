import { createInterface } from 'node:readline'
import { Config } from '@batonpass/contract/config'
import { BatonError } from '@batonpass/contract/errors'
import type { PermissionJudgement } from '@batonpass/contract/permission'
import { z } from 'zod'
import { systemFiles } from '../../adapters/system/files.ts'
import { realpath } from '../../adapters/system/realpath.ts'
import { loadConfig } from '../../config/load.ts'
import { stateDir } from '../../config/places.ts'
import { findWorktreeRoot } from '../../config/project.ts'
import { nextLink } from '../../permission/chain.ts'
import { judge } from '../../permission/judge.ts'
import { rulesInForce } from '../../permission/rules-in-force.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { type Io, paint, printable } from '../io.ts'

interface Verdict {
  command: string
  decision: 'allow' | 'deny' | 'ask' | 'defer'
  reason: string
  judgement: PermissionJudgement
}

/** Decides about a command without running it, by the rules alone: no model and no person is asked. */
export const check: Handler = async (given, io) => {
  const decide = await decider(given, io)
  if (flag(given, 'batch')) return await batch(decide, io)
  const command = given.positionals[0]
  if (command === undefined)
    throw new BatonError('usage', 'COMMAND is missing', { remedy: 'See `baton check --help`.' })
  const { judgement, ...verdict } = decide(command)
  if (flag(given, 'json')) {
    io.stdout.write(
      `${JSON.stringify({ ...verdict, trail: judgement.trail, effects: judgement.effects, reversible: judgement.reversible })}\n`,
    )
    return EXIT.ok
  }
  const colour = paint(io)
  const style = verdict.decision === 'allow' ? 'green' : verdict.decision === 'deny' ? 'red' : 'yellow'
  io.stdout.write(`${colour(style, verdict.decision)}: ${printable(verdict.reason)}\n`)
  for (const step of judgement.trail)
    io.stdout.write(
      `  ${step.decision.padEnd(9)} ${printable(step.part)}  ${colour('dim', printable(`${step.reason} [${step.rule}]`))}\n`,
    )
  return EXIT.ok
}

async function decider(given: Given, io: Io): Promise<(command: string) => Verdict> {
  const worktree = findWorktreeRoot(io.cwd)
  const places = { project: worktree, env: io.env, home: io.home, stateDir: stateDir(io.env, io.home) }
  const defaults = flag(given, 'defaults')
  const config = defaults ? Config.parse({}) : (await loadConfig(places, { files: systemFiles })).config
  const rules = rulesInForce(config, { worktree, home: io.home })
  const settings = {
    undo: config.permission.undo && !defaults,
    undecided: config.permission.undecided,
    model: false,
  }
  const tool = text(given, 'tool') ?? 'Bash'
  return command => {
    const input =
      tool === 'Bash' ? { command } : tool === 'WebFetch' ? { url: command } : { file_path: command }
    const guarded = { folders: [places.stateDir], ports: [], pids: [] }
    const judgement = judge({ tool, input, cwd: io.cwd, worktree, home: io.home, guarded }, rules, {
      realpath,
    })
    const next = nextLink(judgement, settings)
    const decision =
      next.link === 'decided'
        ? next.decision
        : next.link === 'undo'
          ? 'allow'
          : next.link === 'defer'
            ? 'defer'
            : 'ask'
    const reason = next.link === 'undo' ? 'stays inside the worktree and can be undone' : judgement.reason
    return { command, decision, reason, judgement }
  }
}

const Line = z.object({ command: z.string() })

async function batch(decide: (command: string) => Verdict, io: Io): Promise<number> {
  let failed = 0
  for await (const line of createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const parsed = Line.safeParse(parseJson(line))
    if (!parsed.success) {
      failed++
      io.stdout.write(`${JSON.stringify({ error: 'not a line of the form {"command": "…"}' })}\n`)
      continue
    }
    const { command, decision, reason } = decide(parsed.data.command)
    io.stdout.write(`${JSON.stringify({ command, decision, reason })}\n`)
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
