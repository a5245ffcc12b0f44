import type { Config } from '@batonpass/contract/config'

export interface TelegramSettings {
  token: string
  chat: string
  pollSeconds: number
  /** User ids that may answer; empty means everyone in the chat. */
  users: readonly string[]
}

/** The settings for Telegram, a warning that says what is missing, or undefined if Telegram is disabled. */
export function telegramSettings(
  config: Config['telegram'],
): { settings: TelegramSettings } | { warning: string } | undefined {
  if (!config.enabled) return undefined
  const { token, chat_id, poll_interval_sec, allowed_user_ids } = config
  const missing = [!token && 'telegram.token', !chat_id && 'telegram.chat_id'].filter(Boolean)
  if (missing.length > 0)
    return { warning: `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set` }
  // The token becomes part of a URL, so nothing but a token may get into it.
  if (!/^\d{1,20}:[\w-]{1,200}$/.test(token))
    return { warning: 'telegram.token is not a bot token from @BotFather' }
  return {
    settings: { token, chat: chat_id, pollSeconds: poll_interval_sec, users: allowed_user_ids },
  }
}
