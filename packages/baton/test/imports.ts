import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** Every import of every file below `root`, those of types too, named relative to it. */
export function importsBelow(root: string): Map<string, string[]> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  return new Map(files.sort().map(file => [file, importsOf(root, file)]))
}

/** One circle of imports, or none. */
export function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] | undefined => {
    const at = path.indexOf(file)
    if (at >= 0) return [...path.slice(at), file]
    if (done.has(file)) return undefined
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file])
      if (circle) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of imports.keys()) {
    const circle = visit(file, [])
    if (circle) return circle
  }
  return undefined
}

/** The code is formatted by one formatter, so these are all the forms an import has here. */
const IMPORT = /(?:^(?:import|export)\b[^'"`;]*?\bfrom |^import |\bimport\()'([^']+)'/gm

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)].map(([, name = '']) =>
    name.startsWith('.') ? relative(root, normalize(join(root, dirname(file), name))) : name,
  )
}
