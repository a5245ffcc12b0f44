/** What a pull request's text is made of. */
export interface PrFacts {
  summary: string
  issue: number
  branch: string
  agentId: string
}

const TITLE_MOST = 250
const BODY_MOST = 60_000

/** The title: the summary's one line, which closes nothing by itself. */
export function prTitle(summary: string): string {
  const line = summary.replaceAll(/\s+/g, ' ').trim()
  const open = withoutClosing(line)
  return open.length > TITLE_MOST ? `${open.slice(0, TITLE_MOST - 1)}…` : open
}

/** The text, by the person's template or our own. It always refers to its issue, and never closes one. */
export function prBody(facts: PrFacts, template: string | undefined): string {
  const values: Record<string, string> = {
    SUMMARY: facts.summary.trim(),
    ISSUE: String(facts.issue),
    BRANCH: facts.branch,
    AGENT: facts.agentId,
  }
  // One pass, so that what is filled in is not itself filled in.
  const filled = (template ?? OURS).replaceAll(
    /\{(SUMMARY|ISSUE|BRANCH|AGENT)\}/g,
    (_, name: string) => values[name] ?? '',
  )
  const text = withoutClosing(filled).slice(0, BODY_MOST).trim()
  const refers = new RegExp(`#${facts.issue}(?!\\d)`).test(text)
  return `${text}${refers ? '' : `\n\nRefs #${facts.issue}`}\n`
}

/** Takes the forge's closing keywords out: a person confirms before an issue is closed. */
export function withoutClosing(text: string): string {
  return text.replaceAll(CLOSING, (_, spaces: string, target: string) => `Refs${spaces}${target}`)
}

const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::)?(\s+)((?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d+|GH-\d+|https?:\/\/[^\s/]+\/[\w.-]{1,100}\/[\w.-]{1,100}\/issues\/\d+)/gi

const OURS = `## Summary

{SUMMARY}

Refs #{ISSUE}

## Integrity

For whoever reviews this; nobody has ticked these yet.

- [ ] The change does what the issue asks, and nothing beside it
- [ ] No test, check or limit was weakened to make it pass
- [ ] No secret, personal datum or generated file came in
- [ ] Errors are handled where they arise, none is hidden
- [ ] What users see or call is documented

## Tests

- [ ] New behaviour is covered by tests that failed before
- [ ] The whole test suite passes
- [ ] It was tried out by hand where tests do not reach
`
