/** The scripts of a package.json, by name. */
export type Scripts = ReadonlyMap<string, string>

/** Reads the scripts of a package.json; none if it is missing or not valid. */
export function readScripts(manifest: string | undefined): Scripts {
  try {
    const scripts: unknown = JSON.parse(manifest ?? '{}')?.scripts
    if (typeof scripts !== 'object' || scripts === null) return new Map()
    return new Map(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return new Map()
  }
}

/** What a script runs: its own text, those of `pre` and `post`, and those of all scripts that they call. */
export function textsOfScript(name: string, scripts: Scripts): string[] {
  const seen = new Set<string>()
  const collect = (name: string): string[] => {
    if (seen.has(name) || seen.size >= MAX_SCRIPTS) return []
    seen.add(name)
    return [`pre${name}`, name, `post${name}`].flatMap(part => {
      const text = scripts.get(part)
      if (text === undefined) return []
      return [
        text,
        ...text
          .split(SEPARATORS)
          .flatMap(command => calledScripts(command, scripts))
          .flatMap(collect),
      ]
    })
  }
  return collect(name)
}

/** The scripts that one command calls directly, such as `unit` in `npm run unit`. None if it is about another folder. */
export function calledScripts(command: string, scripts: Scripts): string[] {
  const all = command.split(/[\s'"]+/).filter(word => word !== '')
  const at = all.findIndex(word => MANAGERS.has(word) || RUN_MANY.has(word) || word === 'node')
  // What follows `--` is for the script itself.
  const end = all.indexOf('--', at)
  const words = end < 0 ? all : all.slice(0, end)
  const program = words[at]
  if (program === undefined || words.some(word => ELSEWHERE.test(word))) return []
  const rest = words.slice(at + 1)
  if (program === 'node') return known(rest[rest.indexOf('--run') + 1], scripts, rest.includes('--run'))
  if (RUN_MANY.has(program))
    return rest.flatMap(word => matching(word.replace(/^(?:npm|pnpm|yarn|bun):/, ''), scripts))
  const named = rest.filter(word => !word.startsWith('-'))
  // Not always the first word: options before it may have a value.
  const run = named.findIndex((word, n) => RUN.has(word) && scripts.has(named[n + 1] ?? ''))
  const isRun = run >= 0
  const name = isRun ? named[run + 1] : (SHORT.get(named[0] ?? '') ?? named[0])
  return known(name, scripts, isRun || program !== 'npm' || LIFECYCLE.has(name ?? ''))
}

const MAX_SCRIPTS = 100
/** Between the commands of a line. */
const SEPARATORS = /&&|\|\||(?<![<>])&(?!>)|[;|\n]|(?<=^|[\s(])\(|\)(?=\s*(?:$|[)&|;]))/
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun', '$npm_execpath'])
const RUN = new Set(['run', 'run-script', 'rum', 'urn'])
/** Programs that run several scripts. */
const RUN_MANY = new Set(['npm-run-all', 'npm-run-all2', 'run-s', 'run-p', 'concurrently'])
/** Words without which npm does not take a name for a script. */
const LIFECYCLE = new Set(['test', 'start', 'stop', 'restart'])
const SHORT = new Map([
  ['t', 'test'],
  ['tst', 'test'],
])
/** Options that name another package. */
const ELSEWHERE = /^(?:--(?:prefix|workspaces?|filter|cwd|dir)|-C|-w|-ws|-r|--recursive)(?:=|$)/

const known = (name: string | undefined, scripts: Scripts, does: boolean): string[] =>
  does && name !== undefined && scripts.has(name) ? [name] : []

/** `test:*` stands for all scripts that begin with `test:`; so, for Baton, does `test:!(slow)`, which leaves some out. */
function matching(name: string, scripts: Scripts): string[] {
  const star = name.search(/[*?!({[]/)
  return star < 0
    ? known(name, scripts, true)
    : [...scripts.keys()].filter(each => star > 0 && each.startsWith(name.slice(0, star)))
}
