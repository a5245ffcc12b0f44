import { amount, objectAt, textAt } from '../json-lines.ts'
import { lineTranscripts } from '../line-transcripts.ts'
import { TodoList } from '../todo-list.ts'
import { piReader, tell } from './reader.ts'

/** What pi's replies used, and the end of the talk. */
export const transcripts = lineTranscripts({
  agent: 'pi',
  knows: piReader.knows,
  begin() {
    const todos = new TodoList()
    return {
      tell: row => tell(row, todos),
      spent(row) {
        const message = objectAt(row, 'message')
        const [usage, id] = [objectAt(message, 'usage'), textAt(row, 'id')]
        if (message?.role !== 'assistant' || !usage || id === undefined) return undefined
        return {
          id,
          usage: {
            model: textAt(message, 'model')?.slice(0, 100) ?? '',
            input: amount(usage.input),
            output: amount(usage.output),
            cacheRead: amount(usage.cacheRead),
            cacheWrite: amount(usage.cacheWrite),
          },
        }
      },
    }
  },
  measured: () => undefined,
  error(row) {
    const message = objectAt(row, 'message')
    return message?.stopReason === 'error' ? (textAt(message, 'errorMessage') ?? 'error') : undefined
  },
})
