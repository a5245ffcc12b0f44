import { signal } from '@preact/signals'
import { forgetKey, hasKey, KEY, newKey, pageFetch } from './page-key.ts'

/** `unknown` until the daemon has said whether this browser was let in. */
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
  if (response.status === 401) turnedAway()
  const given: unknown = await response.json().catch(() => undefined)
  if (response.ok) {
    access.value = 'in'
    return given
  }
  const { code = 'internal', message = `The daemon answered ${response.status}`, remedy } = errorIn(given)
  throw new ApiError(response.status, code, message, remedy)
}

function errorIn(given: unknown): { code?: string; message?: string; remedy?: string } {
  return typeof given === 'object' && given !== null && 'error' in given
    ? (given.error as { code?: string; message?: string; remedy?: string })
    : {}
}

/** Where to go back to, once this tab is let in again. */
const BACK = 'baton.back'

/** This browser was let in once: it is known here until somebody logs out on purpose. */
export const wasIn = hasKey

export function turnedAway(): void {
  if (access.value === 'out') return
  access.value = 'out'
  sessionStorage.setItem(BACK, location.pathname)
}

// Another tab of this browser followed a fresh link: what it was given is as good here.
addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY && newValue !== null && access.value === 'out') access.value = 'in'
})

// A link that is opened where the page is already only changes what stands behind the `#`.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#login=')) location.reload()
})

/** The printed link brings its code behind the `#`, which no server and no log ever sees; it is spent here. */
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
    // Somebody who is in already may follow an old link.
    return { refused: cause instanceof ApiError ? cause.message : 'The daemon does not answer' }
  }
}

export async function logout(): Promise<void> {
  await post('/api/page/logout', {}).catch(() => {})
  forgetKey()
  access.value = 'out'
}
