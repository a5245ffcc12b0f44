import { execFile } from 'node:child_process'
import { ForgeError } from '../../ports/forge.ts'

export interface TokenSources {
  env: Readonly<Record<string, string | undefined>>
  /** From the user's own configuration. */
  configured?: string
  /** The GitHub Enterprise host that the user configured. Without it, only GitHub's own hosts get the token. */
  configuredHost?: string
  /** `gh`, or its path. Empty: do not ask it. */
  program?: string
}

/**
 * The token for a host. The remote's address comes with the repository, which anyone may have written, so a token for
 * github.com is never given to another host unless the user configured that host.
 */
export async function tokenFor(host: string, sources: TokenSources): Promise<string> {
  const { env } = sources
  const named = host === 'github.com' || host.endsWith('.ghe.com')
  const trusted = host === (sources.configuredHost ?? 'github.com') || host === env.GH_HOST
  const candidates = [
    trusted ? sources.configured : undefined,
    ...(named || trusted ? [env.GITHUB_TOKEN, env.GH_TOKEN] : []),
    ...(!named && trusted ? [env.GH_ENTERPRISE_TOKEN, env.GITHUB_ENTERPRISE_TOKEN] : []),
  ]
  const token = candidates.find(candidate => candidate?.trim())?.trim() ?? (await fromProgram(host, sources))
  if (!token) {
    throw new ForgeError('unauthorised', `No token for ${host}`, {
      remedy: named
        ? 'Set GITHUB_TOKEN, or run `gh auth login`.'
        : `Name ${host} as github.host in your configuration and set GITHUB_TOKEN, or run \`gh auth login --hostname ${host}\`.`,
    })
  }
  // A line break in a token could inject headers.
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
    throw new ForgeError(
      'unauthorised',
      `The token for ${host} contains characters that are not valid in a token`,
      {
        remedy: 'Set GITHUB_TOKEN again, without quotes, spaces or line breaks.',
      },
    )
  }
  return token
}

function fromProgram(host: string, { program = 'gh', env }: TokenSources): Promise<string | undefined> {
  if (!program || !/^[a-z0-9][a-z0-9.:-]*$/.test(host)) return Promise.resolve(undefined)
  // Its environment variables were checked already; without them it answers from its keyring.
  const {
    GH_TOKEN: _,
    GITHUB_TOKEN: __,
    GH_ENTERPRISE_TOKEN: ___,
    GITHUB_ENTERPRISE_TOKEN: ____,
    ...rest
  } = env
  const options = { timeout: 5000, maxBuffer: 10_000, env: { ...rest, GH_PROMPT_DISABLED: '1' } }
  return new Promise(resolve => {
    execFile(program, ['auth', 'token', '--hostname', host], options, (error, stdout) => {
      resolve(error ? undefined : stdout.trim() || undefined)
    })
  })
}

/** The API address of a host. */
export function apiUrlOf(host: string): string {
  if (host === 'github.com') return 'https://api.github.com'
  if (host.endsWith('.ghe.com')) return `https://api.${host}`
  return `https://${host}/api/v3`
}
