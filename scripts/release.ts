import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Checks that this commit can be released and prints what to do; `--tag` also creates the tag. It never publishes or pushes.
const MANIFESTS = [
  'packages/baton/package.json',
  'packages/contract/package.json',
  'packages/shell-verdict/package.json',
  'apps/vscode/package.json',
]

export interface ReleaseFacts {
  branch: string
  /** Output of `git status --porcelain`. */
  changes: string
  /** Manifest path to version. */
  versions: Readonly<Record<string, string>>
  changelog: string
  tags: readonly string[]
}

/** Everything that prevents a release of this commit; empty if it can be released. */
export function releaseProblems({ branch, changes, versions, changelog, tags }: ReleaseFacts): string[] {
  const version = versions['packages/baton/package.json'] ?? ''
  const problems: string[] = []
  if (branch !== 'main')
    problems.push(`Releases are made from main, but this is ${branch || 'a detached HEAD'}.`)
  if (changes.trim() !== '') problems.push('The worktree has uncommitted changes. Commit or remove them.')
  if (!/^\d+\.\d+\.\d+$/.test(version)) problems.push(`Not a release version: ${version}.`)
  for (const [path, other] of Object.entries(versions))
    if (other !== version) problems.push(`${path} is ${other}, but packages/baton is ${version}.`)
  if (sectionOf(changelog, version) === '')
    problems.push(
      `CHANGELOG.md has no section "## ${version}" with entries. Close Unreleased under that title.`,
    )
  if (sectionOf(changelog, 'Unreleased') !== '')
    problems.push(
      'CHANGELOG.md still has entries under Unreleased. Move them into the section of this release.',
    )
  if (tags.includes(`v${version}`)) problems.push(`The tag v${version} exists. Raise the version.`)
  return problems
}

/** The text under a heading such as `## 0.1.0`; empty if there is none. */
export function sectionOf(changelog: string, title: string): string {
  const sections = changelog.split(/^## /m)
  return (
    sections
      .find(section => section.split('\n', 1)[0]?.trim() === title)
      ?.slice(title.length)
      .trim() ?? ''
  )
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const versions = Object.fromEntries(
    MANIFESTS.map(path => [path, (JSON.parse(read(path)) as { version: string }).version]),
  )
  const changelog = read('CHANGELOG.md')
  const problems = releaseProblems({
    branch: git('branch', '--show-current'),
    changes: git('status', '--porcelain'),
    versions,
    changelog,
    tags: git('tag', '--list').split('\n'),
  })
  const version = versions['packages/baton/package.json'] ?? ''
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else if (process.argv.includes('--tag')) {
    git('tag', '-a', `v${version}`, '-m', `Baton ${version}\n\n${sectionOf(changelog, version)}`)
    console.log(`Tagged v${version}. Next: git push origin v${version}, then npm publish -w packages/baton`)
  } else console.log(`${version} can be released. Dry run: nothing was tagged. Run it again with --tag.`)
}
