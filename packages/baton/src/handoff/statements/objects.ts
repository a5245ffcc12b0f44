/** Finds the things in a sentence that evidence can show: files, folders, commits, commands, branches and ports. */

/** Text in backticks, and where it begins. */
export interface Code {
  text: string
  at: number
}

export const codesIn = (sentence: string): Code[] =>
  [...sentence.matchAll(/(?<!`)`([^`\n]{1,500})`(?!`)/g)].map(found => ({
    text: (found[1] ?? '').trim(),
    at: found.index,
  }))

export interface NamedPath {
  path: string
  folder: boolean
  /** Where the sentence names it. */
  at: number
}

const EXTENSION =
  /\w\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|vue|svelte|md|mdx|json|jsonc|ya?ml|toml|sql|sh|css|scss|html|txt|lock|xml|proto|graphql|tf|gradle|env|ini|cfg|ex|exs|dart|scala|zig|lua|r|ipynb|csv)$/
const PATH = /^[\w@.+()[\]-][\w@.+()[\]/-]*$/

/** The path inside the project that a word names, if it looks like a file. `Node.js` is a name, not a file. */
export function fileIn(word: string): string | undefined {
  const path = word.replace(/^\.\//, '').replace(/:\d+(?::\d+|-\d+)?$/, '')
  if (!PATH.test(path) || path.split('/').includes('..')) return undefined
  return EXTENSION.test(path) && !/^[A-Z][a-z]+\.js$/.test(path) ? path : undefined
}

/** A folder: the word ends with a slash, or the text next to it calls it one. */
function folderIn(word: string, before: string, after: string): string | undefined {
  const path = word.replace(/^\.\//, '').replace(/\/+$/, '')
  if (!PATH.test(path) || path.split('/').includes('..') || /^[\d./]*$/.test(path)) return undefined
  const called =
    /\b(?:folder|directory|dir|package|module|Ordner|Verzeichnis)\s*$/i.test(before) ||
    /^\s*(?:folder|directory|dir|Ordner|Verzeichnis)\b/i.test(after)
  if (/\w\/$/.test(word)) return path
  return called && (path.includes('/') || /^[a-z][\w.-]*$/.test(path)) ? path : undefined
}

/** Files and folders, in backticks or not. */
export function pathsIn(sentence: string): NamedPath[] {
  const found = new Map<string, NamedPath>()
  const add = (word: string, at: number, code: boolean) => {
    const edge = code ? 1 : 0
    const file = fileIn(word)
    // Without backticks, a name such as "util.ts" is a file; "e.g." and "example.com" are not.
    if (file !== undefined) found.set(file, { path: file, folder: false, at })
    else {
      const folder = folderIn(
        word,
        sentence.slice(0, at).trimEnd(),
        sentence.slice(at + word.length + 2 * edge),
      )
      const plural = !code && !word.includes('/')
      if (folder !== undefined && !plural) found.set(folder, { path: folder, folder: true, at })
    }
  }
  for (const { text, at } of codesIn(sentence)) add(text, at, true)
  const bare = sentence.replaceAll(/`[^`\n]{1,500}`/g, code => ' '.repeat(code.length))
  for (const match of bare.matchAll(/\S+/g)) {
    const lead = /^["'(<[{*_]*/.exec(match[0])?.[0].length ?? 0
    const word = match[0].slice(lead).replace(/["')>\]}*_.,;:!?]+$/, '')
    if (!/:\/\/|^[/~@]|=|,/.test(word)) add(word, match.index + lead, false)
  }
  return [...found.values()]
}

/** Commit ids: hexadecimal words that have a digit, or that the sentence calls a commit. */
export function commitsIn(sentence: string): string[] {
  return [...sentence.matchAll(/(?<![\w:/.#-])[0-9a-f]{7,40}(?![\w-])/g)].flatMap(({ 0: id, index }) => {
    const called = COMMIT_WORD.test(sentence.slice(Math.max(0, index - 40), index))
    const mixed = /\d/.test(id) && /[a-f]/.test(id)
    return called || mixed ? id : []
  })
}
const COMMIT_WORD =
  /\b(?:commit(?:s|ted)?|sha|head|revision|rev|hash|cherry-?pick(?:ed)?|revert(?:ed)?|merge(?:d)?|rebase[d]?)\b[^.;]*$/i

/** Ports that the sentence names. */
export function portsIn(sentence: string): string[] {
  const found = sentence.matchAll(
    /(?:\b(?:ports?|port[ea]|puerto|porto|porcie|porta|portti|poort)|порту?|ポート|端口|포트)\s*[:=：]?\s*`?(\d{2,5})(?!\d)|\b(\d{3,5}) (?:numaralı )?port\w*|(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b|--port[= ](\d{2,5})\b/gi,
  )
  return [...new Set([...found].map(match => match.slice(1).find(Boolean) ?? ''))]
}

export interface NamedBranch {
  name: string
  /** The sentence says that the work is on it. */
  current: boolean
}

const BRANCH_NAME = /^(?!-)(?!.*\.\.)[\w./#+-]{2,100}(?<![./])$/

/** Branches: a name next to the word "branch". */
export function branchesIn(sentence: string): NamedBranch[] {
  const near = sentence.matchAll(
    /(?<on>(?<!based )\b(?:on|current|active)\s+(?:the\s+)?)?\b(?:branch|Branch|Zweig)(?:\s+(?<is>is|ist)|\s+(?:named|called|heißt))?\s*:?\s+(?<tick>`)?(?<name>[\w./#+-]+)`?|(?<onCode>\bon\s+(?:the\s+)?)?`(?<code>[\w./#+-]+)`\s+branch\b/g,
  )
  return [...near].flatMap(({ index, groups = {} }) => {
    const { on, is, tick, onCode, code } = groups
    const bare = (groups.name ?? code ?? '').replace(/[.,;:]+$/, '')
    const plain = (tick ?? code) !== undefined || /[/\d_-]/.test(bare) || COMMON_BRANCH.test(bare)
    if (!plain || !BRANCH_NAME.test(bare) || fileIn(bare) !== undefined) return []
    const isThis = is !== undefined && THIS_BRANCH.test(sentence.slice(0, index))
    return [{ name: bare, current: (on ?? onCode) !== undefined || isThis }]
  })
}

const COMMON_BRANCH = /^(?:main|master|develop|dev|staging)$/
/** Before "branch is X": the one that is checked out. "The base branch is X" speaks of another. */
const THIS_BRANCH = /(?:^|[.;,:]\s*|\b(?:the|this|our|working|git|der|aktuelle))\s*$/i

/** Programs that developers type. A word in backticks that begins with one is a command, not a name. */
const PROGRAMS =
  'npm|npx|pnpm|yarn|bun|bunx|deno|node|tsc|tsx|vitest|jest|mocha|eslint|biome|prettier|python3?|pip3?|pipx|poetry|uv|uvx|pytest|tox|ruff|mypy|django-admin|flask|cargo|rustc|rustup|go|gofmt|java|javac|mvn|gradle|kotlinc|sbt|dotnet|msbuild|swift|xcodebuild|ruby|bundle|rake|rails|rspec|php|composer|phpunit|mix|elixir|make|cmake|ctest|ninja|bazel|bazelisk|buck2?|just|task|git|gh|glab|hub|docker|docker-compose|podman|kubectl|helm|terraform|tofu|ansible(?:-playbook)?|aws|gcloud|az|fly|vercel|heroku|netlify|wrangler|serverless|ssh|scp|rsync|curl|wget|psql|pg_dump|mysql|sqlite3|redis-cli|mongosh|sed|awk|grep|rg|find|rm|mv|cp|mkdir|chmod|cat|ls|tar|systemctl|service|brew|apt(?:-get)?|alembic|prisma|flyway|liquibase|playwright|cypress|sh|bash|zsh'
const COMMAND = new RegExp(
  `^(?:[A-Z_][A-Z0-9_]*=\\S+\\s+)*(?:sudo\\s+|time\\s+)?(?:(?:${PROGRAMS})(?:\\s|$)|\\.{1,2}/\\S)`,
)

export const isCommand = (text: string): boolean =>
  COMMAND.test(text) &&
  (/\s/.test(text) || /^\.{1,2}\//.test(text) || /^(?:make|tsc|pytest|rspec|ctest|phpunit)$/.test(text))

const RAN_BEFORE =
  /\b(?:ran|run|executed|execute|launched|invoked|called|rerun|re-ran|reran|started|ausgeführt|führte|gestartet)(?:\s+(?:the|a|command|script|once|again|successfully|with|using|by|via|running|running:|out))*\s*:?\s*$/i
/** Work that is done by running something. */
const DONE_WITH =
  /\b(?:deployed|built|installed|migrated|published|tested|verified|checked|confirmed|validated|formatted|seeded|released|applied|generated|compiled|linted|geprüft|getestet)\b[^.;`]{0,60}\b(?:with|via|using|by|through|mit|über)\s+(?:running\s+)?$/i
const RAN_AFTER =
  /^\s*,?\s*(?:(?:which|that|and|and it|it)\s+)?(?:(?:was|were|has been|is|wurde|ist)\s+)?(?:run|ran|executed|launched|started|passed|passes|succeeded|succeeds|worked|works|completed|finished|ausgeführt|lief|gestartet|green|exits? 0|exited 0)\b/i

/** Commands that the sentence says were run. */
export function commandsRunIn(sentence: string): string[] {
  const coded = codesIn(sentence).flatMap(({ text, at }) => {
    const [before, after] = [sentence.slice(0, at), sentence.slice(at + text.length + 2)]
    const verb = RAN_BEFORE.test(before)
    if (verb && fileIn(text) === undefined) return text
    const did = DONE_WITH.test(before) || RAN_AFTER.test(after)
    return did && isCommand(text) ? text : []
  })
  const plain = sentence.replaceAll(/`[^`\n]{1,500}`/g, ' ')
  const bare = [
    ...plain.matchAll(
      /\b(?:ran|executed|launched|started|invoked)\s+(?:the command\s+)?(\S+(?:\s+[^\s,;()"]+){0,8})/gi,
    ),
  ].flatMap(([, text = '']) => {
    const command = text
      .replace(
        /\s+(?:and|to|in|on|for|with|which|successfully|again|twice|once|before|after|but|so|without|as|,)\b.*$/i,
        '',
      )
      .replace(/[.:]+$/, '')
    return isCommand(command) ? command : []
  })
  return [...new Set([...coded, ...bare])]
}
