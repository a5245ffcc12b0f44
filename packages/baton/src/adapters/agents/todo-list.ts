import type { Todo } from '../../ports/transcript.ts'
import { isRow, type Row, textAt } from './json-lines.ts'

/** An agent's todo list, followed through its calls. Known by their form, since every agent names its tools differently. */
export class TodoList {
  readonly #pending = new Map<string, Row>()
  #items = new Map<string, Todo>()

  called(id: string, input: unknown): void {
    if (isRow(input) && (Array.isArray(input.todos) || 'taskId' in input || 'subject' in input))
      this.#pending.set(id, input)
  }

  /** The list after a call has ended; undefined when the call was none of the list's. */
  finished(id: string, failed: boolean, result: unknown, text: string): readonly Todo[] | undefined {
    const input = this.#pending.get(id)
    this.#pending.delete(id)
    if (!input || failed) return undefined
    if (Array.isArray(input.todos)) this.#items = new Map(input.todos.flatMap(wholeItem))
    else if ('taskId' in input) this.#update(String(input.taskId), input)
    else {
      const task = isRow(result) && isRow(result.task) ? result.task : undefined
      const name = task?.id ?? /#(\w{1,40})\b/.exec(text)?.[1] ?? String(this.#items.size + 1)
      this.#items.set(String(name), { text: textAt(input, 'subject') ?? '', done: false })
    }
    return [...this.#items.values()]
  }

  #update(id: string, input: Row): void {
    const before = this.#items.get(id)
    if (input.status === 'deleted') {
      this.#items.delete(id)
      return
    }
    const text = textAt(input, 'subject') ?? before?.text
    if (text === undefined) return
    this.#items.set(id, {
      text,
      done: input.status === undefined ? (before?.done ?? false) : isDone(input.status),
    })
  }
}

const isDone = (status: unknown): boolean => status === 'completed' || status === 'done'

/** Where the agents' lists have the words of an item; `description` is Gemini CLI's. */
const TEXTS = ['content', 'text', 'title', 'description'] as const

function wholeItem(item: unknown, i: number): [string, Todo][] {
  const text = isRow(item) ? TEXTS.map(key => textAt(item, key)).find(text => text !== undefined) : undefined
  if (text === undefined || !isRow(item) || item.status === 'cancelled') return []
  return [[String(i), { text, done: isDone(item.status) || item.done === true }]]
}
