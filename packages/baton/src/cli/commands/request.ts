import { BatonError } from '@batonpass/contract/errors'
import type { Handler } from '../command.ts'

/** Outside the sandbox there is nothing to request; inside, the broker answers instead of this. */
export const request: Handler = async ({ positionals: [kind] }) => {
  const key = kind === 'host' ? 'hosts' : kind === 'port' ? 'ports' : 'readable'
  throw new BatonError('usage', 'Only a command in the sandbox can request something', {
    remedy: `To open it yourself, add it to sandbox.${key} in your .baton.yaml.`,
  })
}
