import { AskOption, Fingerprint } from '@batonpass/contract/ask'
import { AskId } from '@batonpass/contract/ids'
import { z } from 'zod'
import type { ChannelMemory } from '../../ports/ask-store.ts'

/** What was sent for an ask, kept so that a restart neither sends it twice nor forgets to edit it. */
export const AskRecord = z.object({
  ask: AskId,
  /** Which bot, by a digest of its token. */
  bot: z.string(),
  /** The chat's number, known once something was sent. */
  chat: z.int().optional(),
  nonce: z.string(),
  fingerprint: Fingerprint,
  offered: z.array(AskOption),
  /** Message ids, in order; all parts are there when `complete`. */
  parts: z.array(z.int()),
  complete: z.boolean(),
  /** The last part as sent: an edit has to repeat it. */
  last: z
    .object({
      text: z.string(),
      entities: z.array(z.object({ type: z.literal('pre'), offset: z.int(), length: z.int() })),
    })
    .optional(),
  /** Messages that ask why. */
  prompts: z.array(z.object({ message: z.int(), user: z.int() })),
})
export type AskRecord = z.infer<typeof AskRecord>

export class Records {
  readonly #memory: ChannelMemory

  constructor(memory: ChannelMemory) {
    this.#memory = memory
  }

  async get(ask: string): Promise<AskRecord | undefined> {
    return read(await this.#memory.get(`ask:${ask}`))
  }

  async all(): Promise<AskRecord[]> {
    const rows = await this.#memory.list('ask:')
    return rows.flatMap(row => read(row.value) ?? [])
  }

  save(record: AskRecord): Promise<void> {
    return this.#memory.set(`ask:${record.ask}`, JSON.stringify(record))
  }

  delete(ask: string): Promise<void> {
    return this.#memory.delete(`ask:${ask}`)
  }
}

function read(text: string | undefined): AskRecord | undefined {
  if (text === undefined) return undefined
  const parsed = AskRecord.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : undefined
}
