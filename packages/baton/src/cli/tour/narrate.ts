import type { Entry } from '@batonpass/contract/journal'

export interface Told {
  mark: '▶' | '❯' | '✓' | '✗' | '?' | '↻' | '⇄' | '●' | '⚑'
  text: string
}

/** What the tour says about an entry of the journal; undefined for what would only be noise. */
export function narrate({ body }: Entry): Told | undefined {
  switch (body.kind) {
    case 'event': {
      const { event } = body
      if (event.type === 'SessionStarted')
        return {
          mark: '▶',
          text: `a ${event.source === 'clear' ? 'fresh ' : ''}session begins: ${event.nativeSession.slice(0, 8)}`,
        }
      if (event.type === 'PromptSubmitted') return { mark: '❯', text: firstLine(event.prompt) }
      if (event.type === 'TurnEnded')
        return { mark: '●', text: `the agent stops: ${firstLine(event.lastMessage ?? '')}` }
      return undefined
    }
    case 'decision': {
      const what = firstLine(body.subject)
      if (body.decision === 'allow')
        return { mark: '✓', text: `allowed${body.by === 'undo' ? ', can be undone' : ''}: ${what}` }
      if (body.decision === 'deny') return { mark: '✗', text: `refused: ${what} (${firstLine(body.reason)})` }
      return undefined
    }
    case 'workflow':
      if (body.what === 'continued')
        return { mark: '↻', text: `Baton sends it on (${body.count} of at most ${body.max})` }
      return body.what === 'ended' && body.end !== 'handed-off'
        ? { mark: '●', text: `${body.workflow} is ${body.end}: ${firstLine(body.reason ?? '')}` }
        : undefined
    case 'ask':
      return body.what === 'answered' && body.answer
        ? { mark: '●', text: `answered: ${body.answer.option} (${body.answer.by.channel})` }
        : undefined
    case 'cycle': {
      const told = CYCLE[body.what]
      return told === undefined ? undefined : { mark: '⇄', text: told }
    }
    case 'claim': {
      const told = CLAIM[body.what]
      return told === undefined ? undefined : { mark: '⚑', text: `issue #${body.issue}: ${told}` }
    }
    case 'fault':
      return { mark: '✗', text: `fault during ${body.during}: ${body.error.message}` }
    default:
      return undefined
  }
}

const CYCLE: Readonly<Record<string, string>> = {
  due: 'the context is nearly full: a handoff is due',
  written: 'the handoff document is there, and agrees with git and the transcript',
  cleared: 'the context is cleared',
  resumed: 'the fresh session is asked what it knows',
  verified: 'it has goal, branch and next step: the work goes on',
  person: 'a person is needed',
}

const CLAIM: Readonly<Record<string, string>> = {
  claimed: 'claimed',
  opened: 'Baton opened the pull request',
  checks: 'Baton saw its checks',
  merged: 'merged',
  closed: 'closed',
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 110 ? `${line.slice(0, 109)}…` : line
}
