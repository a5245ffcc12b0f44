/**
 * Creates this browser's key pair. No script can read the private key, not even one on this page, and it never leaves the
 * browser: the page sends a signature of the running daemon's nonce, which is worthless to the next daemon. So a program
 * that listened at this address while no daemon ran has learnt nothing.
 */
export async function newKey(): Promise<{ publicKey: string; keep(): Promise<void> }> {
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, false, ['sign', 'verify'])
  const shown = base64url(await crypto.subtle.exportKey('spki', publicKey))
  return {
    publicKey: shown,
    async keep() {
      here = privateKey
      localStorage.removeItem(PROOF)
      await inStore('readwrite', store => store.put(privateKey, NAME)).catch(() => {})
      // Other tabs get a storage event.
      localStorage.setItem(KEY, shown)
    },
  }
}

export function forgetKey(): void {
  here = undefined
  localStorage.removeItem(KEY)
  localStorage.removeItem(PROOF)
  void inStore('readwrite', store => store.delete(NAME)).catch(() => {})
}

/** Whether this browser has created a key. */
export const hasKey = (): boolean => localStorage.getItem(KEY) !== null

/** Sends a request with the proof that it comes from this page. */
export async function pageFetch(path: string, init: RequestInit = {}): Promise<Response> {
  const send = (proof: string) => fetch(path, { ...init, headers: { ...init.headers, 'baton-page': proof } })
  const known = localStorage.getItem(PROOF)
  const response = known === null ? undefined : await send(known)
  // A new daemon has a new nonce, and another tab may have created a new key.
  return response && response.status !== 401 ? response : await send(await freshProof(known))
}

export const KEY = 'baton.page-key'
const PROOF = 'baton.page-proof'
const NAME = 'page'
/** The key, for browsers that do not store keys, as in some private windows. */
let here: CryptoKey | undefined
let signing: Promise<string> | undefined

async function freshProof(old: string | null): Promise<string> {
  const known = localStorage.getItem(PROOF)
  if (known !== null && known !== old) return known
  signing ??= sign().finally(() => {
    signing = undefined
  })
  return await signing
}

async function sign(): Promise<string> {
  const { nonce } = (await (await fetch('/login')).json()) as { nonce: string }
  const key =
    (await inStore<CryptoKey | undefined>('readonly', store => store.get(NAME)).catch(() => {})) ?? here
  if (!key) return ''
  const challenge = new TextEncoder().encode(`baton_${location.port} ${nonce}`)
  const proof = base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, challenge))
  localStorage.setItem(PROOF, proof)
  return proof
}

/** Runs one request in IndexedDB, the only browser storage that can keep keys. */
function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open('baton', 1)
    open.onupgradeneeded = () => open.result.createObjectStore('keys')
    open.onerror = () => reject(open.error)
    open.onsuccess = () => {
      const transaction = open.result.transaction('keys', mode)
      const request = work(transaction.objectStore('keys'))
      transaction.oncomplete = () => {
        open.result.close()
        resolve(request.result as T)
      }
      transaction.onerror = () => reject(transaction.error)
    }
  })
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
