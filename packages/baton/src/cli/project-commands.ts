import { join } from 'node:path'

/** Names that tests and builds have. What deploys, publishes or deletes has others, and is not proposed. */
const USUAL =
  /^(test|build|lint|format|fmt|typecheck|type-check|check|compile|coverage)(?:[:_-][a-z0-9]{1,20}){0,2}$/
const LONGEST = 200_000

/** Commands of a project that only test, check or build it: package scripts, and targets of make and just. */
export function projectCommands(project: string, read: (path: string) => string | undefined): string[] {
  const text = (name: string) => (read(join(project, name)) ?? '').slice(0, LONGEST)
  const manager = MANAGERS.find(([lock]) => read(join(project, lock)) !== undefined)?.[1] ?? 'npm'
  const scripts = scriptsIn(text('package.json')).map(name =>
    name === 'test' ? `${manager} test` : `${manager} run ${name}`,
  )
  const targets = targetsIn(text('Makefile')).map(name => `make ${name}`)
  const recipes = targetsIn(text('justfile')).map(name => `just ${name}`)
  return [...new Set([...scripts, ...targets, ...recipes])]
}

const MANAGERS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
] as const

function scriptsIn(text: string): string[] {
  try {
    const { scripts } = JSON.parse(text)
    return Object.keys(scripts ?? {}).filter(name => USUAL.test(name))
  } catch {
    return []
  }
}

/** Targets without parameters: `test: build`, but not `test file:` or `NAME := x`. */
const targetsIn = (text: string): string[] =>
  [...text.matchAll(/^([a-z][\w-]*)\s*:(?![=:])/gm)]
    .map(([, name = '']) => name)
    .filter(name => USUAL.test(name))
