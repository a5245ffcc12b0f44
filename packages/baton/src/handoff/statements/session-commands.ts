import type { CommandRun } from '../../session/transcript/collect-facts.ts'
import type { OutsideAction } from './outside-actions.ts'
import type { Check } from './read-statements.ts'

export const TAKES_BACK = /\bgit\s+(?:checkout\s+(?:\S+\s+)?--|restore|stash|reset)(?=\s|$)/
export const UNDONE =
  /revert|undid|undone|restor|roll(?:ed)? back|took back|zurück|rückgängig|verworfen|annul|déshac|revirt|desfe/i
export const pathForm = (path: string): RegExp => new RegExp(path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))

export const namesPath = (text: string, path: string): boolean =>
  path.split(/[/:]+/).some(part => part.length >= 5 && /[._]/.test(part) && text.includes(part)) ||
  text.includes(path)

export const RUNS: Readonly<Record<Exclude<Check, 'tests'>, RegExp>> = {
  build:
    /\b(?:build|compile|tsc|webpack|vite|rollup|esbuild|make|cmake|javac|assemble|package|bazel|ninja|rustc)\b/,
  lint: /\b(?:lint|eslint|biome|ruff|flake8|golangci-lint|clippy|rubocop|prettier|check|format|fmt)\b/,
  ci: /\b(?:gh\s+(?:run|workflow)|gh\s+pr\s+(?:checks|view|status)|glab\s+(?:ci|pipeline)|circleci|bk\s+build|az\s+pipelines|tkn)\b/,
  types: /\b(?:tsc|typecheck|type-check|types|mypy|pyright|check)\b/,
}

export const CHECK_WORDS = { build: 'build', lint: 'lint', types: 'type check', ci: 'CI' } as const

/** What may have left something outside: enough to support a sentence that says so. */
export const LEAVES: Readonly<Record<OutsideAction, RegExp>> = {
  merge: /\b(?:gh\s+pr\s+merge|glab\s+mr\s+merge|git\s+merge|merged)\b/,
  'pull request':
    /\b(?:gh\s+pr\s+(?:create|new|view|edit|ready)|glab\s+mr\s+(?:create|new)|hub\s+pull-request)\b/,
  deployment:
    /deploy|\b(?:kubectl\s+(?:apply|rollout|set)|helm\s+(?:upgrade|install)|terraform\s+apply|ansible-playbook|rsync|scp|(?:vercel|netlify|wrangler|serverless|cdk|pulumi|flyctl|fly)\s+(?:pages\s+)?(?:deploy|publish|up|--prod)|vercel\s*$|docker\s+(?:push|stack)|git\s+push|systemctl\s+restart)\b/i,
  publication:
    /publish|\b(?:twine\s+upload|gem\s+push|docker\s+push|gh\s+release|release|cargo\s+publish|mvn\s+deploy)\b/i,
}

/** What leaves something outside for certain, as the beginning of a command: enough to contradict a sentence that denies it. */
const CHANGES: Readonly<Record<OutsideAction, RegExp>> = {
  merge: /^(?:gh\s+pr\s+merge|glab\s+mr\s+merge|git\s+(?:-C\s+\S+\s+)?merge\s+(?!--(?:abort|quit)))(?!\S)/,
  'pull request': /^(?:gh\s+pr\s+(?:create|new)|glab\s+mr\s+(?:create|new)|hub\s+pull-request)(?!\S)/,
  deployment:
    /^(?:kubectl\s+(?:apply|create|replace|rollout\s+(?:restart|undo)|set\s+image)|helm\s+(?:upgrade|install)|terraform\s+apply|pulumi\s+up|ansible-playbook|docker\s+stack\s+deploy|git\s+push\s+heroku|vercel\s+--prod|(?:vercel|netlify|wrangler|serverless|sls|cdk|flyctl|fly|firebase|eb|gcloud\s+\w+)\s+(?:pages\s+)?deploy|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?deploy|make\s+deploy|(?:(?:bash|sh)\s+)?(?:\S{0,200}\/)?deploy(?:\.sh)?)(?!\S)/,
  publication:
    /^(?:(?:npm|pnpm|yarn|bun|lerna|changeset)\s+(?:run\s+|npm\s+)?publish|(?:cargo|poetry|uv|flit|hatch|vsce)\s+publish|twine\s+upload|gem\s+push|docker\s+push|gh\s+release\s+(?:create|upload)|mvnw?\s+deploy|goreleaser\s+release)(?!\S)/,
}
/** Only shows what would be done. */
export const isDryRun = (command: string): boolean => /\s--dry-?run(?!=none)(?![\w-])/i.test(command)
const CHANGES_NOTHING = /\s--?(?:help|check|what-?if)(?![\w-])/i
const BEFORE_PROGRAM = /^\s*(?:(?:sudo|npx|bunx|env|time|command|exec|\w{1,60}=\S{0,200})\s+){0,5}/

/** Whether a part of the command line, outside of quotes, is such an action. */
export const changesOutside = (command: string, action: OutsideAction): boolean =>
  command
    .replaceAll(/"[^"\n]*"|'[^'\n]*'/g, '""')
    .split(/[;&|\n()]+/)
    .some(
      part =>
        CHANGES[action].test(part.replace(BEFORE_PROGRAM, '')) &&
        !isDryRun(part) &&
        !CHANGES_NOTHING.test(part),
    )

export const PUSH = /\bgit\b[^;&|]*\bpush\b(?![^;&|]*\s(?:--dry-run|-n)(?![\w-]))/

export function lastRun(outcomes: ReadonlyMap<string, CommandRun>, form: RegExp): CommandRun | undefined {
  let found: CommandRun | undefined
  for (const ran of outcomes.values()) if (ran.failed !== undefined && form.test(ran.command)) found = ran
  return found
}

export function hasWord(text: string, needle: string): boolean {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1))
    if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + needle.length] ?? '')) return true
  return false
}

export const noFile = (path: string, folder: boolean): string =>
  `there is no ${folder ? 'folder' : 'file'} \`${path}\``
