import type { InlineKeyboardMarkup, Update } from 'grammy/types'
import { toTelegramError } from './telegram-error.ts'

/** Text in which the `entities` are shown verbatim, in fixed width. */
export interface Text {
  text: string
  entities: { type: 'pre'; offset: number; length: number }[]
}

/** The five Bot API calls that Baton needs. Each fails only with a TelegramError. */
export interface BotApi {
  /** Returns as soon as there is an update, at the latest after `seconds`. */
  getUpdates(offset: number, seconds: number, signal: AbortSignal): Promise<Update[]>
  send(
    chat: string | number,
    message: Text,
    extra: { buttons?: InlineKeyboardMarkup; replyTo?: number; forceReply?: boolean },
  ): Promise<{ id: number; chat: number }>
  /** Replaces the text and the buttons; without `buttons`, it removes them. */
  edit(chat: number, id: number, message: Text, buttons?: InlineKeyboardMarkup): Promise<void>
  /** Stops the button's spinner and shows a line of text. */
  acknowledge(query: string, text: string, alert: boolean): Promise<void>
  remove(chat: number, id: number): Promise<void>
}

/** Longer than any long poll. */
const CALL_SECONDS = 65

/** Opens the API of one bot. Loads the library here, so that it costs nothing if Telegram is not used. */
export async function openBotApi(token: string, apiRoot?: string): Promise<BotApi> {
  const { Api } = await import('./grammy.ts')
  const api = new Api(token, { timeoutSeconds: CALL_SECONDS, ...(apiRoot ? { apiRoot } : {}) })
  const link_preview_options = { is_disabled: true }
  const call = async <T>(method: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (cause) {
      throw toTelegramError(method, cause, token)
    }
  }
  return {
    getUpdates: (offset, seconds, signal) =>
      call(
        'getUpdates',
        api.getUpdates(
          { offset, timeout: seconds, limit: 100, allowed_updates: ['message', 'callback_query'] },
          // The library's type is an older definition of the same AbortSignal.
          signal as Parameters<typeof api.getUpdates>[1],
        ),
      ),
    async send(chat, { text, entities }, { buttons, replyTo, forceReply }) {
      const sent = await call(
        'sendMessage',
        api.sendMessage(chat, text, {
          entities,
          link_preview_options,
          ...(replyTo === undefined
            ? {}
            : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
          ...(buttons ? { reply_markup: buttons } : {}),
          ...(forceReply ? { reply_markup: { force_reply: true, selective: true } } : {}),
        }),
      )
      return { id: sent.message_id, chat: sent.chat.id }
    },
    async edit(chat, id, { text, entities }, buttons) {
      const extra = { entities, link_preview_options, ...(buttons ? { reply_markup: buttons } : {}) }
      await call('editMessageText', api.editMessageText(chat, id, text, extra))
    },
    async acknowledge(query, text, alert) {
      await call('answerCallbackQuery', api.answerCallbackQuery(query, { text, show_alert: alert }))
    },
    async remove(chat, id) {
      await call('deleteMessage', api.deleteMessage(chat, id))
    },
  }
}
