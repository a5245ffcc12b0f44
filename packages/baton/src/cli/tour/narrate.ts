import type { Entry } from '@batonpass/contract/journal'

export interface Told {
  mark: '▶' | '❯' | '✓' | '✗' | '↻' | '⇄' | '●' | '⚑'
  text: string
  /** Says what just happened and why it matters; shown once. */
  lesson?: string | undefined
}

/** What the tour says about an entry of the journal; undefined for what would only be noise. Paths are told from `project` on. */
export function narrate({ body }: Entry, project: string): Told | undefined {
  const short = (text: string) => firstLine(text.replaceAll(`${project}/`, ''))
  switch (body.kind) {
    case 'event': {
      const { event } = body
      if (event.type === 'SessionStarted')
        return event.source === 'clear'
          ? { mark: '▶', text: 'a fresh session begins, with an empty context' }
          : { mark: '▶', text: 'the agent starts' }
      // Baton's own words are told by what they are for.
      if (event.type === 'PromptSubmitted')
        return event.prompt.startsWith('/') ? { mark: '❯', text: short(event.prompt) } : undefined
      if (event.type === 'TurnEnded' && !event.lastMessage?.startsWith('<'))
        return { mark: '●', text: `the agent stops: ${short(event.lastMessage ?? '')}` }
      return undefined
    }
    case 'decision': {
      const what = short(body.subject)
      if (body.decision === 'allow')
        return body.by === 'undo'
          ? { mark: '✓', text: `allowed, can be undone: ${what}`, lesson: LESSONS.undo }
          : { mark: '✓', text: `allowed: ${what}` }
      if (body.decision === 'deny')
        return {
          mark: '✗',
          text: `refused: ${what} (${short(body.reason)})`,
          ...(body.by === 'person' ? {} : { lesson: LESSONS.deny }),
        }
      return undefined
    }
    case 'workflow':
      if (body.what === 'continued')
        return {
          mark: '↻',
          text: `Baton sends it on (${body.count} of at most ${body.max})`,
          lesson: LESSONS.continued,
        }
      return body.what === 'ended' && body.end !== 'handed-off'
        ? { mark: '●', text: `${body.workflow} is ${body.end}: ${short(body.reason ?? '')}` }
        : undefined
    case 'ask':
      return body.what === 'answered' && body.answer
        ? { mark: '●', text: `answered: ${ANSWERS[body.answer.option] ?? body.answer.option}` }
        : undefined
    case 'cycle': {
      const told = CYCLE[body.what]
      return told && { mark: '⇄', ...told }
    }
    case 'claim': {
      const told = CLAIM[body.what]
      const how = body.what === 'checks' ? CHECKS(body.reason ?? '') : ''
      return told && { mark: '⚑', ...told, text: `issue #${body.issue}: ${told.text}${how}` }
    }
    case 'fault':
      return { mark: '✗', text: `fault during ${body.during}: ${body.error.message}` }
    default:
      return undefined
  }
}

const LESSONS = {
  undo: 'What can be undone needs no question: Baton took a snapshot first, and `baton undo` goes back to it.',
  deny: 'Judged by real shell syntax. The agent is told why, and finds another way.',
  continued: 'It stopped before its job was done. Nobody had to type “go on”.',
}

const ANSWERS: Readonly<Record<string, string>> = { deny: 'no', 'allow-once': 'yes, this once' }

type Lines = Readonly<Record<string, { text: string; lesson?: string } | undefined>>

const CYCLE: Lines = {
  due: {
    text: 'the context is nearly full: a handoff is due',
    lesson: 'The agent writes down where it stands; a fresh session goes on from that.',
  },
  written: {
    text: 'the handoff document is there, and agrees with git and the transcript',
    lesson: 'Checked field by field: branch, commit, test result, open points. What is false goes back.',
  },
  cleared: { text: 'the context is cleared' },
  resumed: { text: 'the fresh session is asked what it knows' },
  verified: { text: 'it has goal, branch and next step: the work goes on' },
  person: { text: 'a person is needed' },
}

const CLAIM: Lines = {
  claimed: { text: 'claimed', lesson: 'No other agent takes it, on any machine.' },
  opened: {
    text: 'Baton opened the pull request',
    lesson: 'It follows checks and reviews, and sends the agent back when one fails.',
  },
  checks: { text: 'Baton saw its checks' },
  merged: { text: 'merged' },
  closed: { text: 'closed' },
}

/** How the checks stand, from what the claim says of them. */
const CHECKS = (reason: string): string =>
  /^CI passed/.test(reason) ? ': all pass' : /running/.test(reason) ? ' running' : ''

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 110 ? `${line.slice(0, 109)}…` : line
}
