import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiResponse, CallbackQuery, Chat, Message, Opts, Update, User } from '@grammyjs/types'
import { z } from 'zod'
import { until } from './wait.ts'

type Method = 'getUpdates' | 'sendMessage' | 'editMessageText' | 'answerCallbackQuery' | 'deleteMessage'
type Payload<M extends Method> = Opts<never>[M]

export interface TelegramCall {
  method: string
  payload: Record<string, unknown>
  /** What the server answered; undefined where it hung up. */
  answer: { status: number; description?: string } | undefined
}

/** A message as it is in the chat now. */
export interface ShownMessage {
  chat: number
  id: number
  text: string
  entities: Entity[]
  buttons: { text: string; data: string }[]
  replyTo: number | undefined
  forceReply: boolean
  edits: number
  deleted: boolean
}

type Trouble =
  | { status: number; description: string; retryAfter?: number }
  /** The connection ends; with `after`, the server has already done what it was asked. */
  | { drop: 'before' | 'after' }

/** A Bot API server on loopback that refuses what the real one refuses, and unknown fields on top. */
export interface Telegram extends AsyncDisposable {
  url: string
  token: string
  calls: TelegramCall[]
  /** Calls that the real server would refuse and no test asked for. */
  refused: string[]
  messages(): ShownMessage[]
  /** Waits for a message (as it stands now) that fits. */
  message(fits: (message: ShownMessage) => boolean, what?: string): Promise<ShownMessage>
  /** What the person saw after pressing. */
  notices: { query: string; text: string; alert: boolean }[]
  press(message: ShownMessage, button: string, options?: { from?: User; chat?: number }): CallbackQuery
  /** A callback with any data, as a modified client can send it. */
  forge(message: { chat: number; id: number }, data: string, from?: User): CallbackQuery
  write(text: string, options?: { replyTo?: number; from?: User; chat?: number }): Update
  /** Delivers updates as they are, repeated or out of order. */
  deliver(...updates: Update[]): void
  lastUpdate(): Update
  /** The next calls of that method meet trouble, first one first. */
  trouble(method: Method | 'any', ...troubles: Trouble[]): void
  /** While set, every call meets it. */
  outage(trouble: Trouble | undefined): void
  /** Another program polls with the same token. */
  otherPoller(): Promise<void>
  polls(): number
  close(): Promise<void>
}

export const PERSON: User = { id: 111, is_bot: false, first_name: 'Ann', username: 'ann' }
export const STRANGER: User = { id: 999, is_bot: false, first_name: 'Mallory' }
export const CHAT = 12345678

const BOT: User = { id: 4242, is_bot: true, first_name: 'Baton', username: 'baton_bot' }
const MAX_TEXT_LENGTH = 4096
const MAX_NOTICE_LENGTH = 200
const MAX_BUTTON_BYTES = 64

const Entity = z.strictObject({
  type: z.enum(['bold', 'italic', 'code', 'pre', 'blockquote', 'expandable_blockquote']),
  offset: z.int().min(0),
  length: z.int().min(1),
  language: z.string().exactOptional(),
})
type Entity = z.infer<typeof Entity>
const InlineKeyboard = z.strictObject({
  inline_keyboard: z.array(
    z.array(z.strictObject({ text: z.string().min(1), callback_data: z.string() })).min(1),
  ),
})
const ForceReply = z.strictObject({
  force_reply: z.literal(true),
  selective: z.boolean().exactOptional(),
  input_field_placeholder: z.string().min(1).max(64).exactOptional(),
})
const ChatId = z.union([z.int(), z.string().min(1)])
const Preview = z.strictObject({ is_disabled: z.boolean().exactOptional() })

