const PLACE = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/

/** Reads a place as hooks name it: `%5 /tmp/tmux-1000/default`. */
export function parsePlace(place: string): { id: string; socket: string } | undefined {
  const [, id, socket] = PLACE.exec(place) ?? []
  return id && socket ? { id, socket } : undefined
}

/** Where a person's own tmux listens. */
export const defaultSocket = (env: NodeJS.ProcessEnv): string =>
  `${env.TMUX_TMPDIR || '/tmp'}/tmux-${process.getuid?.() ?? 0}/default`
