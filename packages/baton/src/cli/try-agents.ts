import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { agents } from '../adapters/agents/agent-list.ts'
import { programFile } from '../adapters/system/agent-process.ts'
import { onPath } from '../adapters/system/on-path.ts'
import { readText } from '../adapters/system/read-text.ts'
import { runRewriteTrial } from '../adapters/system/rewrite-trial.ts'
import { findWorktreeRoot } from '../config/project.ts'
import type { StateFolder } from '../config/state-folder.ts'
import { replaceFile } from '../daemon/secret-file.ts'
import { RewriteProofs, TRIALS_FILE } from '../sandbox/rewrite-proofs.ts'
import { lacksBubblewrap } from './install-bubblewrap.ts'
import type { Io } from './io.ts'
import { configOf } from './local-judge.ts'

/**
 * Starts the program of each chosen agent once with a scripted model, and finds out whether it runs what a hook puts in a
 * command's place. Otherwise the agent's first command in the sandbox would be refused for that. Lines for people.
 */
export async function tryAgents(chosen: readonly string[], folder: StateFolder, io: Io): Promise<string[]> {
  const here = findWorktreeRoot(io.cwd)
  const { config } = await configOf(here, io)
  if (process.platform !== 'linux' || lacksBubblewrap(io) || config.sandbox.mode === 'off') return []
  const trials = new RewriteProofs({
    load: async () => readText(join(folder.dir, TRIALS_FILE)),
    save: async text => replaceFile(join(folder.dir, TRIALS_FILE), text, 0o600),
  })
  const lines: string[] = []
  for (const { adapter, sandboxing } of agents) {
    const trial = chosen.includes(adapter.name) ? sandboxing?.trial : undefined
    const file = trial && programOutside([here, io.cwd], adapter.programs, io)
    if (!trial || !file) continue
    const of = { agent: adapter.name, program: await programFile(file) }
    if ((await trials.stateOf(of)) !== 'unknown') continue
    const state = await runRewriteTrial(file, trial, folder.dir, { signal: io.signal })
    // An update in between: which of the two ran is not known.
    if (!state || (await programFile(file).catch(() => undefined)) !== of.program) continue
    await trials.record(of, state)
    lines.push(
      state === 'proven'
        ? `Started ${adapter.title} once without a model: its commands run in Baton's sandbox`
        : `${adapter.title} does not run its commands in Baton's sandbox (${file}): Baton judges them by their text`,
    )
  }
  return lines
}

/** The program that the user's PATH names. One of the project is never started: it could be anything. */
function programOutside(
  projects: readonly string[],
  programs: readonly string[],
  { env }: Pick<Io, 'env'>,
): string | undefined {
  const [found] = programs.flatMap(name => onPath(name, env) ?? [])
  if (found === undefined) return undefined
  const file = realpathSync(found)
  const isInside = projects.some(
    folder =>
      [found, file].some(path => path.startsWith(folder + sep)) ||
      file.startsWith(realpathSync(folder) + sep),
  )
  return isInside ? undefined : file
}
