import type { Config } from '@batonpass/contract/config'
import { type Check, type CheckDeclaration, DoneWhen, type IssueChecks } from '@batonpass/contract/proof'
import { visible } from '@batonpass/contract/visible'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Forge, Issue } from '../ports/forge.ts'
import { checksFrom, uniquelyNamed } from './declared-checks.ts'

const MAX_BODY = 65_536
const MAX_CHECKS = 30
const Block = z.strictObject({ done_when: DoneWhen })

/** Kinds of checks that any author may add: they only look at the commit. */
const HARMLESS = ['files', 'diff']

/**
 * Reads the checks in the fenced `baton` blocks and the task list of an issue. Strangers write issues: a command of an author who
 * is not trusted is left out, and a box of a task list is never a command. A block that Baton cannot read adds nothing.
 */
export function readIssueChecks(issue: number, body: string, isTrusted: boolean): IssueChecks {
  const [done_when, refused]: [CheckDeclaration[], string[]] = [[], []]
  for (const text of blocksIn(body)) {
    const block = Block.safeParse(parsed(text))
    if (!block.success) refused.push('a `baton` block is not a valid list of checks (`done_when`)')
    else
      for (const check of block.data.done_when)
        if (isTrusted || (typeof check !== 'string' && HARMLESS.some(kind => kind in check)))
          done_when.push(check)
        else refused.push(`${wordsOf(check)} does not count: its author is not in proof.trusted_authors`)
  }
  return {
    issue,
    done_when: done_when.slice(0, MAX_CHECKS),
    tasks: openBoxes(body),
    isTrusted,
    refused: refused.slice(0, MAX_CHECKS),
  }
}

/** The checks of an issue. Trusted are the user's own login (`me`) and those in `proof.trusted_authors`. */
export async function checksOfIssue(
  { number, title, author, body }: Pick<Issue, 'number' | 'title' | 'author' | 'body'>,
  forge: Pick<Forge, 'me'>,
  { trusted_authors, tasks }: Pick<Config['proof'], 'trusted_authors' | 'tasks'>,
): Promise<IssueChecks> {
  const own = await forge.me().catch(() => undefined)
  const trusted = [...trusted_authors, ...(own ? [own] : [])].map(login => login.toLowerCase())
  const isTrusted = author !== undefined && trusted.includes(author.toLowerCase())
  const found = readIssueChecks(number, body, isTrusted)
  return { ...found, tasks: tasks ? found.tasks : [], text: `${title}\n\n${body}`.slice(0, MAX_TEXT) }
}

/** Adds the checks of an issue to the others. What a stranger adds never makes work proven by itself. */
export function withIssueChecks(
  checks: readonly Check[],
  added: IssueChecks | undefined,
  minutes: number,
): Check[] {
  if (!added || (checks.length === 0 && !added.isTrusted)) return [...checks]
  const { issue, done_when } = added
  const where = `issue #${issue}`
  const tasks = added.tasks.map(
    (task): Check => ({ kind: 'task', name: task.slice(0, 80), source: 'issue', where, task, minutes }),
  )
  return uniquelyNamed([...checks, ...checksFrom(done_when, 'issue', where, minutes), ...tasks])
}

/** The open boxes of a task list, outside of code and comments. What is too much for one review becomes one box. */
function openBoxes(body: string): string[] {
  const text = normal(body)
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replaceAll(FENCED, '')
  const all = [...text.matchAll(/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[ \][ \t]+(\S[^\n]*)$/gm)].map(
    ([, words = '']) => visible(words).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TASK),
  )
  const [tasks, rest] = [all.slice(0, MAX_TASKS), all.slice(MAX_TASKS)]
  return rest.length === 0
    ? tasks
    : [...tasks, `${rest.length} more open boxes: ${rest.join('; ')}`.slice(0, MAX_TASK)]
}

const MAX_TASKS = 30
const MAX_TASK = 300
/** How much of an issue is kept to say what the work is for. */
const MAX_TEXT = 8000

const normal = (body: string): string => body.slice(0, MAX_BODY).replaceAll('\r\n', '\n')
const FENCED = /^(?<fence>```+|~~~+)(?<info>[^\n`]*)\n(?<text>[\s\S]*?)^\k<fence>[ \t]*$/gm

const blocksIn = (body: string): string[] =>
  [...normal(body).matchAll(FENCED)].flatMap(({ groups }) =>
    groups?.info?.trim() === 'baton' ? (groups.text ?? '') : [],
  )

function parsed(text: string): unknown {
  try {
    // Without aliases, a small text cannot grow.
    return parse(text, { maxAliasCount: 0, logLevel: 'error' })
  } catch {
    return undefined
  }
}

const wordsOf = (check: CheckDeclaration): string =>
  (typeof check === 'string'
    ? check
    : 'run' in check
      ? check.run
      : `the check \`${Object.keys(check).find(key => key !== 'name')}\``
  ).slice(0, 80)
