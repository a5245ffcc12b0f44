import type { Config } from '@batonpass/contract/config'
import { systemIds } from '../../../src/adapters/system/ids.ts'
import { telegramChannel } from '../../../src/adapters/telegram/channel.ts'
import type { Asks } from '../../../src/ask/asks.ts'
import { type AskWorld, askWorld } from '../../ask/sample.ts'
import { CHAT, startTelegram, type Telegram, type TelegramOptions } from '../../world/telegram.ts'

export interface TelegramWorld extends AsyncDisposable {
  world: AskWorld
  telegram: Telegram
  config: Config['telegram']
  warnings: string[]
  /** A daemon with Telegram as its only channel; called again, the next one. */
  begin(): Promise<Asks>
  /** Everything a person could read somewhere: journal, faults, warnings. */
  written(): string
}

export async function telegramWorld(options: TelegramOptions = {}): Promise<TelegramWorld> {
  const telegram = await startTelegram(options)
  const world = await askWorld()
  const warnings: string[] = []
  const running: Asks[] = []
  const config: Config['telegram'] = {
    enabled: true,
    token: telegram.token,
    chat_id: String(CHAT),
    timeout_sec: 60,
    poll_interval_sec: 5,
    allowed_user_ids: [],
    on_timeout: 'ask',
    api_root: '',
  }
  const written = () => JSON.stringify([world.entries, world.faults, warnings])
  return {
    world,
    telegram,
    config,
    warnings,
    async begin() {
      const channel = telegramChannel({
        configFor: async () => config,
        memory: world.store.asks.memory('telegram'),
        warn: message => warnings.push(message),
        clock: world.time.clock,
        timers: world.time.timers,
        ids: systemIds,
        apiRoot: telegram.url,
      })
      const asks = await world.begin([channel])
      running.push(asks)
      return asks
    },
    written,
    async [Symbol.asyncDispose]() {
      for (const asks of running) await asks.stop()
      await telegram.close()
      await world[Symbol.asyncDispose]()
      if (telegram.refused.length > 0)
        throw new Error(`Telegram would refuse:\n${telegram.refused.join('\n')}`)
      if (written().includes(telegram.token)) throw new Error('the token was written down')
    },
  }
}