const parameters = {
  getUpdates: z.strictObject({
    offset: z.int().exactOptional(),
    limit: z.int().min(1).max(100).exactOptional(),
    timeout: z.int().min(0).max(50).exactOptional(),
    allowed_updates: z.array(z.enum(['message', 'callback_query'])).exactOptional(),
  }),
  sendMessage: z.strictObject({
    chat_id: ChatId,
    text: z.string(),
    entities: z.array(Entity).exactOptional(),
    link_preview_options: Preview.exactOptional(),
    disable_notification: z.boolean().exactOptional(),
    reply_parameters: z
      .strictObject({ message_id: z.int(), allow_sending_without_reply: z.boolean().exactOptional() })
      .exactOptional(),
    reply_markup: z.union([InlineKeyboard, ForceReply]).exactOptional(),
  }),
  editMessageText: z.strictObject({
    chat_id: ChatId,
    message_id: z.int(),
    text: z.string(),
    entities: z.array(Entity).exactOptional(),
    link_preview_options: Preview.exactOptional(),
    reply_markup: InlineKeyboard.exactOptional(),
  }),
  answerCallbackQuery: z.strictObject({
    callback_query_id: z.string().min(1),
    text: z.string().exactOptional(),
    show_alert: z.boolean().exactOptional(),
  }),
  deleteMessage: z.strictObject({ chat_id: ChatId, message_id: z.int() }),
} satisfies { [M in Method]: z.ZodType<Partial<Payload<M>>> }

class Refusal extends Error {
  readonly status: number
  constructor(description: string, status = 400) {
    super(status === 400 ? `Bad Request: ${description}` : description)
    this.status = status
  }
}

export interface TelegramOptions {
  token?: string
  /** Chats the bot is in: id, and a name where it has one. */
  chats?: readonly { id: number; name?: string }[]
}

