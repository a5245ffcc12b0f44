import { decidingCommands, type ShellOptions } from '@batonpass/shell-verdict/shell/deciding-commands'
import { readYaml } from './ci-commands.ts'
import { MAKEFILES } from './derive-checks.ts'
import { calledScripts, readScripts, type Scripts } from './package-scripts.ts'
import { isShellScript } from './relevant-files.ts'

/** A command of CI as it is written. */
export interface CiCommand {
  command: string
  /** Whether CI fails if it fails. */
  decides: boolean
  /** What Baton cannot read, and therefore not say whether CI fails with it. */
  unread?: string | undefined
}

/** The commands in the values of `run`, `script` and their like: those that may test something, or all. */
export function commandsIn(text: string | undefined, which: 'tests' | 'all' = 'tests'): CiCommand[] {
  if (text === undefined || text.length > MAX_TEXT) return []
  return commandsOfScripts(scriptsIn(readYaml(text), MAX_LEVELS), which)
}

const commandsOfScripts = (scripts: readonly CiScript[], which: 'tests' | 'all'): CiCommand[] =>
  scripts.flatMap(({ script, shell, decides }) =>
    readCommands(script, shell, which).map(each => ({ ...each, decides: decides && each.decides })),
  )

/**
 * What CI does in a file, each with all that its step says otherwise and the conditions around it: the actions that it uses, without
 * their versions, and all commands that decide. Undefined if Baton cannot read it.
 */
export function partsIn(text = ''): string[] | undefined {
  const file = text.length > MAX_TEXT ? undefined : readYaml(text)
  if (file === undefined) return text === '' ? [] : undefined
  try {
    return stepsIn(file, MAX_LEVELS, []).flatMap(({ step, around }) => {
      const own = Object.entries(step).filter(
        ([key]) => !SCRIPT_KEY.test(key) && !/^(?:name|id|uses)$/.test(key),
      )
      const scripts = Object.fromEntries(Object.entries(step).filter(([key]) => SCRIPT_KEY.test(key)))
      const shell = shellOf(step)
      const commands = commandsOfScripts(scriptsIn(scripts, 2, shell), 'all')
      const does = [
        ...(typeof step.uses === 'string' ? [step.uses.replace(/@.*$/, '')] : []),
        ...commands.flatMap(({ command, decides }) => (decides ? [command] : [])),
      ]
      const under = JSON.stringify([around, own.sort(([one], [other]) => (one < other ? -1 : 1))])
      return does.map(each => `${each}\n${under}`)
    })
  } catch {
    // It may contain itself.
    return undefined
  }
}

interface Step {
  step: Record<string, unknown>
  around: readonly unknown[]
}

function stepsIn(value: unknown, depth: number, around: readonly unknown[]): Step[] {
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const step = value as Record<string, unknown>
  const isStep = Object.keys(step).some(key => key === 'uses' || SCRIPT_KEY.test(key))
  const conditions = Object.entries(step).filter(([key]) => CONDITION.test(key))
  const inner = conditions.length > 0 ? [...around, conditions] : around
  return [
    ...(isStep ? [{ step, around }] : []),
    ...Object.values(step).flatMap(each => stepsIn(each, depth - 1, inner)),
  ]
}

/** What says for all steps of a job, or of a file, whether and where they run. */
const CONDITION = /^(?:if|when|rules|only|except|condition|defaults|shell|working[-_]?directory)$/i

/** The commands of a shell text. Where it is not valid shell, all of them count, but only for what was like that before. */
function readCommands(text: string, options: Shell, which: 'tests' | 'all' = 'tests'): CiCommand[] {
  const isKnown = typeof options !== 'string'
  // Values of CI, such as `${{ matrix.node }}`, are not shell.
  const found = isKnown && decidingCommands(text.replaceAll(/\$\{\{.{0,500}?\}\}/g, 'VALUE'), options)
  const deciding = new Set(found ? found.deciding : [])
  const unread = isKnown ? 'text' : options
  const commands: CiCommand[] = found
    ? found.running.map(command => ({ command, decides: deciding.has(command) }))
    : text
        .replaceAll(/\\\n/g, ' ')
        .split('\n')
        .map(line => line.replace(/(?:^|\s)#.*$/, ''))
        .flatMap(line => (line.split('||')[0] ?? '').split(/&&|[;|]/))
        .map(command => ({ command, decides: true, unread }))
  return commands
    .map(each => ({ ...each, command: each.command.replaceAll(/\s+/g, ' ').trim().slice(0, 500) }))
    .filter(({ command }) => command !== '' && (which === 'all' || !TESTS_NOTHING.test(command)))
}

/** How a shell treats commands that fail, or the name of one that Baton does not read. */
type Shell = ShellOptions | string

interface CiScript {
  script: string
  shell: Shell
  decides: boolean
}

function scriptsIn(value: unknown, depth: number, shell?: string): CiScript[] {
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const named = shellOf(value) ?? shell
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!SCRIPT_KEY.test(key)) return scriptsIn(inner, depth - 1, named)
    const lines = [inner].flat(2).filter(each => typeof each === 'string')
    const own = lines.length > 0 && typeof inner !== 'object' && key === 'pwsh' ? 'pwsh' : named
    return [
      // A list is one script.
      { script: lines.join('\n'), shell: readShell(own), decides: key !== 'after_script' },
      ...scriptsIn(inner, depth - 1, named),
    ]
  })
}

