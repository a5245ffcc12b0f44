import { readdirSync, readFileSync } from 'node:fs'
import type { RuleToAdd } from '../config/add-rule.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { tilde } from '../config/user-file.ts'
import { type ListedRule, readAgentLists } from './agent-lists.ts'
import { type Io, printable } from './io.ts'
import { projectCommands } from './project-commands.ts'
import type { Questions } from './questions.ts'

const MOST_SHOWN = 15

/** Offers the rules of the agents' own lists, and the project's own commands. Writes nothing. */
export async function proposeRules(io: Io, questions: Questions, hasSandbox: boolean): Promise<RuleToAdd[]> {
  return [
    ...(await proposeLists(io, questions, hasSandbox)),
    // In the sandbox these run without a question, and a rule would let them out.
    ...(hasSandbox ? [] : await proposeCommands(io, questions)),
  ]
}

async function proposeLists(io: Io, questions: Questions, hasSandbox: boolean): Promise<RuleToAdd[]> {
  const listed = readAgentLists({ home: io.home, env: io.env, read: readText, names })
  const usable = listed.flatMap(each => (each.rule ? [{ ...each, rule: each.rule }] : []))
  if (usable.length === 0) return []
  const say = (line: string) => io.stdout.write(`${printable(line)}\n`)
  say("\nYour agents' own lists, which can count as rules for every agent:")
  const show = (list: readonly ListedRule[], rest: string) => {
    for (const each of list.slice(0, MOST_SHOWN)) say(`  ${each.decision.padEnd(5)} ${sourceOf(each, io)}`)
    if (list.length > MOST_SHOWN) say(`  and ${list.length - MOST_SHOWN} more${rest}`)
  }
  show(usable, '; the diff below shows all')
  const left = listed.filter(({ rule }) => rule === undefined)
  if (left.length > 0) say('Only the agent itself follows these, because no rule means exactly the same:')
  show(left, '')
  const isWidening = hasSandbox && usable.some(({ decision }) => decision === 'allow')
  if (isWidening) say('What they allow would run outside the sandbox, as before Baton.')
  if (!(await questions.yes('Add them to your settings?', !isWidening))) return []
  return usable.map(each => ({
    rule: each.rule,
    list: each.decision,
    scope: 'everywhere' as const,
    project: '',
    comment: `from ${sourceOf(each, io)}`,
  }))
}

/** One line, whatever is in the file. */
const sourceOf = ({ text, source }: ListedRule, { home }: Io): string =>
  `${text.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 120)} (${tilde(source, home)})`

async function proposeCommands(io: Io, questions: Questions): Promise<RuleToAdd[]> {
  const project = findWorktreeRoot(io.cwd)
  const commands = projectCommands(project, readText)
  if (commands.length === 0) return []
  io.stdout.write(`\nCommands that test or build ${printable(tilde(project, io.home))}:\n`)
  for (const command of commands) io.stdout.write(`  ${command}\n`)
  io.stdout.write("They run the project's own code, which an agent may change.\n")
  if (!(await questions.yes('Let agents run exactly these without asking?', false))) return []
  return commands.map(command => ({
    rule: { command, folder: '.' },
    scope: 'project' as const,
    project: tilde(project, io.home),
    comment: 'proposed by baton init',
  }))
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
