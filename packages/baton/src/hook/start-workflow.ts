import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../config/places.ts'
import { programPaths } from './program.ts'

interface Place {
  env: Environment
  home: string
}

/** What to type to start a workflow in an agent, such as `/baton:issue-to-impl 42`. */
export function workflowPrompt(
  { agent, workflow, words }: { agent: string; workflow: string; words: string },
  project: string,
  home: string,
): string {
  // A project's or a person's own command of that name goes first; Baton's own come with its plugin.
  const own = [project, home].some(root => existsSync(join(root, '.claude/commands', `${workflow}.md`)))
  const command = isClaude(agent) && !own && !workflow.includes(':') ? `baton:${workflow}` : workflow
  // Other agents have no such command; the blank keeps them from looking for one.
  const blank = isClaude(agent) ? '' : ' '
  return `${blank}/${command}${words === '' ? '' : ` ${words}`}`
}

/** The arguments that bring Baton's own workflow commands along where its plugin is not installed. */
export function bundledPlugin(agent: string, place: Place): string[] {
  if (!isClaude(agent)) return []
  const plugin = ownPlugin()
  return plugin === undefined || hasPlugin(place) ? [] : ['--plugin-dir', plugin]
}

const isClaude = (agent: string): boolean => agent === 'claude' || agent === 'claude-code'

/** Whether it is installed in Claude Code already. */
export function hasPlugin({ env, home }: Place): boolean {
  const list = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'plugins/installed_plugins.json')
  try {
    return readFileSync(list, 'utf8').includes('"baton@')
  } catch {
    return false
  }
}

/** The plugin as it comes with this installation; undefined in one that was built without it. */
export function ownPlugin(): string | undefined {
  const folder = join(dirname(programPaths().cli), 'plugin')
  return existsSync(folder) ? folder : undefined
}
