import { basename } from 'node:path'
import { keyName, type MapEntry, type MapNode, type Path, type Source, withoutPaths } from './node.ts'
import { CONFIG_NAMES } from './places.ts'
import type { ConfigNotice } from './problem.ts'

/** Sections of agentize's configuration that Baton has no setting for, and what to use instead. */
const SECTIONS: Readonly<Record<string, string>> = {
  server: 'Baton does not poll for issues by itself; claim one with `baton claim`',
  impl: 'start an agent with `baton run --agent`',
  planner: 'the planning agents of the plugin use the model of the session',
  project: 'set `board.owner` and `board.number` in .baton.yaml',
  git: 'Baton reads the address of the remote from git',
  pre_commit: 'Baton does not install git hooks',
}

/**
 * Takes agentize's own keys out of its configuration file. They are correct there, so they must not count as errors, which
 * would switch hands-off mode off. In Baton's own file they stay errors.
 */
export function takeAgentizeKeys(node: MapNode, file: string): { node: MapNode; notices: ConfigNotice[] } {
  if (basename(file) !== CONFIG_NAMES[1]) return { node, notices: [] }
  const notices: ConfigNotice[] = []
  const ignore = (path: Path, source: Source, instead: string) => {
    const at = source.kind === 'file' ? { line: source.line, column: source.column } : {}
    notices.push({
      code: 'config_invalid',
      file,
      ...at,
      key: keyName(path),
      message: `Baton ignores agentize's key ${keyName(path)}: ${instead}`,
    })
  }
  const kept = withoutPaths(node, path => {
    const [section, workflow, key] = path.map(String)
    const source = sourceAt(node, path)
    const instead = path.length === 1 ? SECTIONS[section ?? ''] : undefined
    if (instead !== undefined) {
      ignore(path, source, instead)
      return true
    }
    // A workflow of agentize's file has nothing but a model; one of Baton's has a prompt.
    const model = section === 'workflows' && path.length === 2 && onlyModel(node, workflow ?? '')
    if (model || (section === 'workflows' && path.length === 3 && key === 'model')) {
      ignore(
        [...path.slice(0, 2), 'model'],
        source,
        'start the agent with the model, or use `handsoff.supervisor.model`',
      )
      return true
    }
    return false
  })
  return { node: kept, notices }
}

function onlyModel(root: MapNode, workflow: string): boolean {
  const workflows = root.entries.get('workflows')?.node
  const one = workflows?.kind === 'map' ? workflows.entries.get(workflow)?.node : undefined
  return one?.kind === 'map' && one.entries.size === 1 && one.entries.has('model')
}

function sourceAt(root: MapNode, path: Path): Source {
  let map: MapNode | undefined = root
  let source = root.source
  for (const step of path) {
    const entry: MapEntry | undefined = map?.entries.get(String(step))
    source = entry?.key ?? source
    map = entry?.node.kind === 'map' ? entry.node : undefined
  }
  return source
}
