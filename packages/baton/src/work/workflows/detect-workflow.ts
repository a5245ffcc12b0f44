import type { Workflow } from './workflow.ts'

export interface Detected {
  workflow: Workflow
  issue?: number
}

/** The workflow that a prompt starts. A command in the middle of a sentence does not count. */
export function detectWorkflow(prompt: string, workflows: readonly Workflow[]): Detected | undefined {
  // Long enough for every command, and a cheap limit for huge pasted texts.
  const line = prompt.slice(0, MAX_LENGTH).trimStart()
  const [, name, rest = ''] =
    /^\/(?:[A-Za-z0-9][\w.-]{0,63}:){0,3}([A-Za-z0-9][\w.-]*)(?:\s([\s\S]*))?$/.exec(line) ?? []
  const workflow = name === undefined ? undefined : byCommand(workflows, name)
  if (!workflow) return undefined
  const issue = workflow.takesIssue ? issueIn(rest) : undefined
  return { workflow, ...(issue === undefined ? {} : { issue }) }
}

const MAX_LENGTH = 100_000

function byCommand(workflows: readonly Workflow[], name: string): Workflow | undefined {
  return workflows.findLast(workflow => workflow.commands.includes(name))
}

/**
 * Reads the issue: the first word after the command, or the word after `--dry-run`, `--refine` or `--from-issue`.
 * A number later in a sentence is not an issue: `/ultra-planner add 3 buttons`.
 */
function issueIn(rest: string): number | undefined {
  const words = rest.trim().split(/\s+/, 40)
  const named = words.flatMap((word, i) => {
    const attached = /^--(?:refine|from-issue)=(.+)$/.exec(word)?.[1]
    return numberOf(attached) ?? (FLAGS.has(word) ? numberOf(words[i + 1]) : undefined) ?? []
  })
  return numberOf(words[0]) ?? named[0]
}

const FLAGS: ReadonlySet<string> = new Set(['--dry-run', '--refine', '--from-issue'])

function numberOf(word = ''): number | undefined {
  const digits =
    /^#?(\d{1,9})$/.exec(word)?.[1] ??
    /^https?:\/\/[^\s/]+\/[^\s/]+\/[^\s/]+\/issues\/(\d{1,9})\/?(?:[#?]\S*)?$/.exec(word)?.[1]
  return Number(digits) || undefined
}
