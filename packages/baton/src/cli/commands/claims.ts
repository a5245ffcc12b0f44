import { ClaimList } from '@batonpass/contract/claim'
import { findWorktreeRoot } from '../../config/project.ts'
import { claimLine, claimNeeds } from '../claim-lines.ts'
import { EXIT, flag, type Handler } from '../command.ts'
import { callStartedDaemon } from '../daemon.ts'
import { sessionIdFor } from '../for-people.ts'
import { paint, printable } from '../io.ts'
import { fitted } from '../wrap-words.ts'

/** Every claim of this machine, and what blocks it. */
export const claims: Handler = async (given, io) => {
  const listed = ClaimList.parse(await callStartedDaemon(io, 'GET', '/api/claims', 10_000)).claims
  // A command in a sandbox learns nothing about other projects.
  const claims = io.inside ? listed.filter(({ project }) => project === findWorktreeRoot(io.cwd)) : listed
  if (flag(given, 'json')) {
    io.stdout.write(`${JSON.stringify({ claims })}\n`)
    return EXIT.ok
  }
  const colour = paint(io)
  const write = fitted(io)
  if (claims.length === 0) io.stdout.write('No claimed issues. Claim one: baton claim next\n')
  for (const claim of claims) {
    const session = claim.nativeSession ? `session ${sessionIdFor(claim.nativeSession, io)}` : 'no session'
    write(
      `${printable(claimLine(claim))}\n  ${colour('dim', printable(`${claim.repository}  ${claim.project}  ${session}`))}\n`,
    )
    const needs = claimNeeds(claim)
    if (needs) write(`  ${colour('yellow', printable(needs))}\n`)
  }
  return EXIT.ok
}
