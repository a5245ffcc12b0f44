import type { Pause } from './pause.ts'

/** One line that says that Baton is paused, and how to end it. */
export function pauseLine(pause: Pause): string {
  const where =
    pause.scope === 'machine'
      ? 'on this machine'
      : pause.scope === 'project'
        ? `in ${pause.project}`
        : `in session ${pause.nativeSession}`
  return `Baton is paused ${where} since ${pause.since.slice(0, 16).replace('T', ' ')} UTC: it decides and continues nothing there, and the agent's own rules apply. End it: baton unpause`
}
