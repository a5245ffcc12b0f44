import { BatonError } from '@batonpass/contract/errors'
import type { AgentSession } from '../../chat/agent-session.ts'
import { type ListedSession, listSessions } from '../../chat/session-file/list-sessions.ts'
import type { ConsentRequest } from '../../ports/backend.ts'
import { EXIT } from '../command.ts'
import { importSession, namedSessionFile } from '../import/session-files.ts'
import { type Io, paint } from '../io.ts'
import type { AskInline } from './ask-permission.ts'
import { type Chat, openChat } from './host.ts'
import { listWords, outcomeMessage, pickSession } from './outcome-messages.ts'
import { complete, SLASH, slashOf } from './slash.ts'
import { ChatTerminal } from './terminal.ts'

export interface InteractiveOrder {
  agent: string
  resume?: string | undefined
  /** Runs the whole agent in the sandbox. */
  sandbox: boolean
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  /** Whether the person here may answer: not where an agent started us. */
  mayAnswer: boolean
}

/** A conversation at the terminal. */
export async function interactive(io: Io, order: InteractiveOrder): Promise<number> {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const lines: string[] = []
  let wake = () => {}
  let listed: ListedSession[] = []
  let warned = false
  const ended = { yes: false }
  let died = false
  const chat: { session?: AgentSession } = {}
  /** Whether there was something to stop. */
  const stop = (): boolean => {
    const { session } = chat
    if (session?.isGeneratingHandoff) session.abortHandoff()
    else if (session?.isStreaming) session.abort()
    else return false
    return true
  }

  const terminal = new ChatTerminal({
    stdin: order.stdin,
    stdout: order.stdout,
    colour: paint(io),
    complete: line =>
      complete(
        line,
        listed.map(({ id }) => id),
      ),
    onLine(line) {
      if (line.trim() === '') {
        if (!isBusy(chat.session)) terminal.ready()
        return
      }
      if (isBusy(chat.session)) terminal.line(`(waits) ${line}`, 'dim')
      lines.push(line)
      wake()
    },
    onEscape: () => void stop(),
    onInterrupt() {
      if (stop()) return
      if (warned) leave()
      else {
        warned = true
        terminal.line('Press Ctrl-C again to leave, or Ctrl-D.', 'dim')
      }
    },
    onEnd: leave,
  })
  const ask: AskInline = (consent, reason, signal) => askInline(terminal, consent, reason, signal)
  void left.then(() => {
    ended.yes = true
    wake()
  })
  io.signal.addEventListener('abort', () => leave(), { once: true })
  // The terminal is closed: the agent must not be left behind.
  process.once('SIGHUP', () => leave())

  try {
    terminal.progress(`Starting ${order.agent}`)
    const opened = await openChat(io, {
      agent: order.agent,
      attended: true,
      sandbox: order.sandbox,
      onWord(word) {
        if (word.kind === 'stop') return void stop()
        terminal.line(`> ${word.text} (sent from elsewhere)`, 'dim')
        lines.push(word.text)
        wake()
      },
      ...(order.mayAnswer ? { ask } : {}),
    })
    chat.session = opened.session
    show(opened, terminal)
    void opened.backend.gone.then(() => {
      if (ended.yes) return
      const kept = opened.session.turns > 0 ? '. The session is kept: baton chat --resume 1' : ''
      terminal.line(`The agent has ended${kept}`, 'red')
      died = true
      leave()
    })
    try {
      await begin(opened, order.resume, io, terminal)
      listed = await listSessions(opened.ports, io.cwd)
      while (!ended.yes) {
        if (lines.length === 0) {
          terminal.ready()
          await new Promise<void>(resolve => {
            wake = resolve
            if (ended.yes || lines.length > 0) resolve()
          })
          terminal.busy()
        }
        const line = lines.shift()
        if (line === undefined) continue
        warned = false
        if (slashOf(line)?.name === 'exit') break
        // Leaving does not wait for a reply.
        await Promise.race([obey(line, opened, io, terminal, list => (listed = list)), left])
      }
    } finally {
      ended.yes = true
      opened.session.abort()
      terminal.close()
      await opened.session.close()
    }
    return died ? EXIT.failed : EXIT.ok
  } catch (cause) {
    terminal.close()
    throw cause
  }
}

const isBusy = (session: AgentSession | undefined): boolean =>
  session === undefined || session.isStreaming || session.isGeneratingHandoff

async function begin(chat: Chat, resume: string | undefined, io: Io, terminal: ChatTerminal): Promise<void> {
  if (chat.alone !== undefined)
    terminal.line(`No daemon (${chat.alone}): you decide about every tool yourself.`, 'yellow')
  if (resume === undefined || !(await goBack(resume, chat, io, terminal))) await chat.session.start()
  terminal.line(
    `${chat.title} in ${io.cwd}${chat.sandbox ? ', in the sandbox' : ''}. /help shows the commands, Escape stops.`,
    'dim',
  )
}

