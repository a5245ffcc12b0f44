import type { Config } from '@batonpass/contract/config'
import type { ContextZone } from '@batonpass/contract/context'

/** Where the zones begin, in percent. */
export type Zones = Config['context']

/** The zone of a fill. Borders in a wrong order are taken as they come: the highest that is reached counts. */
export function zoneOf(percent: number | undefined, { note, warn, trigger }: Zones): ContextZone {
  if (percent === undefined) return 'unknown'
  if (percent >= trigger) return 'trigger'
  if (percent >= warn) return 'warn'
  return percent >= note ? 'note' : 'fine'
}
