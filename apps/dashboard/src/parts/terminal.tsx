import type { ScreenView } from '@batonpass/contract/dashboard'
import type { Session } from '@batonpass/contract/session'
import { useEffect, useState } from 'preact/hooks'
import { get } from '../api.ts'
import { Say } from './say.tsx'
import { Scroller } from './scroller.tsx'
import { Empty } from './tag.tsx'

const LOOK_MS = 1200

/** What the session's terminal shows, looked at while this is open. */
export function Terminal({ session }: { session: Session }) {
  const [screen, setScreen] = useState<ScreenView>()
  useEffect(() => {
    let timer = 0
    let gone = false
    const look = async () => {
      if (!document.hidden) {
        const seen = await get<ScreenView>(`/api/page/sessions/${session.id}/screen`).catch(() => undefined)
        if (gone) return
        if (seen) setScreen(seen)
      }
      timer = setTimeout(() => void look(), LOOK_MS)
    }
    void look()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [session.id])
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
        Sessions in tmux are shown here live, and can be talked to.
      </Empty>
    )
  return (
    <>
      <Scroller look="text terminal" label={`Terminal, ${screen.state}`}>
        {screen.lines.join('\n')}
      </Scroller>
      <Say session={session} working={screen.state === 'working' || screen.state === 'dialog'} />
    </>
  )
}
