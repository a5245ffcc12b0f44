import { spawnSync } from 'node:child_process'
import { BatonError } from '@batonpass/contract/errors'
import type { Environment } from '../config/places.ts'

/** The tmux server a command runs in, or the person's usual one. */
export function socketHere(env: Environment): string {
  return insideOf(env) ?? `${env.TMUX_TMPDIR || '/tmp'}/tmux-${process.getuid?.() ?? 0}/default`
}

/** The socket of the tmux this runs inside of. */
export function insideOf(env: Environment): string | undefined {
  return env.TMUX?.split(',')[0] || undefined
}

/** The full place of a pane that a person named: `%5`, `work:1.0`, or this very one. */
export function placeOf(target: string | undefined, env: Environment): string {
  if (target !== undefined && /^%\d+ \//.test(target)) return target
  const format = '#{pane_id} #{socket_path}'
  const where = target ?? env.TMUX_PANE
  const args = ['-S', socketHere(env), 'display-message', '-p', ...(where ? ['-t', where] : []), format]
  const { status, stdout, error } = spawnSync('tmux', args, { encoding: 'utf8', env: { ...env } })
  if (error)
    throw new BatonError('missing_tool', 'tmux cannot be started', { remedy: 'Is tmux on your PATH?' })
  const [, place] = /^(%\d+ \/.*)\n?$/.exec(stdout) ?? []
  if (
    status === 0 &&
    place &&
    (target === undefined || !target.startsWith('%') || place.startsWith(`${target} `))
  )
    return place
  throw new BatonError('not_found', `tmux has no pane ${target ?? 'here'}`, {
    remedy: 'See `tmux list-panes -a`; name one as %5 or work:1.0.',
  })
}
