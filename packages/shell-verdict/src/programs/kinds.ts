/**
 * Classes of effect, mildest first. A program's table says which class a use belongs to; a preset says what is
 * decided for a class. `unlisted` is a use that no table vouches for.
 */
export const KINDS = [
  'read',
  'project',
  'fetch',
  'credential',
  'unlisted',
  'build',
  'write',
  'remote',
  'exec',
  'system',
  'demolish',
  'destroy',
] as const

export type Kind = (typeof KINDS)[number]

/** What a person reads when a class is named. */
export const KIND_MEANING: Readonly<Record<Kind, string>> = {
  read: 'only reads',
  project: 'checks, renders or formats the project, with the project’s own settings and build output',
  fetch: 'downloads data without running it',
  credential: 'prints a credential',
  unlisted: 'is not known to be harmless',
  build: "runs the project's own code",
  write: 'changes files',
  remote: 'changes something outside this machine',
  exec: 'runs code that has not been read',
  system: 'changes this machine or its processes',
  demolish:
    'destroys shared infrastructure or data that cannot be brought back; only a rule of yours allows it',
  destroy: 'destroys what cannot be brought back',
}

export function worse(left: Kind, right: Kind): Kind {
  return KINDS.indexOf(left) >= KINDS.indexOf(right) ? left : right
}
