import { type Entry, isBrokered } from '@batonpass/contract/journal'

export interface Told {
  mark: '▶' | '❯' | '✓' | '✗' | '↻' | '⇄' | '●' | '⚑'
  text: string
  /** Explains what just happened and why it matters; shown once. */
  lesson?: string | undefined
}

/** The tour's line about a journal entry, or undefined for noise. Paths are shown relative to `project`. */
export function narrate(entry: Entry, project: string): Told | undefined {
  // The command's own line was shown: this is what Baton performed outside for it.
  if (isBrokered(entry)) return undefined
  const { body } = entry
  const short = (text: string) => firstLine(text.replaceAll(`${project}/`, ''))
  switch (body.kind) {
    case 'event': {
      const { event } = body
      if (event.type === 'SessionStarted')
        return event.source === 'clear'
          ? { mark: '▶', text: 'a fresh session starts with an empty context' }
          : { mark: '▶', text: 'the agent starts' }
      // Baton's own prompts have lines of their own below.
      if (event.type === 'PromptSubmitted')
        return event.prompt.startsWith('/') ? { mark: '❯', text: short(event.prompt) } : undefined
      if (event.type === 'TurnEnded' && !event.lastMessage?.startsWith('<'))
        return { mark: '●', text: `agent stopped: ${short(event.lastMessage ?? '')}` }
      return undefined
    }
    case 'decision': {
      const what = short(body.subject)
      if (body.decision === 'allow')
        return body.by === 'undo'
          ? { mark: '✓', text: `allowed (can be undone): ${what}`, lesson: LESSONS.undo }
          : { mark: '✓', text: `allowed: ${what}` }
      if (body.decision === 'deny')
        return {
          mark: '✗',
          text: `denied: ${what} (${short(body.reason)})`,
          ...(body.by === 'person' ? {} : { lesson: LESSONS.deny }),
        }
      return undefined
    }
    case 'workflow':
      if (body.what === 'continued')
        return {
          mark: '↻',
          text: `Baton told it to continue (${body.count} of at most ${body.max})`,
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
  undo: 'Baton takes a snapshot before a reversible step, so it does not have to ask. `baton undo` restores it.',
  deny: 'Baton parses the command as bash would. The agent learns why it was denied and finds another way.',
  continued: 'It stopped before the job was done. You did not have to type “continue”.',
}

const ANSWERS: Readonly<Record<string, string>> = {
  deny: 'no',
  'deny-with-reason': 'no',
  'allow-once': 'yes, this once',
}

type Lines = Readonly<Record<string, { text: string; lesson?: string } | undefined>>

const CYCLE: Lines = {
  due: {
    text: 'the context is nearly full: time to hand off',
    lesson: 'The agent writes down the state of the work; a fresh session continues from there.',
  },
  written: {
    text: 'the handoff document is written and matches git and the transcript',
    lesson: 'Baton checks branch, commit, test results and open points, and sends false statements back.',
  },
  cleared: { text: 'context cleared' },
  resumed: { text: 'Baton asks the fresh session what it knows' },
  verified: { text: 'it knows the goal, the branch and the next step: work continues' },
  person: { text: 'a person is needed' },
}

const CLAIM: Lines = {
  claimed: { text: 'claimed', lesson: 'No other agent can take it, on any machine.' },
  opened: {
    text: 'Baton opened the pull request',
    lesson: 'Baton follows checks and reviews, and sends the agent back when one fails.',
  },
  checks: { text: 'checks' },
  merged: { text: 'merged' },
  closed: { text: 'closed' },
}

/** The state of the checks, from the claim's reason. */
const CHECKS = (reason: string): string =>
  /^CI passed/.test(reason) ? ' passed' : /running/.test(reason) ? ' running' : ''

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 110 ? `${line.slice(0, 109)}…` : line
}
