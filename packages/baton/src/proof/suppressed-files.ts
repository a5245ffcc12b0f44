import type { FileChange } from '../ports/compare-tests.ts'

/** Comments that switch a linter, a type checker or coverage off from here to the end of the file, by the names of files. */
const SUPPRESSIONS: readonly { file: RegExp; comment: RegExp; until?: RegExp }[] = [
  {
    file: /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
    comment:
      /^\s*(?:\/\/|\/\*)\s*(@ts-nocheck|(?:eslint|tslint|oxlint)[-:]disable(?![-:\w])|biome-ignore-all|(?:istanbul|c8|v8) ignore file)/,
  },
  {
    file: /\.pyi?$/,
    comment:
      /^#\s*(type:\s*ignore|mypy:\s*(?:ignore-errors|allow-|disable-)|pyright:\s*(?:basic|ignore|false|off|report\w+=(?:false|none))|(?:ruff|flake8):\s*noqa|pylint:\s*(?:disable|skip-file)|pytype:\s*skip-file|pyre-ignore-all-errors)/,
  },
  { file: /\.rs$/, comment: /^\s*(#!\[(?:allow|expect)\b|#!\[cfg_attr\([^\n]{0,200}\b(?:allow|expect)\()/ },
  { file: /\.go$/, comment: /^(\/\/\s*nolint)\b/, until: /^package\b/ },
  { file: /\.kt$/, comment: /^\s*(@file:Suppress(?:Warnings)?)\b/ },
]

/** What ends a suppression again before the end of the file. */
const ENABLES = /^\s*(?:\/\/|\/\*)\s*(?:eslint|tslint|oxlint)[-:]enable\b|^#\s*pylint:\s*enable\b/

/** What such a comment can end. */
const DISABLES = /(?:eslint|tslint|oxlint)[-:]disable|pylint:\s*disable/

/** Whether a linter or a type checker may read comments in this file. */
export const maySuppress = (path: string): boolean => SUPPRESSIONS.some(({ file }) => file.test(path))

/** Files in which the work switched a linter, a type checker or coverage off. New files have nothing that was checked before. */
export function suppressedFiles(changes: readonly FileChange[]): string[] {
  const gone = new Set(changes.flatMap(({ path, after }) => (after === undefined ? [nameOf(path)] : [])))
  return changes.flatMap(({ path, before, after }) => {
    if (after === undefined || (before === undefined && !gone.has(nameOf(path)))) return []
    const was = commentsIn(path, before)
    const added = commentsIn(path, after).find((comment, n, all) => {
      const count = (list: readonly string[]) => list.filter(each => each === comment).length
      return all.indexOf(comment) === n && count(all) > count(was)
    })
    return added === undefined ? [] : [`"${added.slice(0, 80)}" added to ${path}`]
  })
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The comments of a file that suppress something, without those that the file ends itself before they cover most of it. */
function commentsIn(path: string, text = ''): string[] {
  const kind = SUPPRESSIONS.find(({ file }) => file.test(path))
  if (!kind) return []
  let open: { comment: string; at: number; rules: ReadonlySet<string> }[] = []
  const all = text.split('\n')
  const end = kind.until === undefined ? -1 : all.findIndex(line => kind.until?.test(line))
  const lines = end < 0 ? all : all.slice(0, end)
  for (const [n, line] of lines.entries()) {
    if (ENABLES.test(line)) {
      const rules = rulesIn(line)
      const ends = (of: ReadonlySet<string>) =>
        rules.size === 0 || (of.size > 0 && [...of].every(rule => rules.has(rule)))
      open = open.filter(
        ({ comment, at, rules: of }) => !DISABLES.test(comment) || n - at > lines.length / 2 || !ends(of),
      )
    }
    if (kind.comment.test(line) && open.length < MAX_COMMENTS)
      open.push({ comment: line.trim(), at: n, rules: rulesIn(line) })
  }
  return open.map(({ comment }) => comment)
}

const MAX_COMMENTS = 50

/** The rules that a comment names, without its reason; none if it means all. */
function rulesIn(line: string): ReadonlySet<string> {
  const [, list = ''] = /(?:disable|enable)(?:=|\s)(.{0,500})/.exec(line) ?? []
  const words = (list.split(/--|\*\//)[0] ?? '').split(/[\s,]+/)
  return new Set(words.filter(word => word !== ''))
}
