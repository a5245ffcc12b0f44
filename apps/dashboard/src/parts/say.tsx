import type { Session } from '@batonpass/contract/session'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, post } from '../api.ts'

const SAID: Record<string, string> = {
  taken: 'The agent has it.',
  busy: 'It is busy. This is said as soon as it waits, while you stay here.',
  'not-taken': 'It was typed, but the agent did not take it.',
  gone: 'The agent is no longer there.',
}
const AGAIN_MS = 1500
const STOPPED: Record<string, string> = {
  interrupted: 'The turn was stopped.',
  idle: 'It was not working.',
  gone: 'The agent is no longer there.',
}

/** What somebody began to write to a session: going to look at its timeline does not lose it. */
const drafts = new Map<string, string>()

interface SayProps {
  session: Session
  working: boolean
  /** Something was said or stopped: what is shown of the session may be old. */
  onSaid?(): void
}

/** A prompt from here, typed where the session is, and the way to stop what it does. */
export function Say({ session, working, onSaid }: SayProps) {
  const [words, setWords] = useState(drafts.get(session.id) ?? '')
  const [said, setSaid] = useState('')
  const [waits, setWaits] = useState(false)
  /** Changes when the words that are being said are no longer what a person wants to say. */
  const saying = useRef(0)
  const path = `/api/page/sessions/${session.id}`
  useEffect(() => () => void saying.current++, [path])
  const failed = (cause: unknown) =>
    setSaid(cause instanceof ApiError ? cause.message : 'The daemon does not answer')
  const write = (text: string) => {
    saying.current++
    setWaits(false)
    setWords(text)
    setSaid('')
    if (text === '') drafts.delete(session.id)
    else drafts.set(session.id, text)
  }
  const send = async () => {
    if (words.trim() === '') return
    const mine = ++saying.current
    setSaid('…')
    try {
      for (;;) {
        const { typed } = await post<{ typed: string }>(`${path}/say`, { text: words })
        const isMine = mine === saying.current
        // Changed or called off while they were on their way: that must be told when it came too late.
        if (!isMine && typed === 'taken') setSaid('The agent has it as it stood before.')
        if (!isMine) return
        if (typed === 'taken') write('')
        setWaits(typed === 'busy')
        setSaid(SAID[typed] ?? typed)
        if (typed !== 'busy') return onSaid?.()
        await new Promise(resolve => setTimeout(resolve, AGAIN_MS))
        if (mine !== saying.current) return
      }
    } catch (cause) {
      // Not tried again: whether it was said, nobody knows.
      if (mine !== saying.current) return
      setWaits(false)
      failed(cause)
    }
  }
  const callOff = () => {
    saying.current++
    setWaits(false)
    setSaid('It is not said.')
  }
  const interrupt = async () => {
    setSaid('…')
    await post<{ interrupted: string }>(`${path}/interrupt`, {}).then(
      ({ interrupted }) => setSaid(STOPPED[interrupted] ?? interrupted),
      failed,
    )
    onSaid?.()
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
      <textarea
        id="say"
        rows={Math.min(8, words.split('\n').length)}
        maxLength={20_000}
        value={words}
        placeholder="Say something to the agent (Enter sends, Shift-Enter begins a line)"
        onInput={event => write(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      {waits ? (
        // Another element, by its key: one that became a submit button while it is clicked would submit.
        <button key="call-off" type="button" onClick={callOff}>
          Call off
        </button>
      ) : (
        <button key="send" type="submit" class="yes">
          Send
        </button>
      )}
      <button type="button" class="no" disabled={!working} onClick={() => void interrupt()}>
        Interrupt
      </button>
      <span class="dim" role="status">
        {said}
      </span>
    </form>
  )
}
