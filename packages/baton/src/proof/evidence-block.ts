import type { CheckResult, Proof } from '@batonpass/contract/proof'
import { visible } from '@batonpass/contract/visible'
import type { Forge } from '../ports/forge.ts'

const START = '<!-- baton:proof -->'
const END = '<!-- /baton:proof -->'
const MAX_WHY = 600

/** A short block about a proof for the text of a pull request: verdict, commit, checks, durations and links. */
export function evidenceBlock(proof: Proof, repository?: Forge['repository']): string {
  const { commit, checks, results, setup, setupResult, verdict, why, running, contradictions = [] } = proof
  const at = `commit ${linked(commit.slice(0, 10), repository && commitUrl(repository, commit))}, on a clean checkout`
  const lines = [...(setupResult && setup ? [{ ...setupResult, name: `setup: ${setup}` }] : []), ...results]
  return [
    START,
    '## Proof',
    '',
    verdict === undefined
      ? `**Not proven yet**, Baton waits for ${cell(running ?? 'the checks')}. It looks at ${at}.`
      : verdict === 'proven'
        ? `**Proven.** Baton ran ${checks.length === 1 ? 'the check' : 'these checks'} itself on ${at}.`
        : `**Unproven: ${cell(why ?? 'no reason given')}.** Baton looked at ${at}.`,
    ...(lines.length > 0 ? ['', '| check | result | time |', '|---|---|---|', ...lines.map(rowOf)] : []),
    ...(contradictions.length > 0 ? ['', 'What the agent reported differs from what Baton found:', ''] : []),
    ...contradictions.map(each => `- ${cell(each)}`),
    END,
  ].join('\n')
}

function rowOf({ name, status, why, note, url, seconds }: CheckResult): string {
  const result = [status === 'passed' ? 'passed' : cell(why ?? status), ...(note ? [cell(note)] : [])].join(
    '. ',
  )
  return `| ${linked(cell(name), url)} | ${result} | ${Math.round(seconds)} s |`
}

/** The page of a commit; undefined for a repository that is not on a web page. */
const commitUrl = ({ host, owner, name }: Forge['repository'], commit: string): string | undefined =>
  /[.:]/.test(host) ? `https://${host}/${owner}/${name}/commit/${commit}` : undefined

/** `text` is a cell already. An address with characters that could end the link is left out. */
const linked = (text: string, url: string | undefined): string =>
  url !== undefined && /^https?:\/\/[\w.~:/?#@!$&+,;=%-]{1,500}$/.test(url) ? `[${text}](${url})` : text

/** Names and reasons come from the repository: nothing in them may end the cell, the block or mention people and issues. */
const cell = (text: string): string =>
  visible(text)
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_WHY)
    .replaceAll(/[&<>|`*_[\]\\~]|[@#](?=\w)/g, found =>
      found === '@' || found === '#' ? `${found}&#8203;` : `&#${found.codePointAt(0)};`,
    )

/** The text with this block: in the place of an earlier one, otherwise at the end. */
export function withEvidence(body: string, block: string): string {
  const from = body.indexOf(START)
  const to = from < 0 ? -1 : body.indexOf(END, from)
  if (from < 0 || to < 0) return `${body.trimEnd()}\n\n${block}\n`
  return `${body.slice(0, from)}${block}${body.slice(to + END.length)}`
}

/** The text without the block. */
export function withoutEvidence(body: string): string {
  const from = body.indexOf(START)
  const to = from < 0 ? -1 : body.indexOf(END, from)
  return to < 0 ? body : `${body.slice(0, from)}${body.slice(to + END.length)}`
}
