import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { BatonError } from '@batonpass/contract/errors'

/** Where the editor keeps secrets: encrypted, and for this extension only. VS Code's SecretStorage is one. */
export interface SecretStore {
  get(name: string): PromiseLike<string | undefined>
  store(name: string, value: string): PromiseLike<void>
  delete(name: string): PromiseLike<void>
}

/** The daemon's part in a login. */
export interface LoginDoor {
  /** Which daemon it is: each one lets this editor in for itself. */
  name: string
  /** What the running daemon wants to have signed. */
  nonce(): Promise<string>
  /** Trades the code of a link for a cookie (`NAME=VALUE`), for the owner of this public key. */
  enter(code: string, publicKey: string): Promise<string>
}

interface KeptLogin {
  privateKey: string
  cookie: string
}

/** Shows the daemon that a person let this editor in: the editor signs with a key that only it holds, as a browser does. */
export class EditorLogin {
  readonly #secrets: SecretStore

  constructor(secrets: SecretStore) {
    this.#secrets = secrets
  }

  async isLetIn(door: Pick<LoginDoor, 'name'>): Promise<boolean> {
    return (await this.#kept(door)) !== undefined
  }

  /** Enters by the link that `baton dashboard` prints, or by the code in it. */
  async enter(link: string, door: LoginDoor): Promise<void> {
    const code = codeIn(link)
    if (code === undefined)
      throw new BatonError('usage', 'This is not a link that `baton dashboard` printed', {
        remedy: 'Run `baton dashboard` in a terminal of your own, and paste the whole link.',
      })
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const shown = publicKey.export({ format: 'der', type: 'spki' }).toString('base64url')
    const kept: KeptLogin = {
      privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url'),
      cookie: await door.enter(code, shown),
    }
    await this.#secrets.store(secretName(door), JSON.stringify(kept))
  }

  /** What a request brings along to show that it comes from this editor; nothing before a person let it in. */
  async headers(door: Pick<LoginDoor, 'name' | 'nonce'>): Promise<Record<string, string>> {
    const kept = await this.#kept(door)
    if (!kept) return {}
    const [cookieName] = kept.cookie.split('=', 1)
    const key = createPrivateKey({
      key: Buffer.from(kept.privateKey, 'base64url'),
      format: 'der',
      type: 'pkcs8',
    })
    const words = Buffer.from(`${cookieName} ${await door.nonce()}`)
    const proof = sign('sha256', words, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    return { cookie: kept.cookie, 'baton-page': proof }
  }

  async #kept(door: Pick<LoginDoor, 'name'>): Promise<KeptLogin | undefined> {
    const text = await this.#secrets.get(secretName(door))
    if (text === undefined) return undefined
    try {
      const { privateKey, cookie }: Partial<KeptLogin> = JSON.parse(text)
      if (typeof privateKey === 'string' && typeof cookie === 'string') return { privateKey, cookie }
    } catch {
      // Not ours, or of another version: the person lets this editor in again.
    }
    await this.#secrets.delete(secretName(door))
    return undefined
  }
}

/** The code in a link or by itself; undefined when there is none. */
export const codeIn = (text: string): string | undefined =>
  /(?:^|#login=)([0-9a-z]{32})$/.exec(text.trim())?.[1]

const secretName = ({ name }: Pick<LoginDoor, 'name'>): string => `login ${name}`
