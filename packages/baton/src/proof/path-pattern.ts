/** Whether a path matches a pattern of a check: `*` matches any part of a name, `**` also folders. A folder covers its content. */
export function matchesPath(pattern: string, path: string): boolean {
  return matchesParts(pattern.replace(/\/+$/, '').split('/'), path.split('/'))
}

function matchesParts(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern
  // What is left of the path is below a folder that the pattern names.
  if (first === undefined) return true
  if (first === '**') return path.some((_, at) => matchesParts(rest, path.slice(at))) || rest.length === 0
  const [name, ...below] = path
  return name !== undefined && matchesName(first, name) && matchesParts(rest, below)
}

/** Linear: each literal part is looked for once, from left to right. */
function matchesName(pattern: string, name: string): boolean {
  const parts = pattern.split('*')
  const [start = '', ...others] = parts
  const end = others.pop()
  if (end === undefined) return name === start
  if (!name.startsWith(start)) return false
  let at = start.length
  for (const part of others) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - end.length >= at && name.endsWith(end)
}
