import { posix } from 'node:path'
import type { FoundPath, SandboxFiles } from '../ports/sandbox.ts'
import { riskyLine } from './git-config.ts'
import type { GitFolder, GitLayout } from './git-layout.ts'
import { whyProtected } from './paths.ts'

/** Something that a contained command made and that must not stay in the worktree. */
export interface Finding {
  /** Below the worktree, or absolute if it is in a git folder outside it. */
  path: string
  /** What is wrong with it, for the agent and the person. */
  why: string
}

/** What was in the worktree before the first contained command, plus what was accepted since: path to inode. */
export type KnownPaths = ReadonlyMap<string, string>

export interface Comparison {
  findings: Finding[]
  /** New repositories that are harmless as they are now; they are checked again in each comparison. */
  madeInside: string[]
  known: Map<string, string>
}

/** Compares a scan with what is known. Protected files that moved with their folder are not new. */
export async function compareScan(
  files: SandboxFiles,
  input: {
    worktree: string
    found: readonly FoundPath[]
    known: KnownPaths
    /** Harmless new paths of earlier comparisons. */
    madeInside: ReadonlySet<string>
    layout: GitLayout | undefined
    /** The git folders that existed before the first command, with the parts they had. */
    gitFolders: readonly GitFolder[]
  },
): Promise<Comparison> {
  const { worktree, found, known, layout } = input
  const inodes = new Set(known.values())
  const findings: Finding[] = []
  const madeInside: string[] = []
  const next = new Map<string, string>()
  for (const each of found) {
    const before = known.get(each.path)
    const isReplaced =
      before !== undefined && before !== each.inode && found.some(({ inode }) => inode === before)
    const isKnown = (before !== undefined && !isReplaced) || inodes.has(each.inode)
    if (isKnown && !input.madeInside.has(each.path)) {
      next.set(each.path, each.inode)
      continue
    }
    const risks = await risksOf(files, each, worktree, layout)
    findings.push(...risks)
    if (risks.length === 0 && each.role !== 'named') madeInside.push(each.path)
  }
  for (const folder of input.gitFolders) findings.push(...(await addedParts(files, folder)))
  return { findings: findings.map(finding => shorten(finding, worktree)), madeInside, known: next }
}

async function risksOf(
  files: SandboxFiles,
  { path, role, kind }: FoundPath,
  worktree: string,
  layout: GitLayout | undefined,
): Promise<Finding[]> {
  const full = `${worktree}/${path}`
  if (role === 'named') {
    const why = whyProtected(path)
    return why ? [{ path, why }] : []
  }
  if (role === 'git-file')
    return (await isOwnWorktree(files, full, layout))
      ? []
      : [{ path, why: 'a pointer to another repository' }]
  if (kind !== 'folder') return [{ path, why: 'a repository behind a link' }]
  return repositoryRisks(files, full)
}

const MAX_DEPTH = 8

/** Parts of a new repository that could start a program. */
async function repositoryRisks(files: SandboxFiles, folder: string, depth = 0): Promise<Finding[]> {
  const findings: Finding[] = []
  const parts = await files.names(folder)
  if (depth > MAX_DEPTH) return [{ path: folder, why: 'repositories in repositories without end' }]
  for (const { name, kind } of parts) {
    const path = `${folder}/${name}`
    if (name === 'commondir') findings.push({ path, why: 'a pointer to another git configuration' })
    if (name === 'config' || name === 'config.worktree') {
      const text = kind === 'file' ? await files.readShort(path) : undefined
      const line = text === undefined ? 'it cannot be read' : riskyLine(text)
      if (line !== undefined)
        findings.push({ path, why: `a git configuration that could run a program (${line})` })
    }
    if (name === 'hooks')
      findings.push(...(kind === 'folder' ? await hooksIn(files, path) : [{ path, why: 'git hooks' }]))
    // Names of submodules may have slashes in them.
    const holdsOthers =
      name === 'modules' || name === 'worktrees' || (depth > 0 && !parts.some(part => part.name === 'HEAD'))
    if (holdsOthers && kind === 'folder') findings.push(...(await repositoryRisks(files, path, depth + 1)))
  }
  return findings
}

async function hooksIn(files: SandboxFiles, folder: string): Promise<Finding[]> {
  const names = await files.names(folder)
  return names.flatMap(({ name }) =>
    name.endsWith('.sample') ? [] : [{ path: `${folder}/${name}`, why: 'a git hook' }],
  )
}

/** Protected parts that an existing git folder did not have before. */
async function addedParts(files: SandboxFiles, folder: GitFolder): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name } of await files.names(folder.path)) {
    const path = `${folder.path}/${name}`
    if (name === 'commondir' && !folder.path.includes('/worktrees/'))
      findings.push({ path, why: 'a pointer to another git configuration' })
    if (folder.protectedParts.includes(name)) continue
    if (name === 'hooks') findings.push(...(await hooksIn(files, path)))
    if (name === 'config' || name === 'config.worktree') findings.push({ path, why: 'a git configuration' })
    if (name === 'info' && !folder.protectedParts.includes('info/attributes'))
      if ((await files.look([`${path}/attributes`])).size > 0)
        findings.push({ path: `${path}/attributes`, why: 'git attributes that choose programs' })
  }
  return findings
}

/** Whether a `.git` file belongs to a worktree that `git worktree add` made for this repository. */
async function isOwnWorktree(
  files: SandboxFiles,
  dotGit: string,
  layout: GitLayout | undefined,
): Promise<boolean> {
  const pointer = /^gitdir: (.+)$/.exec((await files.readShort(dotGit))?.trim() ?? '')?.[1]
  if (!pointer || !layout) return false
  const gitDir = posix.resolve(posix.dirname(dotGit), pointer)
  if (posix.dirname(gitDir) !== `${layout.commonDir}/worktrees`) return false
  if ((await files.readShort(`${gitDir}/config.worktree`)) !== undefined) return false
  return (await files.readShort(`${gitDir}/commondir`))?.trim() === '../..'
}

const shorten = ({ path, why }: Finding, worktree: string): Finding => ({
  path: path.startsWith(`${worktree}/`) ? path.slice(worktree.length + 1) : path,
  why,
})
