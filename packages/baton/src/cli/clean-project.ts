import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { type Io, printable } from './io.ts'

const run = promisify(execFile)

/** The refs that undo keeps in a project: commits that an undo set aside, and snapshots of Baton 0.1. */
export async function undoRefsIn(project: string): Promise<string[]> {
  const refs = await git(project, 'for-each-ref', '--format=%(refname)', 'refs/baton/undo')
  return refs.split('\n').filter(Boolean)
}

/** Snapshots, state files and excludes of a project. Handoff documents are work of people and agents: they stay. */
export async function cleanProject(project: string, io: Pick<Io, 'stdout'>): Promise<void> {
  const refs = await undoRefsIn(project)
  for (const ref of refs) await git(project, 'update-ref', '-d', ref)
  const own = ['.tmp/hooked-sessions', '.agent-claim.json']
    .map(name => join(project, name))
    // Through a link it would be another folder.
    .filter(path => existsSync(path) && (dirname(path) === project || !isLink(dirname(path))))
  for (const path of own) rmSync(path, { recursive: true, force: true })
  removeIfEmpty(join(project, '.tmp'))
  await removeExcludes(project)
  if (refs.length + own.length > 0) io.stdout.write(`Removed the state files of ${printable(project)}\n`)
  for (const [name, what] of [
    ['.bmad/handoffs', 'these documents are yours'],
    ['.bmad/handoff-facts', 'these are the facts of those documents'],
    ['.paw/work', 'these work items are yours'],
  ] as const)
    if (existsSync(join(project, name))) io.stdout.write(`Left ${printable(join(project, name))}: ${what}\n`)
}

/** The lines that hid Baton's files from git; those of files that stay, stay. */
async function removeExcludes(project: string): Promise<void> {
  const shown = (await git(project, 'rev-parse', '--git-path', 'info/exclude')).trim()
  const path = shown && (isAbsolute(shown) ? shown : join(project, shown))
  if (!path || !existsSync(path)) return
  const before = readFileSync(path, 'utf8')
  const ours = ['/.agent-claim.json', '/.tmp/', '/.bmad/handoffs/', '/.bmad/handoff-facts/']
  const after = before
    .split('\n')
    .filter(line => !ours.includes(line) || existsSync(join(project, line)))
    .join('\n')
  if (after !== before) writeFileSync(path, after)
}

/** What Baton calls its own in a folder that a person chose for it, and that may hold more. */
const OWN =
  /^(daemon\.(sock(\.new)?|lock|start)(-journal)?|token|observe-key|mcp-key|mcp-agents|endpoint\.json|baton\.db.*|(daemon|hook)\.log.*|bin|trust\.json.*|calls|undo|workflow|handoff\w*|cycles?|claims?|stages?|runtime|tmux|sessions|trial-\w+|package-removed(\.told)?|\.tmp)$/

export function removeState(dir: string, isAllOurs: boolean, io: Pick<Io, 'stdout'>): void {
  if (isAllOurs) rmSync(dir, { recursive: true, force: true })
  else {
    for (const name of readdirSync(dir))
      if (OWN.test(name)) rmSync(join(dir, name), { recursive: true, force: true })
    removeIfEmpty(dir)
  }
  const left = existsSync(dir) ? `; what else is in it stays` : ''
  io.stdout.write(`Removed Baton's state from ${printable(dir)}${left}\n`)
}

/** The folder and those above it, below `top`, as long as they are empty. */
export function removeEmptyFolders(folder: string, top: string): void {
  for (let at = folder; at.startsWith(`${top}/`) && removeIfEmpty(at); at = dirname(at));
}

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    // Not empty, or not there: either way it is none of ours.
    return false
  }
}

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink()

// Nothing that the repository's own configuration names is run.
const git = (project: string, ...args: string[]): Promise<string> =>
  run('git', ['-c', 'core.hooksPath=/dev/null', '-C', project, ...args]).then(
    ({ stdout }) => stdout,
    () => '',
  )
