import { signal } from '@preact/signals'
import { forgetKey, hasKey, KEY, newKey, pageFetch } from './page-key.ts'

/** Whether this browser is logged in; `unknown` until the daemon has answered once. */
export const access = signal<'unknown' | 'in' | 'out'>('unknown')

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly remedy: string | undefined

  constructor(status: number, code: string, message: string, remedy: string | undefined) {
    super(message)
    this.status = status
    this.code = code
    this.remedy = remedy
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await call('GET', path, undefined, signal)) as T
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return (await call('POST', path, body)) as T
}

export async function del<T>(path: string): Promise<T> {
  return (await call('DELETE', path)) as T
}

async function call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
  const response = await pageFetch(path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  if (response.status === 401) markLoggedOut()
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) {
    access.value = 'in'
    return answer
  }
  const {
    code = 'internal',
    message = `The daemon answered with status ${response.status}`,
    remedy,
  } = errorIn(answer)
  throw new ApiError(response.status, code, message, remedy)
}

function errorIn(answer: unknown): { code?: string; message?: string; remedy?: string } {
  return typeof answer === 'object' && answer !== null && 'error' in answer
    ? (answer.error as { code?: string; message?: string; remedy?: string })
    : {}
}

/** The path to return to after this tab logs in again. */
const BACK = 'baton.back'

/** Whether this browser has logged in before and the user has not logged out since. */
export const wasLoggedIn = hasKey

export function markLoggedOut(): void {
  if (access.value === 'out') return
  access.value = 'out'
  sessionStorage.setItem(BACK, location.pathname)
}

// Another tab of this browser logged in with a new link; its key works in this tab, too.
addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY && newValue !== null && access.value === 'out') access.value = 'in'
})

// A login link opened in a tab that shows the page already changes only the part after the `#`.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#login=')) location.reload()
})

/** Uses the login code in the address. It is after the `#`, which no server and no log ever sees. */
export async function login(): Promise<{ refused?: string; back?: string }> {
  const code = /^#login=([0-9a-z]{32})$/.exec(location.hash)?.[1]
  if (!code) return {}
  const back = sessionStorage.getItem(BACK)
  sessionStorage.removeItem(BACK)
  history.replaceState(null, '', '/')
  try {
    const { publicKey, keep } = await newKey()
    await post('/login', { code, key: publicKey })
    await keep()
    access.value = 'in'
    return back === null ? {} : { back }
  } catch (cause) {
    // A user who is logged in already may follow an old link.
    return {
      refused:
        cause instanceof ApiError ? cause.message : 'The daemon does not answer. Start it with `baton up`.',
    }
  }
}

export async function logout(): Promise<void> {
  await post('/api/page/logout', {}).catch(() => {})
  forgetKey()
  access.value = 'out'
}
