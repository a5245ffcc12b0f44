import type { TmuxServer } from './server.ts'

/** What tmux knows of one pane. */
export interface Pane {
  id: string
  dead: boolean
  /** Somebody reads back: keys go to tmux, not to the program. */
  inMode: boolean
  pid: number | undefined
  /** When its window last printed something, in milliseconds since the epoch; tmux counts in seconds. */
  changedAt: number
  /** What Baton noted when it started it. */
  mark: string
}

const FORMAT = '#{pane_id} #{pane_dead} #{pane_in_mode} #{pane_pid} #{window_activity} #{@baton}'

/** One pane, and the time by tmux's clock in seconds; undefined when there is none. */
export async function paneAt(server: TmuxServer, id: string): Promise<(Pane & { now: number }) | undefined> {
  const answer = await server.run(['display-message', '-p', '-t', id, `%s ${FORMAT}`])
  const [, now, rest] = /^(\d+) (.*)$/.exec((answer?.ok && answer.lines[0]) || '') ?? []
  const pane = paneIn(rest ?? '')
  // For a pane that is gone, tmux may answer with another one.
  return pane?.id === id ? { ...pane, now: Number(now) } : undefined
}

/** Every pane of a server, in one call. */
export async function panesOf(server: TmuxServer): Promise<Pane[]> {
  const answer = await server.run(['list-panes', '-a', '-F', FORMAT])
  return answer?.ok ? answer.lines.flatMap(line => paneIn(line) ?? []) : []
}

function paneIn(line: string): Pane | undefined {
  const [, id, dead, inMode, pid, changed, mark] = /^(%\d+) ([01]) (\d+) (\d*) (\d*) (.*)$/.exec(line) ?? []
  if (!id) return undefined
  return {
    id,
    dead: dead === '1',
    inMode: inMode !== '0',
    pid: Number(pid) || undefined,
    changedAt: Number(changed) * 1000,
    mark: mark !== undefined && /^[\w-]{1,60}$/.test(mark) ? mark : '',
  }
}

/** The screen with its colours: what is dim is only a suggestion. */
export async function screenOf(server: TmuxServer, id: string): Promise<string | undefined> {
  const answer = await server.run(['capture-pane', '-p', '-e', '-t', id])
  return answer?.ok ? answer.lines.join('\n') : undefined
}

/** Whether somebody pressed a key in this pane within the last seconds. */
export async function isTypedInto(
  server: TmuxServer,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  const answer = await server.run([
    'list-clients',
    '-F',
    '#{client_control_mode} #{client_activity} #{pane_id}',
  ])
  if (!answer?.ok) return false
  return answer.lines.some(line => {
    const [control, at, pane] = line.split(' ')
    return control === '0' && pane === id && now - Number(at) < TYPING_SECONDS
  })
}

const TYPING_SECONDS = 8
