import { basename } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import { GrantKind } from '@batonpass/contract/grant'
import { type CommandRule, WorkflowDeclaration, WorkflowName } from '@batonpass/contract/workflow'
import { type MapNode, nodeAt, plainValue, type Source } from '../../config/node.ts'
import { parseConfig } from '../../config/parse.ts'
import { type ConfigProblem, printable } from '../../config/problem.ts'
import { fillIn } from './continuation-prompt.ts'
import type { Workflow } from './workflow.ts'

export interface Declared {
  workflows: Workflow[]
  problems: ConfigProblem[]
}

/** Reads the workflows of `.baton.yaml`; `sources` has the file and line of each key. */
export function fromConfig(
  declared: Config['workflows'],
  sources: ReadonlyMap<string, Source> = new Map(),
): Declared {
  const found: Declared = { workflows: [], problems: [] }
  for (const [name, value] of Object.entries(declared)) {
    const place = (path: readonly PropertyKey[]) => {
      const keys = ['workflows', name, ...path.map(String)]
      for (let depth = keys.length; depth > 0; depth--) {
        const wanted = keys.slice(0, depth).join('.')
        const source = sources.get(wanted) ?? [...sources].find(([key]) => key.startsWith(`${wanted}.`))?.[1]
        if (source?.kind === 'file') return source
      }
      return { file: '.baton.yaml' }
    }
    add(found, name, value, place, undefined)
  }
  return found
}

/** Reads a workflow from its own file: the front matter has the settings, the rest is the prompt. */
export function fromFile(path: string, bytes: Uint8Array): Declared {
  const found: Declared = { workflows: [], problems: [] }
  const name = basename(path, '.md')
  const text = new TextDecoder()
    .decode(bytes)
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
  const [, front, body] = /^---\n([\s\S]*?)(?:\n|^)---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? []
  if (front === undefined) {
    found.problems.push(problem({ file: path, line: 1 }, 'expected front matter between two lines of ---'))
    return found
  }
  // The blank line replaces the first ---, so that line numbers match the file.
  const { node, problems } = parseConfig(new TextEncoder().encode(`\n${front}`), path)
  found.problems.push(...problems)
  if (!node || problems.length > 0) return found
  const value = { ...plainValue(node), ...(body?.trim() ? { prompt: body.trim() } : {}) }
  add(found, name, value, keys => lineOf(node, keys, path), path)
  return found
}

type Place = (path: readonly PropertyKey[]) => { file: string; line?: number; column?: number }

function add(found: Declared, name: string, value: unknown, place: Place, file: string | undefined): void {
  if (!WorkflowName.safeParse(name).success) {
    found.problems.push(
      problem(place([]), `the workflow name ${JSON.stringify(name.slice(0, 80))} is not valid`, NAME_RULE),
    )
    return
  }
  const parsed = WorkflowDeclaration.safeParse(value)
  if (parsed.success) {
    found.workflows.push(toWorkflow(name, parsed.data, file))
    return
  }
  for (const issue of parsed.error.issues) {
    const keys =
      issue.code === 'unrecognized_keys' ? issue.keys.map(key => [...issue.path, key]) : [issue.path]
    for (const path of keys)
      found.problems.push(problem(place(path), ...describeIssue(name, path, issue.code)))
  }
}

function describeIssue(
  name: string,
  path: readonly PropertyKey[],
  code: string,
): [message: string, remedy: string] {
  const key = path.length > 0 ? `workflow ${name}: ${path.map(String).join('.')}` : `workflow ${name}`
  const known = Object.keys(WorkflowDeclaration.shape)
  if (code === 'unrecognized_keys') return [`${key}: unknown key`, `Expected one of ${known.join(', ')}.`]
  const first = String(path[0] ?? '')
  const expected = EXPECTED[first] ?? 'a map of settings'
  return [`${key}: expected ${expected}`, `Fix the key; docs/guides/hands-off.md describes it.`]
}

const EXPECTED: Record<string, string> = {
  commands: 'a list of slash commands such as [/release]',
  takes_issue: 'true or false',
  goal: 'one or two sentences of text',
  prompt: 'the prompt for an agent that stops early (in a file: the text below the front matter)',
  completion: 'one of pull-request, plan-issue, board, said',
  done_when: 'a list of 1 to 30 checks such as "npm test" (docs/guides/proof.md)',
  permissions: 'a list of commands such as "gh release create"',
  grants: `a list of ${GrantKind.options.join(', ')}`,
  files: 'a list of files below .tmp, such as .tmp/notes.md',
  labels: 'a list of names of labels',
}
const NAME_RULE = 'Use letters, digits, dots, dashes and underscores.'

function toWorkflow(name: string, declared: WorkflowDeclaration, file: string | undefined): Workflow {
  const { goal, prompt } = declared
  return {
    name,
    commands: (declared.commands ?? [name]).map(command => command.replace(/^\//, '')),
    takesIssue: declared.takes_issue,
    goal,
    completion: declared.completion,
    permissions: declared.permissions.map(ruleOf),
    grants: { may: declared.grants, files: declared.files, labels: declared.labels },
    ...(declared.done_when ? { doneWhen: declared.done_when } : {}),
    ...(declared.unanswered ? { unanswered: declared.unanswered } : {}),
    ...(declared.unanswered_minutes ? { unansweredMinutes: declared.unanswered_minutes } : {}),
    nature: declared.completion === 'plan-issue' ? 'thinking' : 'building',
    prompt: facts => fillIn(prompt, goal, facts),
    ...(file === undefined ? {} : { file }),
  }
}

/** Parses `gh label create --force`: the words before the first option must come first, the options anywhere after. */
export function ruleOf(text: string): CommandRule {
  const words = text.trim().split(/\s+/)
  const first = words.findIndex(word => word.startsWith('-'))
  const split = first < 0 ? words.length : Math.max(first, 1)
  return {
    words: words.slice(0, split),
    options: words.slice(split).filter(word => word.startsWith('-')),
    never: [],
  }
}

function lineOf(node: MapNode, path: readonly PropertyKey[], file: string): ReturnType<Place> {
  const { key, node: at } = nodeAt(
    node,
    path.map(step => (typeof step === 'number' ? step : String(step))),
  )
  const source = key.kind === 'file' ? key : at.source
  return source.kind === 'file' ? { file, line: source.line, column: source.column } : { file, line: 1 }
}

const problem = (place: ReturnType<Place>, message: string, remedy?: string): ConfigProblem => ({
  code: 'config_invalid',
  file: place.file,
  ...(place.line === undefined ? {} : { line: place.line }),
  ...(place.column === undefined ? {} : { column: place.column }),
  message: printable(message),
  ...(remedy ? { remedy } : {}),
})
