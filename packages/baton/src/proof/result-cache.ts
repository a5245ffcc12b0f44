import { createHash } from 'node:crypto'
import { type Check, CheckResult, type Proof } from '@batonpass/contract/proof'
import { readJsonFile } from '../ports/json-files.ts'
import type { SmallFiles } from '../ports/small-files.ts'

/** Checks that are expensive and depend only on the commit. */
type CachedCheck = Extract<Check, { kind: 'run' | 'review' | 'task' | 'diff' }>
type About = Pick<Proof, 'commit' | 'base' | 'setup' | 'issue'>

/** Results by commit and check. A check that timed out or could not run is tried again. */
export interface ResultCache {
  get(about: About, check: CachedCheck): Promise<CheckResult | undefined>
  put(about: About, check: CachedCheck, result: CheckResult): Promise<void>
}

const FOLDER = 'proof-results'
const MAX_RESULTS = 2000

export function filedResults(files: SmallFiles, stateDir: string): ResultCache {
  return {
    get: (about, check) => readJsonFile(files, stateDir, nameOf(about, check), CheckResult),
    async put(about, check, result) {
      if (result.status !== 'passed' && result.status !== 'failed' && result.status !== 'flaky') return
      await files.write(stateDir, nameOf(about, check), JSON.stringify(result))
      const all = await files.list(stateDir, FOLDER)
      if (all.length <= MAX_RESULTS) return
      const oldest = [...all].sort((a, b) => a.modifiedMs - b.modifiedMs).slice(0, all.length - MAX_RESULTS)
      for (const { name } of oldest) await files.remove(stateDir, `${FOLDER}/${name}`)
    },
  }
}

function nameOf(about: About, check: CachedCheck): string {
  const key = JSON.stringify(partsOf(about, check))
  return `${FOLDER}/${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`
}

function partsOf({ commit, base, setup, issue }: About, check: CachedCheck): unknown[] {
  switch (check.kind) {
    case 'run':
      return [commit, setup ?? null, check.command, check.exit, check.output ?? null]
    case 'review':
      return [commit, base, 'review', check.rubric, check.agent ?? null, check.model ?? null]
    case 'task':
      return [commit, base, 'task', check.task]
    case 'diff':
      return [commit, base, 'diff', check.name, issue?.text ?? null]
  }
}
