import { type FactName, HandoffFacts, type HandoffFinding } from '@batonpass/contract/handoff'
import { isScalar, parseDocument, stringify, visit } from 'yaml'

const EDGE = '---'
/** No honest front matter is longer than this; a hostile file might be. */
const MAX_LENGTH = 1_000_000

export function writeFacts(facts: HandoffFacts): string {
  return `${EDGE}\n${stringify(facts, { lineWidth: 0, aliasDuplicateObjects: false })}${EDGE}\n`
}

/** Splits a text into its front-matter facts and the rest. Unusable facts are reported and left out. */
export function readFacts(text: string): { facts: HandoffFacts; rest: string; findings: HandoffFinding[] } {
  const [, yaml, rest] =
    /^---[ \t]*\n([\s\S]*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)([\s\S]*)$/.exec(text) ?? []
  if (yaml === undefined || rest === undefined)
    return { facts: HandoffFacts.parse({}), rest: text, findings: [] }
  const findings: HandoffFinding[] = []
  const read: Record<string, unknown> = {}
  const given = yaml.length > MAX_LENGTH ? undefined : parseYamlMap(yaml)
  if (!given)
    findings.push(odd('front matter', 'The front matter is not a YAML map, so its facts are ignored'))
  for (const [key, value] of Object.entries(given ?? {})) {
    if (!isFact(key)) {
      findings.push({
        code: 'unknown-fact',
        weight: 'minor',
        where: key,
        message: `\`${key}\` is not a fact that Baton knows`,
      })
      continue
    }
    if (value === '') continue
    const parsed = HandoffFacts.shape[key].safeParse(convertValue(key, value))
    if (parsed.success) read[key] = parsed.data
    else
      findings.push(odd(key, `\`${key}\` cannot be read: ${parsed.error.issues[0]?.message ?? 'wrong form'}`))
  }
  return { facts: HandoffFacts.parse(read), rest, findings }
}

const isFact = (key: string): key is FactName => Object.hasOwn(HandoffFacts.shape, key)

const NUMBERS: ReadonlySet<string> = new Set([
  'baton',
  'ahead',
  'behind',
  'issue',
  'pr',
  'failing',
  'context_tokens',
])
const LISTS: ReadonlySet<string> = new Set([
  'dirty',
  'touched',
  'commands',
  'todos',
  'instructions',
  'findings',
])

/** Converts numbers and lists. YAML scalars are read as text, so that a commit id like 0123456 or 1e10 stays unchanged. */
function convertValue(key: string, value: unknown): unknown {
  if (NUMBERS.has(key)) return typeof value === 'string' ? Number(value.replace(/^#/, '')) : value
  if (LISTS.has(key) && typeof value === 'string') return /^none\.?$/i.test(value) ? [] : [value]
  if (key === 'tests' && typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, part]) =>
        part === '' ? [] : [[name, convertValue(name, part)]],
      ),
    )
  return value
}

function parseYamlMap(yaml: string): Record<string, unknown> | undefined {
  try {
    const document = parseDocument(yaml, { schema: 'failsafe', logLevel: 'silent' })
    // Only an unquoted null means "no value".
    visit(document, {
      Pair: (_, { value }) =>
        isScalar(value) && value.type === 'PLAIN' && /^(?:~|null)?$/i.test(String(value.value))
          ? visit.REMOVE
          : undefined,
    })
    const value: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 })
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined
  } catch {
    return undefined
  }
}

const odd = (where: string, message: string): HandoffFinding => ({
  code: 'odd-value',
  weight: 'minor',
  where,
  message,
})
