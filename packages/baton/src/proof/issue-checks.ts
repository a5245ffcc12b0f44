import { type Check, type CheckDeclaration, DoneWhen, type IssueChecks } from '@batonpass/contract/proof'
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
 * Reads the checks in the fenced `baton` blocks of an issue. Strangers write issues: a command of an author who is not trusted is
 * left out. A block that Baton cannot read adds nothing.
 */
export function readIssueChecks(issue: number, body: string, isTrusted: boolean): IssueChecks | undefined {
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
  if (done_when.length + refused.length === 0) return undefined
  return {
    issue,
    done_when: done_when.slice(0, MAX_CHECKS),
    isTrusted,
    refused: refused.slice(0, MAX_CHECKS),
  }
}

/** The checks of an issue. Trusted are the user's own login (`me`) and those in `proof.trusted_authors`. */
export async function checksOfIssue(
  { number, author, body }: Pick<Issue, 'number' | 'author' | 'body'>,
  forge: Pick<Forge, 'me'>,
  trustedAuthors: readonly string[],
): Promise<IssueChecks | undefined> {
  if (blocksIn(body).length === 0) return undefined
  const own = await forge.me().catch(() => undefined)
  const trusted = [...trustedAuthors, ...(own ? [own] : [])].map(login => login.toLowerCase())
  return readIssueChecks(number, body, author !== undefined && trusted.includes(author.toLowerCase()))
}

/** Adds the checks of an issue to the others. What a stranger adds never makes work proven by itself. */
export function withIssueChecks(
  checks: readonly Check[],
  added: IssueChecks | undefined,
  minutes: number,
): Check[] {
  if (!added || (checks.length === 0 && !added.isTrusted)) return [...checks]
  const { issue, done_when } = added
  return uniquelyNamed([...checks, ...checksFrom(done_when, 'issue', `issue #${issue}`, minutes)])
}

const blocksIn = (body: string): string[] =>
  [
    ...body
      .slice(0, MAX_BODY)
      .replaceAll('\r\n', '\n')
      .matchAll(/^(?<fence>```+|~~~+)(?<info>[^\n`]*)\n(?<text>[\s\S]*?)^\k<fence>[ \t]*$/gm),
  ].flatMap(({ groups }) => (groups?.info?.trim() === 'baton' ? (groups.text ?? '') : []))

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
