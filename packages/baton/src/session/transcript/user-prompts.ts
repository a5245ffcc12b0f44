/**
 * How prompts begin that Baton itself typed or sent. They are no wish of the person's, and a document that carried them on
 * would tell the next session to read a document that is long out of date.
 */
const OWN: readonly RegExp[] = [
  /^Create handoff document now - context at /,
  /^Read handoff from \S+ and resume work/,
  /^Right\. Now go on with the work from /,
  /^That is not what the handoff document says:/,
  /^This is an auto-continuation prompt for hands-off mode/,
  /^\[Baton\] /,
  /^Baton, which hosts you, was started again/,
  /^Write down where this work stands, for somebody who goes on with it/,
  /^Go on with the work from there: begin with the first of the next steps\.$/,
  /^\/(?:[\w.-]+:){0,3}handoff(?:\s|$)/,
]
/** An earlier document that a session was given before the person's own words. */
const GIVEN =
  /^<handoff-context>[\s\S]*?<\/handoff-context>\s*(?:The above is a handoff document from a previous session\.[^\n]*)?\s*/

/** What of a prompt a person said; nothing of one that Baton sent. */
export function userPromptText(prompt: string): string {
  const words = prompt.replace(GIVEN, '').trim()
  return OWN.some(own => own.test(words)) ? '' : words
}
