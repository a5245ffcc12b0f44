const PULL_REQUEST = '(?:pull[- ]requests?|merge[- ]requests?|prs?|mrs?)'
/** What changes something outside the worktree, and leaves a command behind: how a sentence says that it happened. */
export const OUTSIDE = {
  merge: new RegExp(
    `\\b(?:merged|gemerged|gemergt)\\b[^.]{0,30}\\b${PULL_REQUEST}\\b|\\b${PULL_REQUEST}\\b[^.]{0,30}\\b(?:is|was|has been|got|wurde|ist)\\b[^.]{0,10}\\b(?:merged|gemerged|gemergt)\\b`,
    'i',
  ),
  'pull request': new RegExp(
    `\\b(?:opened|created|submitted|raised|filed|erstellt|geöffnet)\\b[^.]{0,20}\\b${PULL_REQUEST}\\b|\\b${PULL_REQUEST}\\b[^.]{0,20}\\b(?:is open|was opened|was created|is up|erstellt|geöffnet)\\b`,
    'i',
  ),
  deployment:
    /\b(?:deployed|rolled(?: \w+){0,4} out|shipped|ausgerollt|deployt|déployée?|desplegad[oa])(?!\p{L})|\bis live (?:on|in)\b/iu,
  publication:
    /\b(?:published|veröffentlicht|publiée?|publicad[oa])(?!\p{L})[^.]{0,40}\b(?:npm|pypi|crates|package|paket|registry|release|version|image)\b|\b(?:package|release|version|image|paket)\b[^.]{0,30}\b(?:published|veröffentlicht)\b/iu,
} as const

export type OutsideAction = keyof typeof OUTSIDE

/** The action of which a sentence says that it did not happen, and nothing else. */
export function absentActionIn(text: string): OutsideAction | undefined {
  const found = Object.entries(NOTHING_OUTSIDE.exec(text)?.groups ?? {}).find(
    ([, part]) => part !== undefined,
  )
  return found && (OUTSIDE_NAMES[found[0]] ?? 'deployment')
}

const NEVER = "(?:(?:i|we) (?:did not|didn['’]t|have not|haven['’]t|never)|nobody|no one)(?: yet)?"
const THING = '(?:pull|merge) request|prs?|mrs?'
const NOTHING_OUTSIDE = new RegExp(
  [
    `^(?:${NEVER} (?:open|create|submit|raise|file)(?:ed|d|ted)? (?:a|an|any|the) (?<pull>${THING})|(?:no|there is no) (?<request>${THING})(?: (?:was|is|has been) (?:opened|created|open))?`,
    `${NEVER} (?<deploy>deploy(?:ed)? anything)|(?:nothing|none of (?:this|it)) (?:was|is|has been) (?<deployed>deployed|rolled out)|there (?:was|has been) no (?<deployment>deployment)`,
    `${NEVER} (?<publish>publish(?:ed)? anything)|(?:nothing|none of (?:this|it)) (?:was|is|has been) (?<published>published|released)`,
    `${NEVER} (?<merge>merged? anything)|(?:nothing|none of (?:this|it)) (?:was|is|has been) (?<merged>merged))(?: yet| so far)?$`,
  ].join('|'),
  'i',
)
const OUTSIDE_NAMES: Readonly<Record<string, OutsideAction>> = {
  pull: 'pull request',
  request: 'pull request',
  publish: 'publication',
  published: 'publication',
  merge: 'merge',
  merged: 'merge',
}
