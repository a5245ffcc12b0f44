import { BatonError } from '@batonpass/contract/errors'

const FORM = /^batonfleet_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{43})$/

/** A token for one machine: the key of the fleet's founder, and the secret key that signs the request to join. */
export const joinToken = (fleet: string, secret: string): string => `batonfleet_${fleet}${secret}`

export function readJoinToken(token: string): { fleet: string; secret: string } {
  const [, fleet, secret] = FORM.exec(token.trim()) ?? []
  if (!fleet || !secret)
    throw new BatonError('usage', 'This is not a token of a fleet', {
      remedy: 'Run `baton fleet token` on a machine of the fleet, and copy the whole line.',
    })
  return { fleet, secret }
}
