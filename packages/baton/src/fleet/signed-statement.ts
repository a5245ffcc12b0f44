import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { AskAnswer } from '@batonpass/contract/ask'
import { AskId } from '@batonpass/contract/ids'
import { z } from 'zod'
import { MAX_SIGNATURE, MAX_TEXT, type SignedText } from '../ports/fleet-board.ts'

/** An Ed25519 public key: 32 bytes in base64url. */
export const PublicKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
const text = z.string().min(1).max(200)
const common = { fleet: PublicKey, by: PublicKey, at: z.iso.datetime() }

/**
 * What machines of a fleet tell each other, signed with the key `by`. `fleet` is the founder's key. `joining` is signed with the
 * key of a token, all others with the key of a machine.
 */
export const Statement = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('founded'), ...common, machine: text, name: text }),
  z.object({ kind: z.literal('joining'), ...common, machine: text, name: text, key: PublicKey }),
  z.object({ kind: z.literal('member'), ...common, machine: text, name: text, key: PublicKey }),
  z.object({ kind: z.literal('removed'), ...common, key: PublicKey }),
  z.object({
    kind: z.literal('answer'),
    ...common,
    ask: AskId,
    /** SHA-256 of the published text that the person saw. */
    seen: z.string().regex(/^[0-9a-f]{64}$/),
    ...AskAnswer.pick({ option: true, reason: true, replies: true, by: true }).extend({ by: PublicKey })
      .shape,
    who: z.string().max(200),
    channel: text,
  }),
])
export type Statement = z.infer<typeof Statement>

/** So that a signature for one purpose is never valid for another. */
const PURPOSE = 'baton fleet 1\n'

/** The DER of an Ed25519 key is a fixed prefix and its 32 bytes. */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex')

/** A key pair: `secret` and `key` are 32 bytes in base64url. */
export interface MachineKey {
  secret: string
  key: string
}

export function newKey(): MachineKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  return keyOf(privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('base64url'))
}

export function keyOf(secret: string): MachineKey {
  const der = createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' })
  return { secret, key: der.subarray(-32).toString('base64url') }
}

export function signText(text: string, { secret }: MachineKey): SignedText {
  return {
    text,
    signature: sign(null, Buffer.from(PURPOSE + text), privateKey(secret)).toString('base64url'),
  }
}

export function isSignedBy({ text, signature }: SignedText, key: string): boolean {
  if (isTooLong(text) || signature.length > MAX_SIGNATURE || !PublicKey.safeParse(key).success) return false
  try {
    const der = Buffer.concat([PUBLIC, Buffer.from(key, 'base64url')])
    const known = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, Buffer.from(PURPOSE + text), known, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** Undefined unless the text is a statement that the key it names has signed. */
export function readStatement(signed: SignedText): Statement | undefined {
  const statement = Statement.safeParse(parseJson(signed.text)).data
  return statement && isSignedBy(signed, statement.by) ? statement : undefined
}

export const isTooLong = (text: string): boolean => Buffer.byteLength(text) > MAX_TEXT

export function parseJson(text: string): unknown {
  if (isTooLong(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const privateKey = (secret: string) =>
  createPrivateKey({
    key: Buffer.concat([PRIVATE, Buffer.from(secret, 'base64url')]),
    format: 'der',
    type: 'pkcs8',
  })
