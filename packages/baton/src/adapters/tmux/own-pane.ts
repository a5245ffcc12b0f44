import type { Ancestry } from '../../ports/ancestry.ts'
import { TmuxServer } from './server.ts'

/**
 * Whether a process runs in a pane, that is, whether the pane's program is among its ancestors. A hook inside a container
 * names a pane of the container's tmux, which may have the same id as one of ours.
 */
export async function runsInPane(
  place: string,
  pid: number,
  {
    ancestry,
    ...parts
  }: { ancestry: Pick<Ancestry, 'ancestorsOf'>; env: NodeJS.ProcessEnv; elapsed(): number },
): Promise<boolean> {
  const [, id, socket] = /^(%\d{1,9}) (\/[^\0\n]{1,200})$/.exec(place) ?? []
  if (!id || !socket) return false
  const server = new TmuxServer(socket, parts)
  const answer = await server.once([['display-message', '-p', '-t', id, '#{pane_id} #{pane_pid}']])
  const [, found, program] = /^(%\d+) (\d+)$/.exec((answer?.ok && answer.lines[0]) || '') ?? []
  // If the pane is gone, tmux may answer with another pane.
  if (found !== id) return false
  return (await ancestry.ancestorsOf(pid))?.some(each => each.pid === Number(program)) === true
}
