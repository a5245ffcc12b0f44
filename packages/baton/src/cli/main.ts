import { homedir } from 'node:os'
import { BatonError } from '@batonpass/contract/errors'
import { VERSION } from '../version.ts'
import { withAscii } from './ascii.ts'
import { type Command, EXIT, parse } from './command.ts'
import { helpOf, overview } from './help.ts'
import { insideStepsOf } from './inside-steps.ts'
import { type Io, paint, printable } from './io.ts'
import { withFittedLines } from './wrap-words.ts'

/** Runs one command line and gives its exit code. */
export async function main(
  words: readonly string[],
  commands: readonly Command[],
  around: Io,
): Promise<number> {
  const io = withAscii(around)
  const [name, ...rest] = words
  let instead: string | undefined
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const about = name === 'help' && rest[0] ? await find(commands, rest[0]) : undefined
      io.stdout.write(about ? helpOf(about, io.columns) : overview(commands, VERSION, io.columns))
      return EXIT.ok
    }
    if (name === '--version' || name === '-v' || name === 'version') {
      io.stdout.write(`${VERSION}\n`)
      return EXIT.ok
    }
    const command = await find(commands, name)
    instead = command.insteadOfFailing
    const given = parse(command, rest)
    if (given.options.help) {
      io.stdout.write(helpOf(command, io.columns))
      return EXIT.ok
    }
    const run = await command.load()
    return await run(given, given.options.json || !MESSAGES.has(command.name) ? io : withFittedLines(io))
  } catch (cause) {
    const code = report(cause, io)
    if (instead === undefined) return code
    io.stdout.write(`${instead}\n`)
    return EXIT.ok
  }
}

/**
 * Commands that print messages. Others fit their lists themselves, or print documents, screens and commands that a person
 * confirms, which keep their lines.
 */
const MESSAGES: ReadonlySet<string> = new Set([
  ...['init', 'uninstall', 'up', 'down', 'run', 'resume', 'stop', 'kill', 'dashboard', 'webhook'],
  ...['away', 'back', 'done', 'request', 'forget', 'undo'],
])

async function find(commands: readonly Command[], name: string): Promise<Command> {
  const command = commands.find(c => c.name === name)
  if (command) return command
  const { nearestWord } = await import('../config/keys.ts')
  // Of short words half the alphabet is near: who mistypes rarely does so at the first letter.
  const close = nearestWord(
    name,
    commands.filter(c => !c.hidden && c.name[0] === name[0]).map(c => c.name),
  )
  throw new BatonError('usage', `Unknown command '${name}'`, {
    remedy: close ? `Did you mean \`baton ${close}\`?` : 'See `baton --help`.',
  })
}

/** One line that says what happened and one that says what to do; a stack only for a bug of ours. */
function report(cause: unknown, io: Io): number {
  const colour = paint(io)
  if (cause instanceof BatonError) {
    const { stderr } = withFittedLines(io)
    stderr.write(`${colour('red', 'baton:')} ${printable(cause.message)}\n`)
    if (cause.remedy) stderr.write(`${printable(cause.remedy)}\n`)
    if (io.signal.aborted) return EXIT.interrupted
    if (cause.code === 'usage') return EXIT.usage
    if (cause.code === 'daemon_absent') return EXIT.noDaemon
    return cause.code.startsWith('config_') ? EXIT.invalid : EXIT.failed
  }
  io.stderr.write(
    `${colour('red', 'baton:')} unexpected: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`,
  )
  return EXIT.failed
}

/** The real process as a command sees it. */
export function processIo(): Io {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  // `baton logs | head`: the reader has gone, which is no error.
  process.stdout.on('error', cause => {
    if ('code' in cause && cause.code === 'EPIPE') process.exit(EXIT.ok)
    throw cause
  })
  const inside = insideStepsOf(process.env)
  return {
    ...(inside ? { inside } : {}),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: workingFolder(),
    home: homeFolder(),
    isTTY: process.stdout.isTTY === true,
    ...(process.stdout.isTTY ? { columns: Math.min(process.stdout.columns || 80, 120) } : {}),
    signal: stop.signal,
  }
}

/** The folder may have been removed under our feet. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD || '/'
  }
}

/** A user id without an entry in the user list has no home. */
function homeFolder(): string {
  try {
    return process.env.HOME || homedir()
  } catch {
    return '/'
  }
}
