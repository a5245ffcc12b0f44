import type { TmuxServer } from './server.ts'

/** What tmux knows about one pane. */
export interface Pane {
  id: string
  dead: boolean
  /** A person scrolls back: keys go to tmux, not to the program. */
  inMode: boolean
  pid: number | undefined
  /** When its window last printed something, in milliseconds since the epoch; tmux counts in seconds. */
  changedAt: number
  /** When Baton started typing into it, in seconds by tmux's clock; undefined if it is not typing. */
  typingSince: number | undefined
  /** The mark Baton set when it started the pane; empty for other panes. */
  mark: string
  width: number
  height: number
  /** The window title that the program set. */
  title: string
}

const FORMAT =
  '#{pane_id} #{pane_dead} #{pane_in_mode} #{pane_pid} #{window_activity} #{pane_width} #{pane_height} #{?@baton_typing,#{@baton_typing},0} =#{@baton}= #{pane_title}'

/** One pane, and the time by tmux's clock in seconds; undefined if there is no such pane. */
export async function paneAt(server: TmuxServer, id: string): Promise<(Pane & { now: number }) | undefined> {
  const answer = await server.run(['display-message', '-p', '-t', id, `%s ${FORMAT}`])
  const [, now, rest] = /^(\d+) (.*)$/.exec((answer?.ok && answer.lines[0]) || '') ?? []
  const pane = paneIn(rest ?? '')
  // If the pane is gone, tmux may answer with another pane.
  return pane?.id === id ? { ...pane, now: Number(now) } : undefined
}

/** Every pane of a server, in one call. */
export async function panesOf(server: TmuxServer): Promise<Pane[]> {
  const answer = await server.run(['list-panes', '-a', '-F', FORMAT])
  return answer?.ok ? answer.lines.flatMap(line => paneIn(line) ?? []) : []
}

function paneIn(line: string): Pane | undefined {
  const [, id, dead, inMode, pid, changed, width, height, typing, mark = '', title = ''] =
    /^(%\d+) ([01]) (\d+) (\d*) (\d*) (\d+) (\d+) (\d{1,12}) =([^=]*)= (.*)$/.exec(line) ?? []
  if (!id) return undefined
  return {
    id,
    dead: dead === '1',
    inMode: inMode !== '0',
    pid: Number(pid) || undefined,
    changedAt: Number(changed) * 1000,
    width: Number(width),
    height: Number(height),
    typingSince: Number(typing) || undefined,
    mark: /^[\w-]{1,60}$/.test(mark) ? mark : '',
    title,
  }
}

/** The screen with its colours, because dim text on the prompt line is only a suggestion. */
export async function screenOf(server: TmuxServer, id: string): Promise<string | undefined> {
  const answer = await server.run(['capture-pane', '-p', '-e', '-t', id])
  return answer?.ok ? answer.lines.join('\n') : undefined
}

/** Whether a person pressed a key in this pane within the last seconds. */
export async function isTypedInto(server: TmuxServer, pane: { id: string; now: number }): Promise<boolean> {
  return pane.now - (await lastKeyAt(server, pane.id)) < TYPING_SECONDS
}

/**
 * Whether Baton typed the text on the prompt line: a daemon that is killed before it presses Enter leaves its text there.
 * False after a while, or if a person has used the pane since.
 */
export async function isOwnTyping(server: TmuxServer, pane: Pane & { now: number }): Promise<boolean> {
  const { typingSince: since, now, id } = pane
  if (since === undefined || now - since > OWN_SECONDS) return false
  return (await lastKeyAt(server, id)) < since
}

/** When a person last pressed a key in this pane, in seconds by tmux's clock; 0 if no client shows it. */
async function lastKeyAt(server: TmuxServer, id: string): Promise<number> {
  const format = '#{client_control_mode} #{client_activity} #{pane_id}'
  const answer = await server.run(['list-clients', '-F', format])
  const times = (answer?.ok ? answer.lines : []).map(line => {
    const [control, at, pane] = line.split(' ')
    return control === '0' && pane === id ? Number(at) : 0
  })
  return Math.max(0, ...times)
}

const TYPING_SECONDS = 8
const OWN_SECONDS = 600
