import { decidingCommands, type ShellOptions } from '@batonpass/shell-verdict/shell/deciding-commands'
import { readYaml } from './ci-commands.ts'
import { recipesOf } from './derive-checks.ts'
import { calledScripts, readScripts, type Scripts } from './package-scripts.ts'

const isMakefile = (path: string): boolean => /^(?:GNUm|[Mm])akefile$/.test(path)
const isShellScript = (path: string): boolean =>
  /\.(?:sh|bash)$|(?:^|\/)(?:scripts?|bin|ci|\.ci|tools|hack)\/[^./]+$/.test(path)

/** Whether commands of CI may call this file, and Baton can read what it runs. */
export const mayBeCalled = (path: string): boolean =>
  path === 'package.json' || isMakefile(path) || isShellScript(path)

/** A command of CI as it is written. */
export interface CiCommand {
  command: string
  /** Whether CI fails if it fails. */
  decides: boolean
}

/** The commands in the values of `run`, `script` and their like. */
export function commandsIn(text: string | undefined): CiCommand[] {
  if (text === undefined || text.length > MAX_TEXT) return []
  return scriptsIn(readYaml(text), MAX_DEPTH).flatMap(({ script, options, decides }) =>
    readCommands(script, options).map(each => ({ ...each, decides: decides && each.decides })),
  )
}

/** The commands of a shell text. Where it is not valid shell, all of them count. */
function readCommands(text: string, options: ShellOptions | undefined): CiCommand[] {
  // Values of CI, such as `${{ matrix.node }}`, are not shell.
  const found = options && decidingCommands(text.replaceAll(/\$\{\{.*?\}\}/g, 'VALUE'), options)
  const commands = found
    ? found.running.map(command => ({ command, decides: found.deciding.includes(command) }))
    : text
        .replaceAll(/\\\n/g, ' ')
        .split('\n')
        .map(line => line.replace(/(?:^|\s)#.*$/, ''))
        .flatMap(line => (line.split('||')[0] ?? '').split(/&&|[;|]/))
        .map(command => ({ command, decides: true }))
  return commands
    .map(({ command, decides }) => ({
      command: command.replaceAll(/\s+/g, ' ').trim().slice(0, 500),
      decides,
    }))
    .filter(({ command }) => command !== '' && !TESTS_NOTHING.test(command))
}

interface CiScript {
  script: string
  /** Undefined: not a shell that Baton reads. */
  options: ShellOptions | undefined
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
      { script: lines.join('\n'), options: optionsOf(own), decides: key !== 'after_script' },
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
function optionsOf(shell: string | undefined): ShellOptions | undefined {
  if (shell === undefined || shell === 'sh') return { errexit: true, pipefail: false }
  if (shell === 'bash') return { errexit: true, pipefail: true }
  if (!/^(?:\S*\/)?(?:ba|da|z|k)?sh\s/.test(shell)) return undefined
  return { errexit: /\s-\w*e|errexit/.test(shell), pipefail: /pipefail/.test(shell) }
}

/** GitHub, GitLab, CircleCI and Azure. */
const SCRIPT_KEY = /^(?:run|script|before_script|after_script|command|bash|pwsh)$/

/** What commands of CI may call: the scripts of package.json, targets of a Makefile, shell scripts. */
export interface Callees {
  scripts: Scripts
  makefile: string | undefined
  shell: ReadonlyMap<string, string>
}

export function callees(files: readonly (readonly [path: string, text: string | undefined])[]): Callees {
  const textOf = (wanted: (path: string) => boolean) => files.find(([path]) => wanted(path))?.[1]
  return {
    scripts: readScripts(textOf(path => path === 'package.json')),
    makefile: textOf(isMakefile),
    shell: new Map(
      files.flatMap(([path, text]) =>
        isShellScript(path) && text !== undefined && text.length <= MAX_TEXT ? [[path, text]] : [],
      ),
    ),
  }
}

/** The command, or what the files that it calls run. */
export function runBy({ command, decides }: CiCommand, files: Callees, depth = 0): CiCommand[] {
  const called = depth < MAX_DEPTH ? calledBy(command, files) : undefined
  if (!called) return [{ command, decides }]
  return called
    .filter(each => !TESTS_NOTHING.test(each.command))
    .slice(0, MAX_COMMANDS)
    .flatMap(each => runBy({ command: each.command, decides: decides && each.decides }, files, depth + 1))
    .slice(0, MAX_COMMANDS)
}

/** The commands of what a command calls; undefined if it calls nothing known. */
function calledBy(command: string, { scripts, makefile, shell }: Callees): CiCommand[] | undefined {
  const names = calledScripts(command, scripts)
  if (names.length > 0)
    return names
      .flatMap(name => [`pre${name}`, name, `post${name}`])
      .flatMap(name => readCommands(scripts.get(name) ?? '', PLAIN))
  const words = command.split(/[\s'"]+/).map(word => word.replace(/^\.\//, ''))
  const make = words.findIndex(word => /^g?make$|^\$[({]MAKE[)}]$/.test(word))
  if (
    make >= 0 &&
    makefile !== undefined &&
    !words.some(word => /^(?:-C|-f|--directory|--file)/.test(word))
  ) {
    const targets = words.slice(make + 1).filter(word => /^[\w.-]+$/.test(word) && !word.startsWith('-'))
    const ignores =
      words.some(word => /^(?:-\w*i\w*|--ignore-errors)$/.test(word)) || /^\.IGNORE\s*:/m.test(makefile)
    const rules = targets.flatMap(target => recipesOf(makefile, target))
    if (rules.length > 0)
      return rules.flatMap(recipeCommands).map(each => ({ ...each, decides: each.decides && !ignores }))
  }
  const script = words.find(
    (word, n) =>
      shell.has(word) &&
      (n === 0 ||
        /^(?:\S*\/)?(?:ba|da|z|k)?sh$|^-\w+$|^(?:source|\.|env|sudo|exec|time)$/.test(words[n - 1] ?? '')),
  )
  const text = script === undefined ? undefined : shell.get(script)
  return text === undefined ? undefined : readCommands(text, shebangOptions(text))
}

const PLAIN: ShellOptions = { errexit: false, pipefail: false }

function shebangOptions(text: string): ShellOptions {
  const first = /^#!.*sh\b(.*)/.exec(text)?.[1] ?? ''
  return { errexit: /\s-\w*e/.test(first), pipefail: /pipefail/.test(first) }
}

/** The commands of a make rule: each line has a shell of its own, and `-` before it ignores its failure. */
function recipeCommands(rule: string): CiCommand[] {
  const [, ...lines] = rule.replaceAll(/\\\n/g, ' ').split('\n')
  return lines.flatMap(line => {
    const [, marks = '', text = ''] = /^\s*([-@+]*)(.*)$/.exec(line) ?? []
    return readCommands(text.replaceAll('$$', '$'), PLAIN).map(each => ({
      ...each,
      decides: each.decides && !marks.includes('-'),
    }))
  })
}

/** Commands that test nothing, whatever their arguments are, and installations. */
const TESTS_NOTHING =
  /^(?:sudo\s+)?(?:(?:echo|printf|mkdir|cp|mv|rm|cat|ls|cd|git|export|touch|chmod|tar|curl|wget|sleep|true|false|if|then|else|for|do)\b|[:[]|test\s+-|(?:\S+\s+){1,3}?(?:install|add)\b)/
const MAX_COMMANDS = 500
const MAX_TEXT = 500_000
const MAX_DEPTH = 12
