import { parse } from 'yaml'
import type { CommitTree } from '../ports/checkouts.ts'

/** The steps of GitHub's workflow files that test or check something: one command each, without values of CI. */
export async function ciCommands(
  tree: CommitTree,
  paths: readonly string[],
): Promise<{ command: string; where: string; definition: string }[]> {
  const files = paths.filter(path => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path)).slice(0, 20)
  const found = new Map<string, string>()
  for (const file of files)
    for (const step of stepsOf(await tree.read(file))) if (!found.has(step)) found.set(step, file)
  return [...found].map(([command, where]) => ({ command, where, definition: command }))
}

const CHECKS = /\b(test|tests|pytest|lint|check|typecheck|tsc|vet|clippy|rspec|phpunit|tox|nox)\b/
/** Steps that need the outside, or values that only CI knows. */
const OUTSIDE =
  /\$\{\{|\$[A-Z_{]|\b(docker|podman|kubectl|aws|gcloud|terraform|curl|wget|sudo|apt-get|apt|gh|deploy|publish|codecov)\b/

function stepsOf(text: string | undefined): string[] {
  const jobs = readKey(readYaml(text), 'jobs')
  if (typeof jobs !== 'object' || jobs === null) return []
  return Object.values(jobs).flatMap(job => {
    const steps = readKey(job, 'steps')
    if (!Array.isArray(steps)) return []
    return steps.flatMap(step => {
      const run = readKey(step, 'run')
      const inRoot = readKey(step, 'working-directory') === undefined && readKey(step, 'if') === undefined
      if (typeof run !== 'string' || !inRoot) return []
      const lines = run
        .split('\n')
        .map(line => line.trim())
        .filter(Boolean)
      const [only = ''] = lines
      return lines.length === 1 && only.length <= 300 && CHECKS.test(only) && !OUTSIDE.test(only)
        ? [only]
        : []
    })
  })
}

/** The value of a YAML text; undefined if it is not valid. */
export function readYaml(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parse(text, { maxAliasCount: 100 })
  } catch {
    return undefined
  }
}

const readKey = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
