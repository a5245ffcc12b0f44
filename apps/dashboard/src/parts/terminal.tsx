import type { ScreenView } from '@batonpass/contract/dashboard'
import type { Session } from '@batonpass/contract/session'
import { useResource } from '../resource.ts'
import { PromptBox } from './prompt-box.tsx'
import { Scroller } from './scroller.tsx'
import { Empty } from './tag.tsx'

const POLL_MS = 1200
const TAIL_LINES = 16

const useScreen = (session: Session) =>
  useResource<ScreenView>(
    `/api/page/sessions/${session.id}/screen`,
    entry => entry.session === session.id,
    POLL_MS,
  )

/** The end of the session's terminal, live and to read only. Nothing for a session without a terminal. */
export function TerminalTail({ session }: { session: Session }) {
  const { data: screen } = useScreen(session)
  if (!screen || screen.state === 'none' || screen.state === 'gone') return null
  // Agents leave most of a tall window empty, above their prompt line.
  const text = screen.lines
    .map(line => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
  const lines = text.trimEnd().split('\n').slice(-TAIL_LINES)
  return (
    <Scroller look="text terminal tail" label="The end of the terminal">
      {lines.join('\n')}
    </Scroller>
  )
}

/** The session's terminal: polled while this tab is open, and read at once when the session does something. */
export function Terminal({ session }: { session: Session }) {
  const { data: screen, reload } = useScreen(session)
  if (!screen) return <p class="dim">Loading …</p>
  if (screen.state === 'none' || screen.state === 'gone')
    return (
      <Empty
        title={
          screen.state === 'gone' ? 'The terminal is closed' : 'Baton cannot see a terminal of this session'
        }
      >
        A session in tmux shows its live terminal here, with a box to write to it. Start one with{' '}
        <code>baton run</code>.
      </Empty>
    )
  return (
    <>
      <Scroller look="text terminal" label={`Terminal, ${screen.state}`}>
        {screen.lines.join('\n')}
      </Scroller>
      <PromptBox
        session={session}
        working={screen.state === 'working' || screen.state === 'dialog'}
        onSent={reload}
      />
    </>
  )
}
