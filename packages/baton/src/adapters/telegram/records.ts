import { AskOption, Fingerprint } from '@batonpass/contract/ask'
import { AskId } from '@batonpass/contract/ids'
import { Reply } from '@batonpass/contract/question'
import { z } from 'zod'
import type { ChannelMemory } from '../../ports/ask-store.ts'

/** What Baton sent for an ask, stored so that a restarted daemon neither sends it twice nor forgets to edit it. */
export const AskRecord = z.object({
  ask: AskId,
  /** Identifies the bot by a digest of its token. */
  bot: z.string(),
  /** The chat's number, known after the first message. */
  chat: z.int().optional(),
  nonce: z.string(),
  fingerprint: Fingerprint,
  offered: z.array(AskOption),
  /** Message ids in order; all parts were sent if `complete`. */
  parts: z.array(z.int()),
  complete: z.boolean(),
  /** The last part as sent, because an edit has to repeat it. */
  last: z
    .object({
      text: z.string(),
      entities: z.array(z.object({ type: z.literal('pre'), offset: z.int(), length: z.int() })),
    })
    .optional(),
  /** Messages that ask for a reason. */
  prompts: z.array(z.object({ message: z.int(), user: z.int() })),
  /** What the user has answered so far, question by question. */
  draft: z.object({ at: z.int().min(0), replies: z.array(Reply) }).optional(),
})
export type AskRecord = z.infer<typeof AskRecord>

export class Records {
  readonly #memory: ChannelMemory

  constructor(memory: ChannelMemory) {
    this.#memory = memory
  }

  async get(ask: string): Promise<AskRecord | undefined> {
    return parseRecord(await this.#memory.get(`ask:${ask}`))
  }

  async all(): Promise<AskRecord[]> {
    const rows = await this.#memory.list('ask:')
    return rows.flatMap(row => parseRecord(row.value) ?? [])
  }

  save(record: AskRecord): Promise<void> {
    return this.#memory.set(`ask:${record.ask}`, JSON.stringify(record))
  }

  delete(ask: string): Promise<void> {
    return this.#memory.delete(`ask:${ask}`)
  }
}

function parseRecord(text: string | undefined): AskRecord | undefined {
  if (text === undefined) return undefined
  const parsed = AskRecord.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : undefined
}
