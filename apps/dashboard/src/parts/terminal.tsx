import type { ScreenView } from '@batonpass/contract/dashboard'
import type { Session } from '@batonpass/contract/session'
import { useResource } from '../resource.ts'
import { Say } from './say.tsx'
import { Scroller } from './scroller.tsx'
import { Empty } from './tag.tsx'

const LOOK_MS = 1200

/** What the session's terminal shows: looked at while this is open, and at once when the session did something. */
export function Terminal({ session }: { session: Session }) {
  const path = `/api/page/sessions/${session.id}/screen`
  const { data: screen, reload } = useResource<ScreenView>(
    path,
    entry => entry.session === session.id,
    LOOK_MS,
  )
  if (!screen) return <p class="dim">Looking …</p>
  if (screen.state === 'none' || screen.state === 'gone')
    return (
      <Empty
        title={
          screen.state === 'gone'
            ? 'Its terminal is closed'
            : 'This session is in no terminal that Baton can see'
        }
      >
        Sessions in tmux are shown here live, and can be talked to: <code>baton run</code> starts one.
      </Empty>
    )
  return (
    <>
      <Scroller look="text terminal" label={`Terminal, ${screen.state}`}>
        {screen.lines.join('\n')}
      </Scroller>
      <Say
        session={session}
        working={screen.state === 'working' || screen.state === 'dialog'}
        onSaid={reload}
      />
    </>
  )
}
