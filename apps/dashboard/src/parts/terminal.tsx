import type { ScreenView } from '@batonpass/contract/dashboard'
import type { Session } from '@batonpass/contract/session'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, get, post } from '../api.ts'
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
        Sessions in tmux, and those that Baton hosts, are shown here live.
      </Empty>
    )
  return (
    <>
      <Scroller look="terminal" label={`Terminal, ${screen.state}`}>
        {screen.lines.join('\n')}
      </Scroller>
      <Say session={session} />
    </>
  )
}

const SAID: Record<string, string> = {
  taken: 'The agent has it.',
  busy: 'It does not wait for input right now; nothing was typed.',
  'not-taken': 'It was typed, but the agent did not take it.',
  gone: 'Its terminal is gone.',
}

/** A prompt from here, typed where the session is. */
function Say({ session }: { session: Session }) {
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  const send = async () => {
    if (words.trim() === '') return
    setSaid('…')
    await post<{ typed: string }>(`/api/page/sessions/${session.id}/say`, { text: words }).then(
      ({ typed }) => {
        setSaid(SAID[typed] ?? typed)
        if (typed === 'taken') setWords('')
      },
      cause => setSaid(cause instanceof ApiError ? cause.message : 'The daemon does not answer'),
    )
  }
  return (
    <form
      class="say"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <label class="hidden" for="say">
        Say something to the agent
      </label>
      <input
        id="say"
        value={words}
        placeholder="Say something to the agent"
        onInput={event => setWords(event.currentTarget.value)}
      />
      <button type="submit">Send</button>
      <span class="dim" role="status">
        {said}
      </span>
    </form>
  )
}
