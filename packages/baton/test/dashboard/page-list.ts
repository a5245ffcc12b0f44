import type { Filled } from './sample.ts'

/** Every page of the dashboard in the world of sample.ts, with a text that shows that it is complete. */
export const PAGES: [name: string, path: (filled: Filled) => string, sign: RegExp][] = [
  ['overview', () => '/', /issue-to-impl/],
  ['asks', () => '/asks', /^Deny and say why/],
  ['session', ({ handedOff }) => `/sessions/${handedOff.id}`, /Handoff document written/],
  ['decisions', ({ handedOff }) => `/sessions/${handedOff.id}/decisions`, /Allowed by the rules/],
  ['handoffs', ({ handedOff }) => `/sessions/${handedOff.id}/handoffs`, /^Evidence$/],
  ['conversation', ({ coding }) => `/sessions/${coding.id}/conversation`, /issue-to-impl 42/],
  ['terminal', ({ asking }) => `/sessions/${asking.id}/terminal`, /cannot see a terminal/],
  ['proof', ({ proven }) => `/sessions/${proven.id}`, /^Proof of commit/],
  ['recap', () => '/recap', /Decided for you/],
  ['claims', () => '/claims', /In Progress/],
  ['work', () => '/work/migration-guide', /Phases/],
  ['fleet', () => '/fleet', /^Sort the cart$/],
  ['history', () => '/history', /Questions avoided/],
  ['journal', () => '/journal', /Issue #42 claimed/],
  ['settings', () => '/settings', /handsoff\.enabled/],
]
