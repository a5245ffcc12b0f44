import type { Session } from '@batonpass/contract/session'
import { useState } from 'preact/hooks'
import { ApiError, post } from '../api.ts'

const SAID: Record<string, string> = {
  taken: 'The agent has it.',
  busy: 'It does not wait for input right now; nothing was typed.',
  'not-taken': 'It was typed, but the agent did not take it.',
  gone: 'The agent is no longer there.',
}
const STOPPED: Record<string, string> = {
  interrupted: 'The turn was stopped.',
  idle: 'It was not working.',
  gone: 'The agent is no longer there.',
}

/** A prompt from here, typed where the session is, and the way to stop what it does. */
export function Say({ session, working }: { session: Session; working: boolean }) {
  const [words, setWords] = useState('')
  const [said, setSaid] = useState('')
  const path = `/api/page/sessions/${session.id}`
  const failed = (cause: unknown) =>
    setSaid(cause instanceof ApiError ? cause.message : 'The daemon does not answer')
  const send = async () => {
    if (words.trim() === '') return
    setSaid('…')
    await post<{ typed: string }>(`${path}/say`, { text: words }).then(({ typed }) => {
      setSaid(SAID[typed] ?? typed)
      if (typed === 'taken') setWords('')
    }, failed)
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
        onInput={event => setWords(event.currentTarget.value)}
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
