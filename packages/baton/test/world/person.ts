import { join } from 'node:path'
import { LoginLink } from '@batonpass/contract/dashboard'
import { browserKey } from '../dashboard/browser-key.ts'
import { runInTerminal } from './agents/tmux.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

/** Whose Baton it is: the home folder, and the state folder where it is not the usual one. */
export interface PersonPlace {
  home: string
  stateDir: string
  /** The folder in which the person runs a command; the home folder unless given. */
  cwd?: string
  /** A file that the command reads as its input. */
  stdin?: string
}

/** Runs a command of Baton as a person does: at a terminal that no agent started. Gives all that it showed. */
export async function asPerson(
  { home, stateDir, cwd = home, stdin }: PersonPlace,
  ...words: string[]
): Promise<string> {
  const command = [process.execPath, CLI, ...words]
  const { code, screen } = await runInTerminal({
    command: [...(stdin ? ['sh', '-c', 'from=$1; shift; exec "$@" < "$from"', 'sh', stdin] : []), ...command],
    cwd,
    // Nothing of the surroundings, which may be an agent's.
    env: { PATH: process.env.PATH ?? '', HOME: home, BATON_HOME: stateDir, TERM: 'xterm' },
    columns: 500,
  })
  if (code !== 0) throw new Error(`baton ${words.join(' ')} ended with ${code}\n${screen}`)
  return screen.replace(/Pane is dead .*$/, '').trim()
}

/** A link that lets one browser or editor in. */
export async function loginLink(place: PersonPlace): Promise<string> {
  return LoginLink.parse(JSON.parse(await asPerson(place, 'dashboard', '--json'))).url
}

/** The address of the daemon, and what a browser that was let in sends along with each request. */
export async function personLogin(
  place: PersonPlace,
): Promise<{ url: string; headers: Record<string, string> }> {
  const link = new URL(await loginLink(place))
  const key = browserKey()
  const entered = await fetch(`${link.origin}/login`, {
    method: 'POST',
    body: JSON.stringify({ code: link.hash.slice('#login='.length), key: key.publicKey }),
  })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { url: link.origin, headers: { cookie, 'baton-page': await key.proof(link.origin) } }
}
