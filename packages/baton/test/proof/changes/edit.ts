import { CART, type Files } from './projects.ts'

/** A project before and after a change. */
export interface Change {
  before: Files
  after: Files
}

type Edit =
  | readonly [path: string, from: string | RegExp, to: string]
  | Readonly<Record<string, string | undefined>>

/** The change that replaces parts of files, or whole files; undefined removes one. */
export function edited(before: Files, ...edits: readonly Edit[]): Change {
  const after: Record<string, string | undefined> = { ...before }
  for (const edit of edits) {
    if (!isPart(edit)) {
      Object.assign(after, edit)
      continue
    }
    const [path, from, to] = edit
    const text = after[path] ?? ''
    after[path] = text.replace(from, () => to)
    if (after[path] === text) throw new Error(`${path} has no ${from}`)
  }
  const left = Object.entries(after).filter((file): file is [string, string] => file[1] !== undefined)
  return { before, after: Object.fromEntries(left) }
}

const isPart = (edit: Edit): edit is Extract<Edit, readonly unknown[]> => Array.isArray(edit)

/** A file with one more line at its start. */
export const startingWith = (project: Files, path: string, line: string): Edit => ({
  [path]: `${line}\n${project[path]}`,
})

/** New tests, which make up for others. */
export const MORE: Edit = [
  CART,
  /\}\)\n$/,
  "  it('counts', () => {\n    expect(count([])).toBe(0)\n    expect(count([1])).toBe(1)\n    expect(count([1, 2])).toBe(2)\n  })\n})\n",
]

export const textOf = (project: Files, path: string): string => project[path] ?? ''
