import type { Overlap } from '@batonpass/contract/fleet'

/** The files that several branches of a repository change: they will probably conflict. Pure. */
export function overlapsOf(
  branches: readonly { repository: string; issue: number; files: readonly string[] }[],
): Overlap[] {
  const overlaps: Overlap[] = []
  for (const repository of [...new Set(branches.map(branch => branch.repository))].sort()) {
    const byFile = new Map<string, number[]>()
    for (const { issue, files } of branches.filter(branch => branch.repository === repository))
      for (const file of files) byFile.set(file, [...(byFile.get(file) ?? []), issue])
    const byIssues = new Map<string, Overlap>()
    for (const [file, issues] of byFile) {
      if (issues.length < 2) continue
      const key = issues.sort((a, b) => a - b).join(' ')
      const known = byIssues.get(key) ?? { repository, issues, files: [] }
      byIssues.set(key, { ...known, files: [...known.files, file].sort() })
    }
    overlaps.push(...byIssues.values())
  }
  return overlaps
}