export async function startTelegram({
  token = '123456:AAE-secret_token_of_the_fake_bot_0001',
  chats = [{ id: CHAT }],
}: TelegramOptions = {}): Promise<Telegram> {
  const calls: TelegramCall[] = []
  const refused: string[] = []
  const shown: ShownMessage[] = []
  const notices: Telegram['notices'] = []
  const pending: Update[] = []
  const queries = new Set<string>()
  const planned = new Map<string, Trouble[]>()
  let outage: Trouble | undefined
  let serial = 100
  let lastUpdate: Update | undefined
  let poll: { wake(): void; conflict(): void } | undefined
  let polls = 0

  const server = createServer((request, response) => {
    serve(request, response).catch(cause => {
      refused.push(`the fake broke: ${cause instanceof Error ? cause.stack : cause}`)
      response.destroy()
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const payload = JSON.parse((await bodyOf(request)) || '{}') as Record<string, unknown>
    const call: TelegramCall = { method, payload, answer: undefined }
    calls.push(call)
    const reply = (status: number, body: ApiResponse<unknown>) => {
      call.answer = { status, ...(body.ok ? {} : { description: body.description }) }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const refuse = (status: number, description: string, retryAfter?: number) =>
      reply(status, {
        ok: false,
        error_code: status,
        description,
        ...(retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } }),
      })
    const trouble = outage ?? planned.get(method)?.shift() ?? planned.get('any')?.shift()
    if (trouble && 'status' in trouble) return refuse(trouble.status, trouble.description, trouble.retryAfter)
    if (trouble && trouble.drop === 'before') return void request.socket.destroy()
    if (given !== token) return refuse(401, 'Unauthorized')
    if (!isMethod(method)) return refuse(404, 'Not Found')
    try {
      const result = await perform(method, payload, response)
      if (trouble) request.socket.destroy()
      else reply(200, { ok: true, result })
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      if (cause.status === 400 && !/not modified|not found|too old/.test(cause.message))
        refused.push(`${method}: ${cause.message}`)
      refuse(cause.status, cause.message)
    }
  }

  async function perform(method: Method, payload: unknown, response: ServerResponse): Promise<unknown> {
    const parsed = parameters[method].safeParse(payload)
    if (!parsed.success) throw new Refusal(`${method} ${z.prettifyError(parsed.error)}`)
    switch (method) {
      case 'getUpdates':
        return updates(parameters.getUpdates.parse(payload), response)
      case 'sendMessage':
        return send(parameters.sendMessage.parse(payload))
      case 'editMessageText':
        return edit(parameters.editMessageText.parse(payload))
      case 'answerCallbackQuery':
        return acknowledge(parameters.answerCallbackQuery.parse(payload))
      case 'deleteMessage': {
        const { chat_id, message_id } = parameters.deleteMessage.parse(payload)
        messageAt(chat_id, message_id, 'message to delete not found').deleted = true
        return true
      }
    }
  }

  /** Confirms everything below the offset, then waits for something to give. */
  async function updates(
    { offset = 0, limit = 100, timeout = 0, allowed_updates }: z.infer<typeof parameters.getUpdates>,
    response: ServerResponse,
  ): Promise<Update[]> {
    polls++
    poll?.conflict()
    for (let i = pending.length - 1; i >= 0; i--)
      if ((pending[i]?.update_id ?? 0) < offset) pending.splice(i, 1)
    const ready = () =>
      pending
        .filter(update => update.update_id >= offset)
        .filter(update => !allowed_updates || allowed_updates.some(kind => kind in update))
        .slice(0, limit)
    if (ready().length > 0 || timeout === 0) return ready()
    const outcome = await new Promise<'ready' | 'conflict'>(resolve => {
      const mine = { wake: () => resolve('ready'), conflict: () => resolve('conflict') }
      poll = mine
      const timer = setTimeout(mine.wake, timeout * 1000)
      response.once('close', () => {
        clearTimeout(timer)
        if (poll === mine) poll = undefined
        mine.wake()
      })
    })
    if (outcome === 'conflict') throw new Refusal(CONFLICT, 409)
    poll = undefined
    return ready()
  }

  function send(payload: z.infer<typeof parameters.sendMessage>): Message.TextMessage {
    const chat = chatOf(payload.chat_id)
    const replyTo = payload.reply_parameters
    const missing = replyTo && !shown.some(m => m.id === replyTo.message_id && !m.deleted)
    if (missing && !replyTo.allow_sending_without_reply) throw new Refusal('message to be replied not found')
    const markup = payload.reply_markup
    const message: ShownMessage = {
      chat: chat.id,
      id: ++serial,
      ...checkedText(payload.text, payload.entities, 'message is too long'),
      buttons: markup && 'inline_keyboard' in markup ? checkedButtons(markup) : [],
      replyTo: missing ? undefined : replyTo?.message_id,
      forceReply: Boolean(markup && 'force_reply' in markup),
      edits: 0,
      deleted: false,
    }
    shown.push(message)
    return wire(message)
  }

  function edit(payload: z.infer<typeof parameters.editMessageText>): Message.TextMessage {
    const message = messageAt(payload.chat_id, payload.message_id, 'message to edit not found')
    if (message.forceReply) throw new Refusal("message can't be edited")
    const next = {
      ...checkedText(payload.text, payload.entities, 'MESSAGE_TOO_LONG'),
      buttons: payload.reply_markup ? checkedButtons(payload.reply_markup) : [],
    }
    const { text, entities, buttons } = message
    if (JSON.stringify(next) === JSON.stringify({ text, entities, buttons })) throw new Refusal(NOT_MODIFIED)
    Object.assign(message, next)
    message.edits++
    return wire(message)
  }

  function acknowledge(payload: z.infer<typeof parameters.answerCallbackQuery>): true {
    const { callback_query_id: query, text = '', show_alert = false } = payload
    if (!queries.has(query)) throw new Refusal(TOO_OLD)
    if (text.length > MAX_NOTICE_LENGTH) throw new Refusal('MESSAGE_TOO_LONG')
    queries.delete(query)
    notices.push({ query, text, alert: show_alert })
    return true
  }

  const chatOf = (id: string | number): { id: number } => {
    const chat = chats.find(one => String(one.id) === String(id) || (one.name && one.name === id))
    if (!chat) throw new Refusal('chat not found')
    return chat
  }
  const messageAt = (chatId: string | number, id: number, otherwise: string): ShownMessage => {
    const chat = chatOf(chatId)
    const message = shown.find(one => one.chat === chat.id && one.id === id && !one.deleted)
    if (!message) throw new Refusal(otherwise)
    return message
  }
  const chatWire = (id: number): Chat.PrivateChat => ({ id, type: 'private', first_name: 'Ann' })
  const wire = (message: ShownMessage): Message.TextMessage => ({
    message_id: message.id,
    date: 1_767_225_600,
    chat: chatWire(message.chat),
    from: BOT,
    text: message.text,
    entities: message.entities as NonNullable<Message.TextMessage['entities']>,
  })
  const deliver = (...updates: Update[]) => {
    pending.push(...updates)
    lastUpdate = updates.at(-1) ?? lastUpdate
    poll?.wake()
  }
  const forge: Telegram['forge'] = (message, data, from = PERSON) => {
    const original = shown.find(one => one.id === message.id)
    const query: CallbackQuery = {
      id: String(++serial * 1000),
      from,
      chat_instance: '1',
      data,
      message: {
        ...wire(original ?? { ...NO_MESSAGE, ...message }),
        chat: chatWire(message.chat),
        message_id: message.id,
      } as NonNullable<CallbackQuery['message']>,
    }
    queries.add(query.id)
    deliver({ update_id: ++serial, callback_query: query })
    return query
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    token,
    calls,
    refused,
    notices,
    messages: () => shown.filter(message => !message.deleted),
    message: (fits, what = 'a Telegram message') =>
      until(() => shown.find(message => !message.deleted && fits(message)), {
        what,
        evidence: () => JSON.stringify({ shown, refused, calls: calls.slice(-5) }, undefined, 1),
      }),
    press(message, button, { from = PERSON, chat = message.chat } = {}) {
      const pressed = message.buttons.find(one => one.text.includes(button))
      if (!pressed)
        throw new Error(`no button ${button} among ${message.buttons.map(b => b.text).join(', ')}`)
      return forge({ chat, id: message.id }, pressed.data, from)
    },
    forge,
    write(text, { replyTo, from = PERSON, chat = CHAT } = {}) {
      const original = shown.find(message => message.id === replyTo)
      const message = {
        message_id: ++serial,
        date: 1_767_225_600,
        chat: chatWire(chat),
        from,
        text,
        ...(original ? { reply_to_message: { ...wire(original), reply_to_message: undefined } } : {}),
      }
      const update: Update = { update_id: ++serial, message: message as NonNullable<Update['message']> }
      deliver(update)
      return update
    },
    deliver,
    lastUpdate: () => {
      if (!lastUpdate) throw new Error('no update yet')
      return lastUpdate
    },
    trouble: (method, ...troubles) => {
      planned.set(method, [...(planned.get(method) ?? []), ...troubles])
    },
    outage: trouble => {
      outage = trouble
    },
    otherPoller: async () => {
      await fetch(`${url}/bot${token}/getUpdates`, { method: 'POST', body: '{}' })
    },
    polls: () => polls,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const CONFLICT =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
const NOT_MODIFIED =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'
const TOO_OLD = 'query is too old and response timeout expired or query ID is invalid'
const NO_MESSAGE: ShownMessage = {
  chat: 0,
  id: 0,
  text: '',
  entities: [],
  buttons: [],
  replyTo: undefined,
  forceReply: false,
  edits: 0,
  deleted: false,
}

const isMethod = (name: string): name is Method => Object.hasOwn(parameters, name)

/** Telegram drops white space at both ends; offsets then count from the first character that is left. */
function checkedText(text: string, entities: readonly Entity[] = [], tooLong: string) {
  if (!text.isWellFormed()) throw new Refusal('strings must be encoded in UTF-8')
  const kept = text.trim()
  const cut = text.length - text.trimStart().length
  if (kept === '') throw new Refusal('message text is empty')
  if (kept.length > MAX_TEXT_LENGTH) throw new Refusal(tooLong)
  for (const { offset, length } of entities)
    if (offset + length > text.length) throw new Refusal('ENTITY_BOUNDS_INVALID')
  const moved = entities.map(entity => ({ ...entity, offset: Math.max(0, entity.offset - cut) }))
  return { text: kept, entities: moved }
}

function checkedButtons({ inline_keyboard }: z.infer<typeof InlineKeyboard>) {
  return inline_keyboard.flat().map(({ text, callback_data }) => {
    const bytes = Buffer.byteLength(callback_data)
    if (bytes < 1 || bytes > MAX_BUTTON_BYTES) throw new Refusal('BUTTON_DATA_INVALID')
    return { text, data: callback_data }
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The settings that make Baton ask by this Telegram. */
export const telegramSettings = ({ token, url }: Pick<Telegram, 'token' | 'url'>, seconds = 60): string =>
  `telegram:\n  enabled: true\n  token: "${token}"\n  chat_id: ${CHAT}\n  timeout_sec: ${seconds}\n  poll_interval_sec: 1\n  api_root: ${url}\n`
