import type { Session } from '@batonpass/contract/session'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, post } from '../api.ts'

const SEND_RESULTS: Record<string, string> = {
  taken: 'The agent received it.',
  busy: 'The agent is busy. Baton sends this as soon as it waits, while you stay on this page.',
  'not-taken': 'Baton typed it, but the agent did not accept it.',
  gone: 'The agent is no longer there.',
}
const RETRY_MS = 1500
const INTERRUPT_RESULTS: Record<string, string> = {
  interrupted: 'Turn stopped.',
  idle: 'The agent was not working.',
  gone: 'The agent is no longer there.',
}

/** Unsent prompts by session, so that switching to another tab of the page does not lose them. */
const drafts = new Map<string, string>()

interface PromptBoxProps {
  session: Session
  working: boolean
  /** Called after a prompt was sent or a turn stopped: what the page shows may be out of date. */
  onSent?(): void
}

/** A box to send the session a prompt, and a button that interrupts its turn. */
export function PromptBox({ session, working, onSent }: PromptBoxProps) {
  const [prompt, setPrompt] = useState(drafts.get(session.id) ?? '')
  const [status, setStatus] = useState('')
  const [waits, setWaits] = useState(false)
  /** Number of the current send; it changes when the user edits or cancels the prompt that is being sent. */
  const sendNumber = useRef(0)
  const path = `/api/page/sessions/${session.id}`
  useEffect(() => () => void sendNumber.current++, [path])
  const failed = (cause: unknown) =>
    setStatus(
      cause instanceof ApiError ? cause.message : 'The daemon does not answer. Start it with `baton up`.',
    )
  const write = (text: string) => {
    sendNumber.current++
    setWaits(false)
    setPrompt(text)
    setStatus('')
    if (text === '') drafts.delete(session.id)
    else drafts.set(session.id, text)
  }
  const send = async () => {
    if (prompt.trim() === '') return
    const mine = ++sendNumber.current
    setStatus('…')
    try {
      for (;;) {
        const { typed } = await post<{ typed: string }>(`${path}/say`, { text: prompt })
        const isMine = mine === sendNumber.current
        // The user edited or cancelled the prompt too late: say that the agent has the earlier text.
        if (!isMine && typed === 'taken') setStatus('Too late: the agent received the earlier text.')
        if (!isMine) return
        if (typed === 'taken') write('')
        setWaits(typed === 'busy')
        setStatus(SEND_RESULTS[typed] ?? typed)
        if (typed !== 'busy') return onSent?.()
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
        if (mine !== sendNumber.current) return
      }
    } catch (cause) {
      // Not retried: the agent may have received it.
      if (mine !== sendNumber.current) return
      setWaits(false)
      failed(cause)
    }
  }
  const cancel = () => {
    sendNumber.current++
    setWaits(false)
    setStatus('Not sent.')
  }
  const interrupt = async () => {
    setStatus('…')
    await post<{ interrupted: string }>(`${path}/interrupt`, {}).then(
      ({ interrupted }) => setStatus(INTERRUPT_RESULTS[interrupted] ?? interrupted),
      failed,
    )
    onSent?.()
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
        Write to the agent
      </label>
      <textarea
        id="say"
        rows={Math.min(8, prompt.split('\n').length)}
        maxLength={20_000}
        value={prompt}
        placeholder="Write to the agent (Enter sends, Shift-Enter starts a new line)"
        onInput={event => write(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      {waits ? (
        // A separate element, by its key: a button that turned into a submit button during a click would submit.
        <button key="cancel" type="button" onClick={cancel}>
          Cancel
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
        {status}
      </span>
    </form>
  )
}