/** The shell of a step, or of all below `defaults`. */
function shellOf(value: object): string | undefined {
  const { shell, defaults } = value as { shell?: unknown; defaults?: { run?: { shell?: unknown } } | null }
  if (typeof shell === 'string') return shell
  const common = typeof defaults === 'object' ? defaults?.run?.shell : undefined
  return typeof common === 'string' ? common : undefined
}

/** How CI starts a shell: `bash` has `-eo pipefail`, an own command line with `{0}` only what it names, and no name `-e`. */
function readShell(shell: string | undefined): Shell {
  if (shell === undefined || shell === 'sh') return { errexit: true, pipefail: false }
  if (shell === 'bash') return { errexit: true, pipefail: true }
  // With another option, such as `-n` or `-c`, a shell may run nothing of the script.
  if (!OWN_SHELL.test(shell)) return shell.slice(0, 1000)
  return { errexit: /\s-\w*e|errexit/.test(shell), pipefail: /pipefail/.test(shell) }
}

const OWN_SHELL =
  /^(?:\S*\/)?(?:ba|da|z|k)?sh(?:\s+(?:-[eiluvx]+|-[eiluvx]*o\s+(?:errexit|nounset|pipefail|xtrace)|--(?:noprofile|norc|login)))*(?:\s+\{0\})?\s*$/

/** GitHub, GitLab, CircleCI and Azure. */
const SCRIPT_KEY = /^(?:run|script|before_script|after_script|command|bash|pwsh)$/

/** What commands of CI may call: the scripts of package.json, targets of a Makefile, shell scripts. */
export interface Callees {
  scripts: Scripts
  /** The rules of the Makefile by target. */
  rules: Rules
  /** Whether make ignores what fails. */
  ignores: boolean
  shell: ReadonlyMap<string, string>
  /** What was read already: each file, script and target once. */
  read: Map<string, CiCommand[]>
  /** How many more commands may be followed: hostile files could call each other without end. */
  left: number
}

export function callees(files: readonly (readonly [path: string, text: string | undefined])[]): Callees {
  const texts = new Map(
    files.flatMap(([path, text]) => (text !== undefined && text.length <= MAX_TEXT ? [[path, text]] : [])),
  )
  const makefile = MAKEFILES.map(name => texts.get(name)).find(text => text !== undefined) ?? ''
  return {
    scripts: readScripts(texts.get('package.json')),
    rules: rulesIn(makefile),
    ignores: /^\.IGNORE\s*:/m.test(makefile),
    shell: new Map([...texts].filter(([path]) => isShellScript(path))),
    read: new Map(),
    left: MAX_FOLLOWED,
  }
}

/** The commands, or what the files that they call run. */
export function runBy(commands: readonly CiCommand[], files: Callees): CiCommand[] {
  const found = new Map<string, CiCommand>()
  const seen = new Set<string>()
  const follow = (each: CiCommand, depth: number) => {
    const { command, decides, unread } = each
    const key = JSON.stringify([command, decides, unread])
    if (seen.has(key) || files.left <= -MAX_COMMANDS) return
    seen.add(key)
    files.left -= 1
    const parts = depth < MAX_DEPTH && files.left > 0 ? calledBy(command, files) : undefined
    if (!parts) found.set(key, each)
    for (const part of parts ?? []) {
      // Who calls it with other arguments runs the same.
      const own = JSON.stringify([part, decides, unread])
      if (seen.has(own)) continue
      seen.add(own)
      for (const inner of commandsOf(part, files).slice(0, MAX_COMMANDS))
        follow(
          { ...inner, decides: decides && part.decides && inner.decides, unread: unread ?? inner.unread },
          depth + 1,
        )
    }
  }
  for (const each of commands) follow(each, 0)
  return [...found.values()]
}

/** Something that a command calls. */
interface Part {
  kind: 'script' | 'target' | 'file'
  name: string
  decides: boolean
}

