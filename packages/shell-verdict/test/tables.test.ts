import { expect, test } from 'vitest'
import { builtinPrograms, compilePrograms, TABLES } from '../src/programs/builtin.ts'
import { CHECKS } from '../src/programs/checks/registry.ts'
import { KINDS } from '../src/programs/kinds.ts'
import { type CompiledSpec, checkProgram } from '../src/programs/spec.ts'

/** What each field of a program table may hold. A table is data: no field holds a function. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  kind: value => isKind(value),
  bare: value => isKind(value),
  mildest: value => isKind(value),
  flags: value => typeof value === 'string',
  globals: value => typeof value === 'string',
  firstIsPathWith: value => typeof value === 'string',
  nouns: value => typeof value === 'string',
  parameters: value => typeof value === 'boolean',
  complete: value => typeof value === 'boolean',
  flagless: value => typeof value === 'boolean',
  help: value => typeof value === 'boolean',
  single: value => typeof value === 'boolean',
  posix: value => typeof value === 'boolean',
  known: value => typeof value === 'boolean',
  wrapper: value => typeof value === 'boolean',
  optionFiles: value => typeof value === 'boolean',
  namesOnly: value => typeof value === 'boolean',
  deletes: value => typeof value === 'boolean',
  min: value => Number.isInteger(value),
  max: value => Number.isInteger(value),
  verbAt: value => Number.isInteger(value),
  strip: value => value === 'find' || value === 'fd',
  check: value => typeof value === 'string' && Object.hasOwn(CHECKS, value),
  args: value => [value].flat().every(role => ROLES.has(String(role))),
  needs: value => isRecord(value) && typeof value['one'] === 'string' && isKind(value['otherwise']),
  verbs: value =>
    isRecord(value) &&
    Object.entries(value).every(([kind, text]) => isKind(kind) && typeof text === 'string'),
  paths: value =>
    isRecord(value) && Object.entries(value).every(([kind, list]) => isKind(kind) && Array.isArray(list)),
  sub: value => isRecord(value) && Object.values(value).every(entry => problemsOf(entry).length === 0),
}
const ROLES = new Set('copy text read write host url command source directory'.split(' '))

const isKind = (value: unknown): boolean => KINDS.some(kind => kind === value)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of an entry that its schema does not accept. */
function problemsOf(entry: unknown): string[] {
  if (isKind(entry)) return []
  if (!isRecord(entry)) return ['is neither a kind nor an object']
  return Object.entries(entry).flatMap(([field, value]) => (FIELDS[field]?.(value) ? [] : [field]))
}

test('every program table is plain data that its schema accepts', () => {
  const problems = TABLES.flatMap(table =>
    Object.entries(table).flatMap(([names, entry]) => problemsOf(entry).map(field => `${names}: ${field}`)),
  )
  expect(problems).toEqual([])
  expect(JSON.parse(JSON.stringify(TABLES))).toEqual(TABLES)
})

test('the schema refuses what is not data, and fields that no code reads', () => {
  expect(problemsOf({ kind: 'read', check: () => true })).toEqual(['check'])
  expect(problemsOf({ kind: 'reads', any: true })).toEqual(['kind', 'any'])
  expect(problemsOf({ sub: { x: { kind: 'read', flags: 1 } } })).toEqual(['sub'])
})

/** Flags that are harmless before the sub-command and not after it: the reader would believe the wrong place. */
function contradictions({ globals, sub }: CompiledSpec, path: string): string[] {
  return [...(sub ?? [])].flatMap(([name, child]) => [
    ...[...child.flags.exact].flatMap(([flag, { kind, role }]) => {
      const before = globals.exact.get(flag)
      const differs = before && before.kind === undefined && before.role === 'text'
      return differs && (kind !== undefined || role === 'write') ? [`${path} ${name} ${flag}`] : []
    }),
    ...contradictions(child, `${path} ${name}`),
  ])
}

test('a flag means the same before and after a sub-command', () => {
  const found = [...builtinPrograms()].flatMap(([name, compiled]) => contradictions(compiled, name))
  // `git -c` sets something, `git branch -c` copies: git takes its own flags only before the sub-command.
  expect(found).toEqual(['git branch -c'])
})

test('every program compiles, although each is compiled only when it is used', () => {
  for (const compiled of builtinPrograms().values()) expect(() => checkProgram(compiled)).not.toThrow()
  const wrong = { tool: { kind: 'read', sub: { part: { kind: 'read', flags: '-a:!' } } } } as const
  expect(() => compilePrograms([wrong])).toThrow('flag table: cannot read -a:!')
})

test('hundreds of programs are known', () => {
  expect(builtinPrograms().size).toBeGreaterThan(500)
})
