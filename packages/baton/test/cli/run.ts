import { PassThrough } from 'node:stream'
import { main } from '../../src/cli/main.ts'
import { COMMANDS } from '../../src/cli/table.ts'

/** Runs a command line in this process, in an environment that holds nothing. */
export async function runCommand(words: readonly string[]) {
  const out = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof out) => ({
    write(text: string) {
      out[name] += text
    },
  })
  const stdin = new PassThrough()
  stdin.end()
  const code = await main(words, COMMANDS, {
    stdin,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {},
    cwd: '/',
    // Even root can create nothing below it, so no command starts a daemon.
    home: '/dev/null/home',
    isTTY: false,
    signal: new AbortController().signal,
  })
  return { code, ...out }
}