/** What a command calls; undefined if it calls nothing known. */
function calledBy(command: string, files: Callees): Part[] | undefined {
  const { scripts, rules, shell } = files
  const words = command.split(/[\s'"]+/).map(word => word.replace(/^\.\//, ''))
  // A pattern such as `test:*` is compared with every name.
  files.left -= Math.floor((words.length * scripts.size) / 10_000)
  const names = calledScripts(command, scripts)
  if (names.length > 0)
    return [
      ...new Set(names.slice(0, MAX_COMMANDS).flatMap(name => [`pre${name}`, name, `post${name}`])),
    ].map(name => ({ kind: 'script', name, decides: true }))
  const make = words.findIndex(word => /^g?make$|^\$[({]MAKE[)}]$/.test(word))
  if (make >= 0 && !words.some(word => /^(?:-C|-f|--directory|--file)/.test(word))) {
    const ignores = files.ignores || words.some(word => /^(?:-\w*i\w*|--ignore-errors)$/.test(word))
    const targets = words.slice(make + 1).filter(word => !word.startsWith('-') && rules.has(word))
    if (targets.length > 0) return targets.map(name => ({ kind: 'target', name, decides: !ignores }))
  }
  const script = words.find(
    (word, n) =>
      shell.has(word) &&
      (n === 0 ||
        /^(?:\S*\/)?(?:ba|da|z|k)?sh$|^-\w+$|^(?:source|\.|env|sudo|exec|time)$/.test(words[n - 1] ?? '')),
  )
  return script === undefined ? undefined : [{ kind: 'file', name: script, decides: true }]
}

function commandsOf({ kind, name }: Part, { scripts, rules, shell, read }: Callees): CiCommand[] {
  const key = `${kind} ${name}`
  const known = read.get(key)
  if (known) return known
  const text = shell.get(name) ?? ''
  const commands =
    kind === 'script'
      ? readCommands(scripts.get(name) ?? '', PLAIN)
      : kind === 'target'
        ? targetCommands(rules.get(name) ?? { needs: [], recipe: [] }, rules)
        : readCommands(text, shebangOptions(text))
  const wanted = commands.filter(each => !TESTS_NOTHING.test(each.command))
  read.set(key, wanted)
  return wanted
}

const PLAIN: ShellOptions = { errexit: false, pipefail: false }

function shebangOptions(text: string): ShellOptions {
  const first = /^#!.*sh\b(.*)/.exec(text)?.[1] ?? ''
  return { errexit: /\s-\w*e/.test(first), pipefail: /pipefail/.test(first) }
}

type Rules = ReadonlyMap<string, Rule>

interface Rule {
  needs: string[]
  recipe: string[]
}

/** The rules of a Makefile by target. Of several for one target, all say what it needs, and the last how it is made. */
function rulesIn(makefile: string): Rules {
  const found = new Map<string, Rule>()
  let rule: Rule | undefined
  let isNew = false
  for (const line of makefile.replaceAll(/\\\n/g, ' ').split('\n')) {
    if (line.trim() === '') continue
    if (/^[\t ]/.test(line)) {
      if (rule && isNew) rule.recipe = []
      isNew = false
      rule?.recipe.push(line)
      continue
    }
    const [, name, needs = ''] = /^([^:]*):(?![:=])(.*)$/.exec(line) ?? []
    rule = undefined
    if (name === undefined) continue
    const target = name.trimEnd()
    rule = found.get(target) ?? { needs: [], recipe: [] }
    rule.needs.push(...needs.split(/[\s|#;]+/).filter(each => each !== ''))
    found.set(target, rule)
    isNew = true
  }
  return found
}

/** What a target needs, and the commands of its rule: each line has a shell of its own, and `-` before it ignores its failure. */
function targetCommands({ needs, recipe }: Rule, rules: Rules): CiCommand[] {
  const first = needs
    .filter(name => rules.has(name))
    .map(name => ({ command: `make ${name}`, decides: true }))
  const own = recipe.flatMap(line => {
    const [, marks = '', text = ''] = /^\s*([-@+]*)(.*)$/.exec(line) ?? []
    return readCommands(text.replaceAll('$$', '$'), PLAIN).map(each => ({
      ...each,
      decides: each.decides && !marks.includes('-'),
    }))
  })
  return [...first, ...own]
}

/** Commands that test nothing, whatever their arguments are, and installations. */
const TESTS_NOTHING =
  /^(?:sudo\s+)?(?:(?:echo|printf|mkdir|cp|mv|rm|cat|ls|cd|git|export|touch|chmod|tar|curl|wget|sleep|true|false|if|then|else|for|do)\b|[:[]|test\s+-|(?:\S+\s+){1,3}?(?:install|add)\b)/
const MAX_COMMANDS = 500
const MAX_TEXT = 500_000
/** Levels of a file of CI. */
const MAX_LEVELS = 12
/** Calls inside one another. */
const MAX_DEPTH = 30
const MAX_FOLLOWED = 4_000
