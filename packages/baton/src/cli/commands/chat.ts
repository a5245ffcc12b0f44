import { BatonError } from '@batonpass/contract/errors'
import { systemAncestry } from '../../adapters/system/ancestry.ts'
import { refuseAgents } from '../../ask/refuse-agents.ts'
import { listSessions } from '../../chat/session-file/list-sessions.ts'
import { openChat, sessionPorts } from '../chat/host.ts'
import { outcomeMessage, pickSession } from '../chat/outcome-messages.ts'
import { slashOf } from '../chat/slash.ts'
import { EXIT, flag, type Given, type Handler, text } from '../command.ts'
import { importSession, namedSessionFile } from '../import/session-files.ts'
import { type Io, printable } from '../io.ts'

/** A conversation with an agent that Baton hosts: at the terminal, or one prompt for a script. */
export const chat: Handler = async (given, io) => {
  const agent = text(given, 'agent') ?? 'claude'
  const prompt = text(given, 'prompt')
  if (prompt !== undefined) return once(given, io, agent, prompt)
  const { stdin, stdout } = process
  if (io.stdin !== stdin || !stdin.isTTY || !stdout.isTTY)
    throw new BatonError('usage', 'baton chat needs a terminal', {
      remedy: 'Pass the prompt instead: baton chat -p "…"',
    })
  const { interactive } = await import('../chat/interactive.ts')
  const order = {
    ...{ agent, stdin, stdout, resume: text(given, 'resume') },
    ...{ sandbox: flag(given, 'sandbox'), mayAnswer: await mayAnswer() },
  }
  return interactive(io, order)
}

/** A person sits here, and no agent started us: only then are questions put to this terminal. */
async function mayAnswer(): Promise<boolean> {
  try {
    refuseAgents(await systemAncestry.ancestorsOf(process.pid))
    return true
  } catch {
    return false
  }
}

/** One prompt to its end; the reply goes to standard output. What the rules leave open is refused. */
async function once(given: Given, io: Io, agent: string, prompt: string): Promise<number> {
  if (prompt.trim() === '')
    throw new BatonError('usage', 'The prompt is empty', { remedy: 'Give one: baton chat -p "…"' })
  const wanted = text(given, 'resume')
  const file = wanted === undefined ? undefined : namedSessionFile(wanted, io)
  const picked =
    wanted === undefined
      ? undefined
      : file
        ? { path: importSession(file, io) }
        : pickSession(await listSessions(sessionPorts(io), io.cwd), wanted)
  if (wanted !== undefined && !picked)
    throw new BatonError('not_found', `No session ${wanted} in this folder`, {
      remedy: 'See `/sessions` in `baton chat`, or name a session file of oh-my-pi.',
    })
  const { session, alone } = await openChat(io, {
    agent,
    attended: false,
    sandbox: flag(given, 'sandbox'),
  })
  const json = flag(given, 'json')
  const stop = () => {
    if (session.isGeneratingHandoff) session.abortHandoff()
    else session.abort()
  }
  io.signal.addEventListener('abort', stop, { once: true })
  try {
    if (alone !== undefined)
      io.stderr.write(`baton: no daemon (${printable(alone)}): every tool call is denied\n`)
    if (picked) await session.resume(picked.path)
    else await session.start()
    let said = ''
    session.subscribe(event => {
      if (event.type !== 'heard' || event.heard.kind !== 'text' || session.isGeneratingHandoff) return
      said += event.heard.text
      if (!json) io.stdout.write(printable(event.heard.text))
    })
    const slash = slashOf(prompt)
    if (slash && slash.name !== 'handoff')
      throw new BatonError('usage', `/${slash.name} needs a terminal`, { remedy: 'Run `baton chat`.' })
    if (slash) {
      const outcome = await session.handoff(slash.rest || undefined)
      const { good, words, more } = outcomeMessage(outcome)
      if (json) io.stdout.write(`${JSON.stringify({ ...outcome, session: session.sessionId })}\n`)
      else (good ? io.stdout : io.stderr).write(`${printable(words)}\n${more ? `${printable(more)}\n` : ''}`)
      return good ? EXIT.ok : EXIT.failed
    }
    const end = await session.prompt(prompt)
    if (json)
      io.stdout.write(
        `${JSON.stringify({ end, text: said, session: session.sessionId, file: session.path })}\n`,
      )
    else if (said !== '' && !said.endsWith('\n')) io.stdout.write('\n')
    if (end !== 'ended' && !json) io.stderr.write(`baton: ${ENDS[end]}\n`)
    return end === 'ended' ? EXIT.ok : EXIT.failed
  } finally {
    await session.close()
  }
}

const ENDS = {
  cancelled: 'stopped',
  refused: 'the model refused',
  limit: 'the agent stopped at a limit of its own',
} as const
