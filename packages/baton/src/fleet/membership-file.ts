import { z } from 'zod'
import { type MachineKey, PublicKey, type Statement } from './signed-statement.ts'

const Member = z.object({ machine: z.string(), name: z.string(), key: PublicKey })
export type Member = z.infer<typeof Member>

/**
 * What this machine has verified, in its state folder. It reads each statement once and never forgets a removal, so rows that
 * are deleted, reordered or added later in the database change nothing here.
 */
export const MembershipFile = z.object({
  version: z.literal(1),
  /** The secret key of this machine, of the same form. */
  secret: PublicKey,
  /** The founder's key. */
  fleet: PublicKey,
  /** The number of the last statement of a member that was read, and the digest of its text: another database has another one there. */
  seq: z.number().int().nonnegative(),
  digest: z.string().optional(),
  members: z.array(Member),
  removed: z.array(PublicKey),
  /** The tokens that this machine gave: only the public keys, and which machine used them. */
  tokens: z.array(z.object({ key: PublicKey, until: z.number(), usedBy: PublicKey.optional() })),
})
export type MembershipFile = z.infer<typeof MembershipFile>

export const emptyFile = ({ secret }: MachineKey, fleet: string): MembershipFile => ({
  ...{ version: 1, secret, fleet, seq: 0 },
  ...{ members: [], removed: [], tokens: [] },
})

/** Who is a member after a statement. Its signature is valid; whether its key may say this is decided here. */
export function applyStatement(file: MembershipFile, statement: Statement): MembershipFile {
  const { kind, by, fleet } = statement
  const isKnown = (wanted: string) => file.members.some(({ key }) => key === wanted)
  if (kind === 'founded')
    return by !== fleet || isKnown(by) ? file : withMember(file, { ...statement, key: by })
  // A removed machine is no longer a member: what it signs now, or backdates, counts for nothing.
  if (!isKnown(by)) return file
  if (kind === 'member') return withMember(file, statement)
  if (kind !== 'removed' || statement.key === fleet || file.removed.includes(statement.key)) return file
  return {
    ...file,
    members: file.members.filter(({ key }) => key !== statement.key),
    removed: [...file.removed, statement.key],
  }
}

/** A key that was removed never comes back. A machine has one key: the newer one replaces the older, except the founder's. */
export function withMember(file: MembershipFile, { machine, name, key }: Member): MembershipFile {
  const before = file.members.find(member => member.machine === machine)
  if (file.removed.includes(key) || file.members.some(member => member.key === key)) return file
  if (before?.key === file.fleet) return file
  return {
    ...file,
    members: [...file.members.filter(member => member !== before), { machine, name, key }],
    removed: before ? [...file.removed, before.key] : file.removed,
  }
}
