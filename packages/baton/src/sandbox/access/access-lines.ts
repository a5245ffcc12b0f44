import { type Access, splitHostName } from './access.ts'
import type { AccessState } from './access-requests.ts'

/** One line for a command that was blocked, and for the agent that reads its output. `unasked`: a block asks no one. */
export function blockedLine(access: Access, state: AccessState | 'unasked'): string {
  const what = `Baton's sandbox blocks ${shown(access)}`
  const request = `\`${requestFor(access)}\``
  switch (state) {
    case 'granted':
      return `${what} for a moment: the user allowed it just now. Try again.`
    case 'refused':
      return `${what}: the user said no. Work without it.`
    case 'unanswered':
      return `${what}: no one answered. To ask again: ${request}.`
    case 'full':
      return `${what}. The user has too many open requests of this session to be asked. Work without it.`
    case 'open':
      return `${what}. The user is being asked once; ${request} waits for the answer. Or work without it.`
    case 'unasked':
      return `${what}. ${request} asks the user. Or work without it.`
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

function shown({ kind, name }: Access): string {
  if (kind === 'port') return `port ${name} of this machine`
  const { methods, host } = splitHostName(name)
  return kind === 'host' && methods !== undefined ? `${methods} to ${host}` : name
}

/** The command with which an agent requests it. */
function requestFor({ kind, name }: Access): string {
  const { methods, host } = splitHostName(name)
  return kind === 'host' && methods !== undefined
    ? `baton request host ${host} --methods ${methods}`
    : `baton request ${kind} ${name}`
}
