import type { Session } from '@batonpass/contract/session'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, post } from '../api.ts'

const SAID: Record<string, string> = {
  taken: 'The agent has it.',
  busy: 'It is busy. This is said as soon as it waits, while this page is open.',
  'not-taken': 'It was typed, but the agent did not take it.',
  gone: 'The agent is no longer there.',
}
const AGAIN_MS = 1500
const STOPPED: Record<string, string> = {
  interrupted: 'The turn was stopped.',
  idle: 'It was not working.',
  gone: 'The agent is no longer there.',
}

/** A prompt from here, typed where the session is, and the way to stop what it does. */
export function Say({ session, working }: { session: Session; working: boolean }) {
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  /** Changes when the words that are being said are no longer what a person wants to say. */
  const saying = useRef(0)
  const path = `/api/page/sessions/${session.id}`
  useEffect(() => () => void saying.current++, [path])
  const failed = (cause: unknown) =>
    setSaid(cause instanceof ApiError ? cause.message : 'The daemon does not answer')
  const send = async () => {
    if (words.trim() === '') return
    const mine = ++saying.current
    setSaid('…')
    try {
      for (;;) {
        const { typed } = await post<{ typed: string }>(`${path}/say`, { text: words })
        if (mine === saying.current || typed !== 'busy') setSaid(SAID[typed] ?? typed)
        if (mine !== saying.current) return
        if (typed === 'taken') setWords('')
        if (typed !== 'busy') return
        await new Promise(resolve => setTimeout(resolve, AGAIN_MS))
        if (mine !== saying.current) return
      }
    } catch (cause) {
      failed(cause)
    }
  }
  const write = (text: string) => {
    saying.current++
    setWords(text)
    setSaid('')
  }
  const interrupt = async () => {
    setSaid('…')
    await post<{ interrupted: string }>(`${path}/interrupt`, {}).then(
      ({ interrupted }) => setSaid(STOPPED[interrupted] ?? interrupted),
      failed,
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
      <textarea
        id="say"
        rows={Math.min(8, words.split('\n').length)}
        maxLength={20_000}
        value={words}
        placeholder="Say something to the agent"
        onInput={event => write(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      <button type="submit" class="yes">
        Send
      </button>
      <button type="button" class="no" disabled={!working} onClick={() => void interrupt()}>
        Interrupt
      </button>
      <span class="dim" role="status">
        {said}
      </span>
    </form>
  )
}
