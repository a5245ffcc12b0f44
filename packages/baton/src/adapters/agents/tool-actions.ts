import type { Action } from '@batonpass/contract/event'
import { optional, type Payload } from './payload.ts'

/** Which of a tool's own fields hold what matters, by the tool's name. */
export type ToolTable = Readonly<Record<string, ToolShape>>

type ToolShape =
  | { kind: 'shell'; command: string; cwd?: string }
  | { kind: 'read' | 'write'; paths: readonly string[] }
  | { kind: 'search'; paths: readonly string[]; pattern?: string }
  | { kind: 'web'; url?: string; query?: string }
  | { kind: 'agent'; description?: string }

/** What a tool call would do. A tool that is not in the table is `other`: no rule for a known kind may let it pass. */
export function actionBy(table: ToolTable, tool: string, input: Payload, cwd: string | undefined): Action {
  const shape = Object.hasOwn(table, tool) ? table[tool] : undefined
  const text = (field: string | undefined) => (field === undefined ? undefined : input.optionalText(field))
  const paths = (fields: readonly string[]) => fields.flatMap(field => pathsIn(input, field))
  switch (shape?.kind) {
    case 'shell':
      return {
        kind: 'shell',
        command: input.text(shape.command),
        ...optional('cwd', (shape.cwd && input.someText(shape.cwd)) || cwd),
      }
    case 'read':
    case 'write':
      return { kind: shape.kind, paths: paths(shape.paths) }
    case 'search':
      return { kind: 'search', paths: paths(shape.paths), ...optional('pattern', text(shape.pattern)) }
    case 'web':
      return { kind: 'web', ...optional('url', text(shape.url)), ...optional('query', text(shape.query)) }
    case 'agent':
      return { kind: 'agent', ...optional('description', text(shape.description)) }
    default:
      return { kind: 'other' }
  }
}

/** One path, or a list of them. */
function pathsIn(input: Payload, field: string): string[] {
  return Array.isArray(input.raw(field)) ? input.texts(field) : [input.someText(field) ?? []].flat()
}
