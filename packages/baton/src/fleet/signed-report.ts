import { MachineReport } from '@batonpass/contract/fleet'
import { z } from 'zod'
import type { Membership } from './membership.ts'
import { isSignedBy, isTooLong, PublicKey, parseJson } from './signed-statement.ts'

/** What a machine reports about itself, signed with its key `by`. */
const Report = z.object({
  kind: z.literal('report'),
  fleet: PublicKey,
  by: PublicKey,
  machine: z.string(),
  report: MachineReport,
})
const Signed = z.object({ text: z.string(), signature: z.string() })

export interface SignedReports {
  /** The report as it is stored in the database; undefined if this machine is not a member. */
  sign(report: MachineReport): Promise<string | undefined>
  /** What the machine with this id reported; undefined unless its own key has signed it. */
  read(machine: string, stored: string | undefined): Promise<MachineReport | undefined>
}

/**
 * Signs the reports of this machine and verifies those of others, so that who can write to the database cannot invent sessions
 * or merges of a machine. An old report of a machine can be put back; whether it is alive is what the database says.
 */
export const signedReports = (
  membership: Pick<Membership, 'signOwn' | 'memberWith' | 'fleet'>,
): SignedReports => {
  const sign = async (report: MachineReport): Promise<string | undefined> => {
    const signed = await membership.signOwn(({ fleet, key, machine }) =>
      JSON.stringify({ kind: 'report', fleet, by: key, machine, report } satisfies z.infer<typeof Report>),
    )
    return signed && JSON.stringify(signed)
  }
  return {
    async sign(report) {
      // Others do not read longer texts. What is stored counts: there each quote of the signed text takes two characters.
      for (const left of [report, { ...report, changes: [] }]) {
        const stored = await sign(left)
        if (stored === undefined || !isTooLong(stored)) return stored
      }
      return sign({ ...report, sessions: [], merges: [], changes: [] })
    },
    async read(machine, stored) {
      const signed = Signed.safeParse(parseJson(stored ?? '')).data
      const said = signed && Report.safeParse(parseJson(signed.text)).data
      if (!said || said.machine !== machine || said.fleet !== (await membership.fleet())) return undefined
      const isTrue = membership.memberWith(said.by)?.machine === machine && isSignedBy(signed, said.by)
      return isTrue ? said.report : undefined
    },
  }
}
