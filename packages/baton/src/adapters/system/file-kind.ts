import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '@batonpass/shell-verdict/paths/resolve'

/** What is at a path below a folder; `other` if any name on the way is a link, even one that leads nowhere. */
export function fileKind(root: string, path: string): 'file' | 'missing' | 'other' {
  if (!isInside(path, root) || path === root) return 'other'
  const names = path.slice(root.length + 1).split('/')
  let at = root
  for (const [index, name] of names.entries()) {
    at = join(at, name)
    const found = lstatSync(at, { throwIfNoEntry: false })
    if (!found) return 'missing'
    const isLast = index === names.length - 1
    if (isLast ? !found.isFile() : !found.isDirectory()) return 'other'
  }
  return 'file'
}
