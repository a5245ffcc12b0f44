import { basename, dirname } from 'node:path'
import { BatonError } from '@batonpass/contract/errors'
import { systemFiles as files } from '../adapters/system/files.ts'
import { stateDir } from '../config/places.ts'
import { printable, problemLine } from '../config/problem.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { outside, realFile } from '../config/read.ts'
import { hashOf, setPin } from '../config/trust.ts'
import { fromFile } from '../work/workflows/declare.ts'
import { EXIT } from './command.ts'
import type { Io } from './io.ts'

const MAX_BYTES = 100_000

/** Whether a path names a workflow of a project: `.baton/workflows/NAME.md`. */
export const isWorkflowFile = (path: string): boolean =>
  path.endsWith('.md') &&
  basename(dirname(path)) === 'workflows' &&
  basename(dirname(dirname(path))) === '.baton'

/** Lets a project's workflow count as long as its bytes stay as they are, and says what it brings. */
export async function trustWorkflow(path: string, dryRun: boolean, io: Io): Promise<number> {
  const real = await realFile(path, findWorktreeRoot(dirname(path)), files)
  if (real === undefined) throw new BatonError('config_outside_project', problemLine(outside(path)))
  const { bytes } = await files.read(real, MAX_BYTES)
  const { workflows, problems } = fromFile(path, bytes)
  const [workflow] = workflows
  if (!workflow) {
    for (const problem of problems) io.stderr.write(`${problemLine(problem)}\n`)
    throw new BatonError('config_invalid', `${printable(path)} is not trusted`, { remedy: 'Fix it first.' })
  }
  if (!dryRun) await setPin(stateDir(io.env, io.home), real, hashOf(bytes), files)
  const rules = workflow.permissions.map(({ words, options }) => [...words, ...options].join(' '))
  io.stdout.write(
    `${dryRun ? 'Would trust' : 'Trusted'} ${printable(real)} as it is now. This counts with it:\n`,
  )
  io.stdout.write(`  commands: ${workflow.commands.map(command => `/${command}`).join(', ')}\n`)
  io.stdout.write(`  goal: ${printable(workflow.goal)}\n`)
  for (const rule of rules) io.stdout.write(`  runs without a question: ${printable(rule)}\n`)
  return EXIT.ok
}
