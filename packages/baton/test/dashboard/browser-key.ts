import { generateKeyPairSync, sign } from 'node:crypto'

/** What a browser keeps of a login: a key that never leaves it. */
export function browserKey(): { publicKey: string; proof(url: string): Promise<string> } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
    async proof(url) {
      const { nonce } = (await (await fetch(`${url}/login`)).json()) as { nonce: string }
      const words = Buffer.from(`baton_${new URL(url).port} ${nonce}`)
      return sign('sha256', words, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    },
  }
}
