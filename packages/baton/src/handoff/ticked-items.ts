import type { HandoffDocument } from '@batonpass/contract/handoff'

/** Text in backticks inside a ticked box: a statement about a file or a command. */
export interface TickedItem {
  /** The box's text, shortened. */
  box: string
  named: string
  /** The path relative to the root, if the text names a file. */
  path: string | undefined
}

/** Collects what ticked boxes name in backticks. The prose around it is never interpreted. */
export function tickedItems({ completed }: HandoffDocument): TickedItem[] {
  return completed
    .filter(({ done }) => done)
    .flatMap(({ text }) =>
      [...text.matchAll(/(?<!`)`([^`\n]{1,500})`(?!`)/g)].map(([, named = '']) => ({
        box: text.replaceAll(/\s+/g, ' ').slice(0, 120),
        named: named.trim(),
        path: pathIn(named.trim()),
      })),
    )
}

/** Files that ticked boxes name and whose existence is checked. */
export const namedFiles = (document: HandoffDocument): string[] => [
  ...new Set(tickedItems(document).flatMap(({ path }) => path ?? [])),
]

const EXTENSION =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|vue|svelte|md|mdx|json|jsonc|ya?ml|toml|sql|sh|css|scss|html|txt|lock|xml|proto|graphql|tf)$/

function pathIn(named: string): string | undefined {
  const path = named.replace(/^\.\//, '').replace(/:\d+(?::\d+)?$/, '')
  if (!/^[\w@.+()[\]-][\w@.+()[\]/-]*$/.test(path) || path.split('/').includes('..')) return undefined
  // `Node.js` is a name, not a file.
  return EXTENSION.test(path) && !/^[A-Z][a-z]+\.js$/.test(path) ? path : undefined
}
