import type { Config } from '@batonpass/contract/config'

export interface TelegramSettings {
  token: string
  chat: string
  pollSeconds: number
  /** Empty: anyone in the chat. */
  users: readonly string[]
}

/** What is needed to ask by Telegram, or, when only half of it is there, one sentence that says what is missing. */
export function telegramSettings(
  config: Config['telegram'],
): { settings: TelegramSettings } | { warning: string } | undefined {
  if (!config.enabled) return undefined
  const { token, chat_id, poll_interval_sec, allowed_user_ids } = config
  const missing = [!token && 'telegram.token', !chat_id && 'telegram.chat_id'].filter(Boolean)
  if (missing.length > 0) return { warning: `${missing.join(' and ')} not set` }
  // The token becomes part of an address: nothing else may get in there.
  if (!/^\d{1,20}:[\w-]{1,200}$/.test(token))
    return { warning: 'telegram.token is not a bot token as @BotFather gives it' }
  return {
    settings: { token, chat: chat_id, pollSeconds: poll_interval_sec, users: allowed_user_ids },
  }
}
