import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'

const top = join(import.meta.dirname, '../../..')
const FOLDERS = [
  'packages/contract/src',
  'packages/shell-verdict/src',
  'packages/baton/src',
  'packages/baton/test',
  'apps/dashboard/src',
  'apps/vscode/src',
]

/** Nouns that only look like a bare gerund. */
const NOUNS = new Set(['anything', 'binding', 'finding', 'meaning', 'setting', 'string'])

/** Words of 0.1 that no one would search for. docs/glossary.md says what to write instead. */
const POETIC = [
  ...[
    'belonging',
    'chance',
    'considerate',
    'ear',
    'farewells',
    'grip',
    'leftovers',
    'newsroom',
    'remarks',
    'room',
  ],
  ...[
    'sighting',
    'standing',
    'turnout',
    'upkeep',
    'brought',
    'harvest',
    'patience',
    'farewell',
    'own-words',
    'so-far',
  ],
  ...['look-after', 'asked-twice', 'at-hand', 'spoken-in', 'persons-words'],
]

const files = FOLDERS.flatMap(folder =>
  readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !name.includes('fixtures/'))
    .map(name => `${folder}/${name}`),
)

const found = files.flatMap(file => [
  ...(isAvoided(basename(file).replace(/(?:\.test)?\.tsx?$/, '')) ? [`${file}: ${basename(file)}`] : []),
  ...exportsOf(file)
    .filter(name => isAvoidedExport(name))
    .map(name => `${file}: ${name}`),
])
it('files and exports have names that people would search for', () => {
  expect(found).toEqual([])
})

it.each(['taking', 'room', 'sessions-at-hand', 'own-words'])('%s is a name to avoid for a file', name => {
  expect(isAvoided(name)).toBe(true)
})

it.each(['Farewells', 'SessionsAtHand', 'MOST_TRIES', 'LONGEST', 'Passing', 'systemChance'])(
  '%s is a name to avoid for an export',
  name => {
    expect(isAvoidedExport(name)).toBe(true)
  },
)

it.each(['start-next-stage', 'setting', 'reporting-backend', 'opening-prompt', 'learn'])(
  '%s is fine',
  name => {
    expect(isAvoided(name)).toBe(false)
  },
)

/** Phrases of 0.1 in the titles of tests, which are sentences that people read when something fails. */
const PHRASES =
  /\b(?:(?:go|goes|going|went) on\b|mend(?:s|ed|ing)?\b|anew\b|tells? of\b|heard of\b|stands? beside\b)/i

it('the titles of tests are plain English', () => {
  const titles = files
    .filter(file => /\.(?:test|contract)\.ts$/.test(file))
    .flatMap(file => titlesOf(file).map(title => `${file}: ${title}`))
  expect(titles.length).toBeGreaterThan(1000)
  expect(titles.filter(title => PHRASES.test(title))).toEqual([])
})

function titlesOf(file: string): string[] {
  const text = readFileSync(join(top, file), 'utf8')
  const calls = /^\s*(?:test|it|describe)(?:\.each\(.*\))?\(\s*(['`"])(.*?)\1,/gm
  return [...text.matchAll(calls)].flatMap(([, , title]) => title ?? [])
}

function isAvoided(name: string): boolean {
  const isGerund = /^[a-z]+ing$/.test(name) && !NOUNS.has(name)
  return isGerund || POETIC.some(word => `-${name}-`.includes(`-${word}-`))
}

/** A function has a verb, a class is a thing, a limit is a MAX or a MIN. */
function isAvoidedExport(name: string): boolean {
  if (/^[A-Z_]+$/.test(name)) return /^(?:MOST|LONGEST|LARGEST|DEEPEST|FEWEST|LEAST)(?:_|$)/.test(name)
  return isAvoided(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase())
}

function exportsOf(file: string): string[] {
  const text = readFileSync(join(top, file), 'utf8')
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:class|interface|type|function\*?|const|enum) ([A-Za-z_$][\w$]*)/gm
  return [...text.matchAll(declared)].flatMap(([, name]) => name ?? [])
}
