import { posix } from 'node:path'
import { couldMatch, reachOf } from '@batonpass/shell-verdict/paths/reach'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'
import type { HookFiles } from '../../ports/agent.ts'
import { WORKTREES_OF_AGENTS, whyPartProtected } from '../../sandbox/paths.ts'

/** What belongs to Baton and to the agents' hooks: no rule opens it to an agent. */
export interface Guarded {
  /** Baton's own folders: state, token, socket, launcher. Reading is closed too. */
  readonly folders: readonly string[]
  /** Ports on this machine on which the daemon listens. */
  readonly ports: readonly number[]
  readonly pids: readonly number[]
  /** Where the agents' hooks are installed, besides the settings that are known below. */
  readonly hooks?: HookFiles | undefined
}

export function guardedDefaults(home: string): Guarded {
  return { folders: [posix.join(home, '.baton')], ports: [], pids: [] }
}

/** Files anywhere that configure Baton or the hooks through which it is asked. */
const SETTINGS: readonly RegExp[] = [
  /(^|\/)\.baton\.ya?ml$/,
  /(^|\/)\.agentize\.local\.ya?ml$/,
  /(^|\/)\.claude\/settings[^/]*\.json$/,
  /(^|\/)\.claude\/hooks(\/|$)/,
  /(^|\/)\.claude\/plugins(\/|$)/,
  /(^|\/)\.cursor\/hooks\.json$/,
  /(^|\/)\.cursor\/hooks(\/|$)/,
  /(^|\/)\.codex\/(config\.toml|hooks[^/]*)$/,
  /(^|\/)\.gemini\/(settings\.json|extensions(\/.*)?)$/,
  /(^|\/)\.copilot\/(hooks(\/|$)|(config|settings)\.json$)/,
  /(^|\/)\.github\/(hooks(\/|$)|copilot\/settings[^/]*\.json$)/,
  /(^|\/)(\.opencode|\.config\/opencode)\/(plugins?|tools?)(\/|$)/,
  /(^|\/)opencode\.jsonc?$/,
  /(^|\/)\.pi\/(agent\/)?(extensions(\/|$)|settings\.json$)/,
  /(^|\/)\.omp\/(agent\/)?(extensions(\/|$)|(settings\.json|config\.ya?ml)$)/,
  /(^|\/)\.git\/((modules|worktrees)\/.+\/)?(hooks|config(\.worktree)?|info)(\/|$)/,
]

/** The folders of agents' hook settings: written as a whole, whatever is in them is replaced. */
const OWN_FOLDER =
  /(^|\/)(\.claude|\.cursor|\.codex|\.gemini|\.copilot|\.opencode|\.config\/opencode|\.(?:pi|omp)|\.(?:pi|omp)\/agent)$/
const SETTINGS_FOLDER = 'the folder of an agent’s hook settings'
/** Mostly about other things, but hook settings go with it. */
const HOLDS_SETTINGS = /(^|\/)\.github$/

/** One of each kind, for what a pattern may match. */
const SAMPLES = [
  '.baton.yaml',
  '.agentize.local.yaml',
  '.claude',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks',
  '.claude/plugins',
  '.cursor',
  '.cursor/hooks.json',
  '.cursor/hooks',
  '.codex',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.gemini',
  '.gemini/settings.json',
  '.gemini/extensions',
  '.copilot',
  '.copilot/hooks',
  '.copilot/hooks/baton.json',
  '.copilot/config.json',
  '.github/hooks',
  '.github/hooks/baton.json',
  '.opencode',
  '.opencode/plugin',
  '.opencode/plugin/baton.js',
  '.config/opencode',
  '.config/opencode/plugin',
  '.config/opencode/plugin/baton.js',
  '.pi',
  '.pi/agent',
  '.pi/extensions',
  '.pi/extensions/baton.ts',
  '.pi/agent/extensions',
  '.pi/agent/extensions/baton.ts',
  '.omp',
  '.omp/agent',
  '.omp/agent/config.yml',
  '.omp/agent/extensions',
  '.omp/agent/extensions/baton.ts',
  '.git/config',
  '.git/hooks',
  '.git/hooks/pre-commit',
].map(sample => sample.split('/'))

export type Access = 'read' | 'write'

