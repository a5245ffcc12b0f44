import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { textOf } from './run-program.ts'

const LONGEST_MS = 60_000
const LONGEST_SIGNATURE = 100_000

/** Signs a text as git would sign a commit, by the user's own settings. `folder` is empty: no repository's settings count. */
export async function signText(
  text: string,
  { git, folder, env }: { git: string; folder: string; env: NodeJS.ProcessEnv },
): Promise<{ signature: string } | { error: string }> {
  const setting = async (key: string, type?: string) =>
    (await textOf(git, ['config', ...(type ? [`--type=${type}`] : []), '--get', key], folder, env))?.trimEnd()
  const format = (await setting('gpg.format')) ?? 'openpgp'
  const key = (await setting('user.signingkey')) ?? ''
  if (format === 'openpgp') {
    const program =
      (await setting('gpg.openpgp.program', 'path')) ?? (await setting('gpg.program', 'path')) ?? 'gpg'
    const owner = key || (await setting('user.email')) || ''
    return run(program, ['--batch', '--no-tty', '-bsa', ...(owner ? ['-u', owner] : [])], text, folder, env)
  }
  if (format !== 'ssh') return { error: `gpg.format ${format} is not supported` }
  if (key === '') return { error: 'user.signingkey is not set in your git settings' }
  const program = (await setting('gpg.ssh.program', 'path')) ?? 'ssh-keygen'
  const literal = /^(?:key::)?((?:ssh|ecdsa|sk)-.+)$/.exec(key)?.[1]
  const place = await mkdtemp(join(folder, 'key-'))
  try {
    const file = literal ? join(place, 'key.pub') : await pathOf(key, setting)
    if (literal) await writeFile(file, `${literal}\n`, { mode: 0o600 })
    const words = ['-Y', 'sign', '-n', 'git', '-f', file, ...(literal ? ['-U'] : [])]
    return await run(program, words, text, folder, env)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** A path as git reads it: `~/` is the home folder. */
async function pathOf(
  key: string,
  setting: (key: string, type?: string) => Promise<string | undefined>,
): Promise<string> {
  const path = (await setting('user.signingkey', 'path')) ?? key
  return isAbsolute(path) ? path : join(homedir(), path)
}

function run(
  program: string,
  words: readonly string[],
  input: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ signature: string } | { error: string }> {
  return new Promise(done => {
    const child = spawn(program, words, { cwd, env, timeout: LONGEST_MS, killSignal: 'SIGKILL' })
    let out = ''
    let said = ''
    child.stdout.on('data', chunk => (out = (out + chunk).slice(0, LONGEST_SIGNATURE)))
    child.stderr.on('data', chunk => (said = (said + chunk).slice(0, 1000)))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.once('error', cause => done({ error: `${program} cannot be started (${cause.message})` }))
    child.once('close', code => {
      const isSignature = /^-----BEGIN (SSH|PGP) SIGNATURE-----\n[\s\S]+-----END \1 SIGNATURE-----\s*$/.test(
        out,
      )
      const why = said.split('\n').find(line => line.trim() !== '') ?? `it ended with ${code}`
      done(code === 0 && isSignature ? { signature: out } : { error: `${program} did not sign it: ${why}` })
    })
  })
}
