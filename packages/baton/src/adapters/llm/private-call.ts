import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AGENTS } from '@batonpass/contract/agents'
import { BatonError } from '@batonpass/contract/errors'
import type { AnswerLaunch } from '../../ports/launch.ts'
import type { ProgramCall, ProgramEnd, Programs } from '../../ports/programs.ts'

/** What is needed to run an agent's program for one answer. */
export interface PrivateCalls {
  programs: Programs
  /** A marker by which the daemon recognizes the call's hooks as Baton's own. */
  ownCall(): { readonly marker: string; release(): void }
  /** The environment from which the call's variables are taken. */
  env: Readonly<Record<string, string | undefined>>
  /** A folder that only the user can write to, so that no other user's settings or instructions apply to the call. */
  folder: string
  /** Runs the program in the sandbox, in a folder that it may read and without any login. Absent: outside, in an empty folder. */
  inside?: InsideCall | undefined
}

/** Runs an agent's program in the sandbox. The variables are the call's own: those that log in stay outside. */
export type InsideCall = (
  call: Omit<ProgramCall, 'cwd'> & {
    /** It runs in an empty folder of its own, with these files. Absent: in the folder that it may read. */
    files?: Readonly<Record<string, string>> | undefined
  },
  signal: AbortSignal,
) => Promise<ProgramEnd>

export interface PrivateCall extends AnswerLaunch, Pick<ProgramCall, 'input' | 'withinMs'> {}

/**
 * Runs an agent's program for one answer and returns its standard output. The call is marked, so that Baton ignores its
 * hooks; it runs in an empty folder, so that no project's instructions apply; its environment has only what it needs to log
 * in; and its input names no file, because some agents send a file that a word such as `@file` names.
 */
export async function privateCall(
  { programs, ownCall, env, folder, inside }: PrivateCalls,
  call: PrivateCall,
  signal: AbortSignal,
): Promise<string> {
  const name = call.program.slice(call.program.lastIndexOf('/') + 1)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const cwd = await mkdtemp(join(folder, 'call-'))
  const { marker, release } = ownCall()
  try {
    for (const [path, text] of Object.entries(call.files ?? {})) {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), text)
    }
    const { program, args, withinMs } = call
    const own = { ...call.env, BATON_MARKER: marker }
    const input = call.input.replaceAll(/(?<![A-Za-z0-9])@(?=\S)/g, '@ ')
    const what = { program, args, withinMs, input }
    const end = inside
      ? await inside({ ...what, env: own, files: call.files }, signal)
      : await programs.run({ ...what, cwd, env: { ...agentEnvironment(env), ...own } }, signal)
    if (end.why === 'timed-out')
      throw new BatonError('timed_out', `${name} did not answer within ${call.withinMs / 1000} seconds`)
    if (end.why === 'aborted') throw new BatonError('model_failed', `${name} was cancelled`)
    // Its error output may contain the question, so do not show it.
    if (end.why !== 'itself' || end.code !== 0)
      throw new BatonError(
        'model_failed',
        `${name} did not answer${inside ? ' in the sandbox' : ''} (${end.code ?? end.why})`,
        {
          remedy: `Run ${name} once by hand to see whether it is logged in.`,
        },
      )
    return end.stdout
  } finally {
    release()
    await rm(cwd, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}

/** Variables for paths, the network and the agents' own logins; never the tokens of Baton's other services. */
const KEPT = new RegExp(
  `^(?:${[
    ...['HOME', 'USER', 'LOGNAME', 'PATH', 'SHELL', 'LANG', 'LC_.*', 'TZ', 'TMPDIR', 'XDG_.*'],
    ...['HTTPS?_PROXY', 'https?_proxy', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_(FILE|DIR)'],
    // Hooks with the marker must find the daemon that issued it.
    ...['BATON_HOME', 'AGENTIZE_HOME'],
    ...Object.values(AGENTS).flatMap(each => each.env),
  ].join('|')})$`,
)

/** The variables that an agent's program receives. */
export function agentEnvironment(env: PrivateCalls['env']): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && KEPT.test(name)) kept[name] = value
  return kept
}
