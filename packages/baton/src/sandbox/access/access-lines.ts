import type { Access } from './access.ts'
import type { AccessState } from './access-requests.ts'

/** One line for a command that was blocked, and for the agent that reads its output. */
export function blockedLine({ kind, name }: Access, state: AccessState): string {
  const what = `Baton's sandbox blocks ${shown({ kind, name })}`
  const wait = `\`baton request ${kind} ${name}\` waits for the answer`
  switch (state) {
    case 'granted':
      return `${what} for a moment: the user allowed it just now. Try again.`
    case 'refused':
      return `${what}: the user said no. Work without it.`
    case 'unanswered':
      return `${what}: no one answered. To ask again: \`baton request ${kind} ${name}\`.`
    case 'full':
      return `${what}. The user has too many open requests of this session to be asked. Work without it.`
    case 'open':
      return `${what}. The user is being asked once; ${wait}. Or work without it.`
  }
}

/** What `baton request` says when it ends. */
export function answerLine(access: Access, state: AccessState): string {
  const what = shown(access)
  switch (state) {
    case 'granted':
      return `The user allows ${what}. Try again.`
    case 'refused':
      return `The user does not allow ${what}. Work without it.`
    case 'full':
      return `The user has too many open requests of this session. Wait for an answer, or work without ${what}.`
    case 'open':
    case 'unanswered':
      return `No one has answered yet whether commands may use ${what}. Continue without it, or try again later.`
  }
}

const shown = ({ kind, name }: Access): string =>
  kind === 'host' ? name : kind === 'port' ? `port ${name} of this machine` : name
