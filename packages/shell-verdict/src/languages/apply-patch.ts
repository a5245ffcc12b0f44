const HEADER = /^\*\*\*\s*(?:(?:Add|Update|Delete)\s+File|Move\s+to)\s*:(.*)$/is

/**
 * The files that a patch in the `*** Begin Patch` form adds, changes, deletes or moves to. Codex takes blanks around a header away,
 * opencode needs none after the colon and ends a path at the next one: whatever any of them reads as a header counts.
 */
export function findPatchedPaths(patch: string): string[] {
  const found = new Set<string>()
  for (const line of patch.split(/[\n\r\u2028\u2029\u0085]/)) {
    const path = HEADER.exec(line.replace(/^[\s\u0085]+|[\s\u0085]+$/g, ''))?.[1]?.trim()
    if (!path) continue
    found.add(path)
    const cut = path.split(':')[0]?.trim()
    if (cut) found.add(cut)
  }
  return [...found]
}