/** One line of the person's, to its end. */
async function obey(
  line: string,
  chat: Chat,
  io: Io,
  terminal: ChatTerminal,
  know: (listed: ListedSession[]) => void,
): Promise<void> {
  const { session, backend, ports } = chat
  const slash = slashOf(line)
  try {
    switch (slash?.name) {
      case undefined: {
        const end = await session.prompt(line)
        if (end === 'cancelled') terminal.line('Stopped', 'yellow')
        if (end === 'refused') terminal.line('The model refused', 'red')
        if (end === 'limit') terminal.line('The agent stopped at its own limit', 'yellow')
        return
      }
      case 'handoff': {
        if (!(await session.hasEnough())) {
          terminal.line('Nothing to hand off (no messages yet)', 'yellow')
          return
        }
        const { good, words, more } = outcomeMessage(await session.handoff(slash.rest || undefined))
        terminal.line(words, good ? 'green' : 'red')
        if (more) terminal.line(more, 'dim')
        know(await listSessions(ports, io.cwd))
        return
      }
      case 'new':
        await session.newSession()
        terminal.line('New session started', 'green')
        return
      case 'fork':
        await session.fork()
        terminal.line('Continuing in a copy of this session', 'green')
        return
      case 'resume':
        await goBack(slash.rest, chat, io, terminal)
        return
      case 'sessions': {
        const listed = await listSessions(ports, io.cwd)
        know(listed)
        for (const words of listWords(listed, session.sessionId)) terminal.line(words)
        return
      }
      case 'status': {
        const { used, size } = session.context ?? {}
        const share = used !== undefined && size ? ` (${Math.round((used / size) * 100)}%)` : ''
        terminal.line(`Agent    ${chat.title}, session ${backend.nativeSession ?? 'none'}`)
        terminal.line(
          `Session  ${session.sessionId}, ${session.turns === 1 ? 'one turn' : `${session.turns} turns`}`,
        )
        terminal.line(`Context  ${used === undefined ? 'not known yet' : `${used} tokens${share}`}`)
        terminal.line(`File     ${session.path}`)
        return
      }
      default:
        for (const { name, hint, help } of SLASH) terminal.line(`/${name} ${hint}`.padEnd(20) + help)
        terminal.line('Other slash commands belong to the agent. Escape stops a reply or a handoff.', 'dim')
    }
  } catch (cause) {
    if (!(cause instanceof BatonError)) throw cause
    terminal.line(cause.message, 'red')
    if (cause.remedy) terminal.line(cause.remedy, 'dim')
  }
}

async function goBack(wanted: string, chat: Chat, io: Io, terminal: ChatTerminal): Promise<boolean> {
  const listed = await listSessions(chat.ports, io.cwd)
  // Baton continues a copy of a file of pi or oh-my-pi: the other program may still write to its own.
  const file = namedSessionFile(wanted, io)
  const picked = file ? { path: importSession(file, io) } : pickSession(listed, wanted)
  if (!picked) {
    if (wanted !== '') terminal.line(`No session ${wanted}`, 'red')
    for (const words of listWords(listed, chat.session.sessionId)) terminal.line(words)
    if (wanted === '' && listed.length > 0) terminal.line('Name one: /resume 1', 'dim')
    return false
  }
  const how = await chat.session.resume(picked.path)
  terminal.line(
    how === 'resumed' ? 'Session resumed' : 'Session resumed; the agent gets the conversation so far',
    'green',
  )
  return true
}

/** What the agent does, on the screen. */
function show({ session }: Chat, terminal: ChatTerminal): void {
  const shown = new Set<string>()
  session.subscribe(event => {
    if (event.type === 'handoff') terminal.progress(`${STEPS[event.step]} (Escape cancels)`)
    if (event.type === 'agent_start' && !session.isGeneratingHandoff)
      terminal.progress('Working (Escape stops)')
    if (event.type !== 'heard' || session.isGeneratingHandoff) return
    const { heard } = event
    if (heard.kind === 'text') terminal.text(heard.text)
    if (heard.kind === 'continued') terminal.line(`> ${heard.prompt}`, 'dim')
    if (heard.kind === 'call' && isFilled(heard.input) && !shown.has(`${heard.id} ${heard.title}`)) {
      shown.add(`${heard.id} ${heard.title}`)
      terminal.line(`· ${heard.tool}: ${heard.title.split('\n')[0] ?? ''}`, 'dim')
    }
    if (heard.kind === 'result' && heard.failed)
      terminal.line(`✗ ${heard.text.trim().split('\n')[0]?.slice(0, 200) ?? ''}`, 'red')
  })
}

/** Before its input is known, a call says nothing. */
const isFilled = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && Object.keys(input).length > 0

const STEPS = {
  asked: 'Writing the handoff document',
  checking: 'Comparing it with git and the session',
  'asked-again': 'Asking for corrections',
  switching: 'Starting the new session',
} as const

async function askInline(
  terminal: ChatTerminal,
  { call, always }: ConsentRequest,
  reason: string | undefined,
  signal: AbortSignal,
) {
  const { action, tool, title, input } = call
  // A command is shown whole: what cannot be seen must not be allowed.
  const what =
    action.kind === 'shell' ? action.command : `${title}\n${shortened(JSON.stringify(input, undefined, 2))}`
  terminal.line(`${tool} wants: ${what}`, 'yellow')
  if (reason) terminal.line(reason, 'dim')
  const keys = always ? 'yna' : 'yn'
  const words = `Allow? [y]es, [n]o${always ? ', [a]lways in this session' : ''} `
  const key = await terminal.choose(words, keys, signal)
  return key === undefined
    ? undefined
    : ({ y: 'allow', a: 'always', n: 'deny' } as const)[key as 'y' | 'n' | 'a']
}

const MAX_INPUT_LENGTH = 4000
const shortened = (text: string): string =>
  text.length <= MAX_INPUT_LENGTH
    ? text
    : `${text.slice(0, MAX_INPUT_LENGTH)}\n… and ${text.length - MAX_INPUT_LENGTH} more characters`
