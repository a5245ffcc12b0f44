/**
 * Whether a path pattern could lead to a place. `inside`: to the place itself or something in it; `above`: to a folder that holds
 * it. `**` matches any folders. `dots`: `*` and `?` also match names that begin with a dot, as most tools but the shell do.
 */
export function reachOf(pattern: string, place: string, dots = false): 'inside' | 'above' | undefined {
  const at = pattern.search(PATTERN)
  if (at === -1) return holds(place, pattern) ? 'inside' : holds(pattern, place) ? 'above' : undefined
  // Most patterns already differ from the place before their first special character.
  const fixed = pattern.slice(0, pattern.lastIndexOf('/', at) + 1).toLowerCase()
  const start = place.toLowerCase()
  if (!start.startsWith(fixed) && !fixed.startsWith(`${start}/`)) return undefined
  return match(pattern.split('/').filter(Boolean), place.split('/').filter(Boolean), dots)
}

/** Many file systems take `.SSH` for `.ssh`. */
function holds(folder: string, path: string): boolean {
  if (folder === '/') return true
  if (path.length < folder.length || (path.length > folder.length && path[folder.length] !== '/'))
    return false
  return path.startsWith(folder) || path.slice(0, folder.length).toLowerCase() === folder.toLowerCase()
}

function match(
  pattern: readonly string[],
  place: readonly string[],
  dots: boolean,
): 'inside' | 'above' | undefined {
  const [first, ...rest] = pattern
  const [name, ...below] = place
  if (name === undefined) return 'inside'
  if (first === undefined) return 'above'
  if (first === '**') return match(rest, place, dots) ?? match(pattern, below, dots)
  return couldMatch(first, name, dots) ? match(rest, below, dots) : undefined
}

/** Whether a pattern for one name could match this name. */
export function couldMatch(pattern: string, name: string, dots = false): boolean {
  if (!PATTERN.test(pattern)) return pattern.toLowerCase() === name.toLowerCase()
  // Without a dot of its own a shell's pattern leaves names with one out.
  if (!dots && name.startsWith('.') && !/^[.[@+!]/.test(pattern)) return false
  return globPattern(pattern).test(name)
}

const PATTERN = /[*?[]|[@!+]\(/

export const isPattern = (text: string): boolean => PATTERN.test(text)

/** What a shell's pattern for one name matches; anything, where it cannot be read. */
export function globPattern(name: string): RegExp {
  if (name.length > 200 || /[@!+?*]\(/.test(name)) return /^/
  // One step per character: no nested repetition, so no blow-up on the short names it is tested on.
  const source = name
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.')
    .replace(/\[[!^]/g, '[^')
  try {
    return new RegExp(`^${source}$`, 'i')
  } catch {
    return /^/
  }
}