/** Why this access is closed permanently, or undefined. */
export function guardedPath(
  path: string,
  access: Access,
  guarded: Guarded,
  gitInternals = true,
  dots = false,
): string | undefined {
  for (const folder of guarded.folders)
    if (reachOf(path, folder, dots) === 'inside') return `Baton's own folder ${folder}`
  if (access === 'read') return undefined
  const { names = [], moved = [] } = guarded.hooks ?? {}
  for (const each of [path, ...usualPlaces(path, moved)].map(fold)) {
    if (PATTERN.test(each) && mayMatch(each, names))
      return `a pattern that fits a file which decides what agents may do (${posix.basename(path)})`
    const isSettings = SETTINGS.some(
      pattern => pattern.test(each) && (gitInternals || !/\/\.git\//.test(each)),
    )
    if (isSettings || names.some(name => endsIn(each, name)))
      return `a file that decides what agents may do (${posix.basename(path)})`
  }
  return undefined
}

/** Whether writing or replacing this changes what agents may do. */
export const isGuarded = (path: string, guarded: Guarded): boolean =>
  (guardedPath(path, 'write', guarded) ?? guardedFolder(path, 'removed', guarded)) !== undefined

/** Where a path would stand if no variable had moved the agent's settings. */
const usualPlaces = (path: string, moved: HookFiles['moved']): string[] =>
  moved
    .filter(({ from }) => isInside(path, from))
    .map(({ from, to }) => posix.join(to, posix.relative(from, path)))

const endsIn = (path: string, name: string): boolean => path.endsWith(`/${fold(name)}`)

/** Many file systems hold `.Claude` and `.claude` for one. */
const fold = (path: string): string => path.toLowerCase()

/** Why writing this needs a person, although it is a file of the project: programs outside the sandbox run what it says. */
export function runsLater(path: string, worktree: string): string | undefined {
  if (/(^|\/)\.git$/i.test(path)) return 'the link of a folder to its repository (.git)'
  const below = posix.relative(worktree, path).replace(WORKTREE_OF_AGENT, '')
  const what = below === '..' || below.startsWith('../') ? undefined : whyPartProtected(below)
  if (what !== undefined) return `${what} (${below})`
  return COMMIT_SCRIPTS.test(path)
    ? `a script that git runs at a commit (${posix.basename(path)})`
    : undefined
}

/** Agents keep whole worktrees in folders that are otherwise theirs. */
const WORKTREE_OF_AGENT = new RegExp(
  `^(?:${WORKTREES_OF_AGENTS.map(folder => folder.replaceAll('.', '\\.')).join('|')})/[^/]+/`,
)

const COMMIT_SCRIPTS =
  /(^|\/)(\.(husky|githooks|lefthook)(\/|$)|\.?lefthook(-local)?\.(ya?ml|toml|json)$|\.pre-commit-config\.ya?ml$|\.huskyrc|\.lintstagedrc|\.simple-git-hooks)/i

/** Removing or moving a folder takes the guarded files in it along; copying one there brings others. */
export function guardedFolder(
  path: string,
  change: 'removed' | 'written',
  guarded: Guarded,
): string | undefined {
  const { names = [], moved = [] } = guarded.hooks ?? {}
  for (const each of [path, ...usualPlaces(path, moved)].map(fold)) {
    if (OWN_FOLDER.test(each) || (change === 'removed' && HOLDS_SETTINGS.test(each))) return SETTINGS_FOLDER
    if (names.some(name => endsIn(each, posix.dirname(name)))) return SETTINGS_FOLDER
  }
  if (change === 'written') return undefined
  if (moved.some(({ file }) => isInside(fold(file), fold(path)))) return SETTINGS_FOLDER
  for (const folder of guarded.folders)
    if (isInside(fold(folder), fold(path))) return `a folder that holds ${folder}`
  return undefined
}

const PATTERN = /[*?[]/

/** Whether the end of a pattern fits one of the samples, name by name. */
function mayMatch(path: string, hooks: readonly string[]): boolean {
  const names = path.split('/')
  return [...SAMPLES, ...hooks.map(name => name.split('/'))].some(sample => {
    const end = names.slice(-sample.length)
    return end.length === sample.length && sample.every((name, at) => couldMatch(end[at] ?? '', name))
  })
}
