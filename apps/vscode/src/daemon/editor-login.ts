import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'

/** Encrypted storage that only this extension can read, such as VS Code's SecretStorage. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>
  store(name: string, value: string): PromiseLike<void>
  delete(name: string): PromiseLike<void>
}

/** The daemon's side of a login. */
export interface LoginDoor {
  /** Identifies the daemon; each daemon has its own login. */
  name: string
  /** The challenge that the running daemon wants signed. */
  nonce(): Promise<string>
  /** Exchanges a link's code for a cookie (`NAME=VALUE`) that is bound to this public key. */
  enter(code: string, publicKey: string): Promise<string>
}

interface StoredLogin {
  privateKey: string
  cookie: string
}

/** Proves to the daemon that a person let this editor in: the editor signs with its own key, as a browser does. */
export class EditorLogin {
  readonly #secrets: SecretStore

  constructor(secrets: SecretStore) {
    this.#secrets = secrets
  }

  async isLetIn(door: Pick<LoginDoor, 'name'>): Promise<boolean> {
    return (await this.#stored(door)) !== undefined
  }

  /** Logs in with the link that `baton dashboard` prints, or with the code in it. */
  async enter(link: string, door: LoginDoor): Promise<void> {
    const code = codeIn(link)
    if (code === undefined)
      throw new BatonError('usage', 'This is not a link from `baton dashboard`', {
        remedy: 'Run `baton dashboard` in your own terminal and paste the whole link.',
      })
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const shown = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
    const stored: StoredLogin = {
      privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url'),
      cookie: await door.enter(code, shown),
    }
    await this.#secrets.store(secretName(door), JSON.stringify(stored))
  }

  /** Headers that prove that a request comes from this editor; empty until a person has let it in. */
  async headers(door: Pick<LoginDoor, 'name' | 'nonce'>): Promise<Record<string, string>> {
    const stored = await this.#stored(door)
    if (!stored) return {}
    const [cookieName] = stored.cookie.split('=', 1)
    const key = createPrivateKey({
      key: Buffer.from(stored.privateKey, 'base64url'),
      format: 'der',
      type: 'pkcs8',
    })
    const challenge = Buffer.from(`${cookieName} ${await door.nonce()}`)
    const proof = sign('sha256', challenge, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    return { cookie: stored.cookie, 'baton-page': proof }
  }

  async #stored(door: Pick<LoginDoor, 'name'>): Promise<StoredLogin | undefined> {
    const text = await this.#secrets.get(secretName(door))
    if (text === undefined) return undefined
    try {
      const { privateKey, cookie }: Partial<StoredLogin> = JSON.parse(text)
      if (typeof privateKey === 'string' && typeof cookie === 'string') return { privateKey, cookie }
    } catch {
      // Not ours, or from another version: the user has to let this editor in again.
    }
    await this.#secrets.delete(secretName(door))
    return undefined
  }
}

/** The code in a link, or the code alone; undefined if there is none. */
export const codeIn = (text: string): string | undefined =>
  /(?:^|#login=)([0-9a-z]{32})$/.exec(text.trim())?.[1]

const secretName = ({ name }: Pick<LoginDoor, 'name'>): string => `login ${name}`
