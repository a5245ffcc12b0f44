import type { Entry } from '@batonpass/contract/journal'

export interface Told {
  mark: '▶' | '❯' | '✓' | '✗' | '?' | '↻' | '⇄' | '●'
  text: string
}

/** What the tour says about an entry of the journal; undefined for what would only be noise. */
export function narrate({ body }: Entry): Told | undefined {
  switch (body.kind) {
    case 'event': {
      const { event } = body
      if (event.type === 'SessionStarted')
        return { mark: '▶', text: `a session begins (${event.source}): ${event.nativeSession.slice(0, 8)}` }
      if (event.type === 'PromptSubmitted') return { mark: '❯', text: firstLine(event.prompt) }
      if (event.type === 'TurnEnded')
        return { mark: '●', text: `the agent stops: ${firstLine(event.lastMessage ?? '')}` }
      return undefined
    }
    case 'decision':
      return body.decision === 'allow'
        ? { mark: '✓', text: `allowed: ${firstLine(body.subject)}` }
        : {
            mark: body.decision === 'deny' ? '✗' : '?',
            text: `${body.decision}: ${firstLine(body.subject)} (${firstLine(body.reason)})`,
          }
    case 'workflow':
      return body.what === 'continued'
        ? { mark: '↻', text: `Baton sends it on (${body.count} of at most ${body.max})` }
        : {
            mark: '●',
            text: `workflow ${body.workflow} ${body.what}${body.reason ? `: ${firstLine(body.reason)}` : ''}`,
          }
    case 'ask':
      return body.what === 'opened'
        ? undefined
        : {
            mark: '●',
            text: `the question was ${body.what}${body.answer ? `: ${body.answer.option} (${body.answer.by.channel})` : ''}`,
          }
    case 'handoff':
      return { mark: '⇄', text: `handoff ${body.what}${body.document ? ` ${body.document}` : ''}` }
    case 'fault':
      return { mark: '✗', text: `fault during ${body.during}: ${body.error.message}` }
    default:
      return undefined
  }
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 110 ? `${line.slice(0, 109)}…` : line
}
