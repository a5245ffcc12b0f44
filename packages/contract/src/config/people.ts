import { z } from 'zod'
import { NoticeKind } from '../notice.ts'
import { choice, flag, numericText, section, setting, text, webAddress, whole } from '../setting.ts'

const channel = { trust: 'needed' } as const

export const telegram = section('Questions to you on Telegram.', {
  enabled: flag(false, 'Send questions to Telegram.', channel),
  token: text('', 'The bot token from @BotFather. Prefer the environment.', {
    ...channel,
    expects: 'the bot token from @BotFather, as text',
    secret: true,
    env: ['BATON_TELEGRAM_TOKEN', 'TELEGRAM_BOT_TOKEN'],
    defaultText: 'none',
  }),
  chat_id: setting(
    numericText.pipe(z.string().regex(/^(-?\d{1,20}|@[A-Za-z]\w{3,31})?$/)).prefault(''),
    'The chat or channel that receives the questions.',
    {
      ...channel,
      expects: 'a chat id such as 12345678 or -1001234567890, or @channelname',
      defaultText: 'none',
    },
  ),
  timeout_sec: whole(1, 7200, 60, 'How long to wait for an answer, in seconds.', channel),
  poll_interval_sec: whole(1, 300, 5, 'How often to poll for answers, in seconds.', channel),
  allowed_user_ids: setting(
    z
      .union([z.string(), z.int(), z.array(numericText)])
      .transform(ids =>
        Array.isArray(ids)
          ? ids
          : String(ids)
              .split(',')
              .map(id => id.trim())
              .filter(Boolean),
      )
      .pipe(z.array(z.string().regex(/^\d{1,20}$/)))
      .prefault(''),
    'The users who may answer. If empty, anyone in the chat may.',
    { ...channel, expects: 'user ids, as "123,456" or as a list', defaultText: 'anyone in the chat' },
  ),
  on_timeout: choice(
    ['ask', 'deny'],
    'ask',
    "What happens to an unanswered question: `ask` in the agent's own dialog, or `deny`.",
    channel,
  ),
  api_root: setting(webAddress, 'The address of your own Bot API server. Only your own files can set it.', {
    ...channel,
    expects: 'an address such as http://127.0.0.1:8081',
    defaultText: "Telegram's own",
  }),
})

export const asks = section("What happens to an agent's questions that no one answers.", {
  unanswered: choice(
    ['auto', 'wait', 'recommended', 'park'],
    'auto',
    'What happens to an unanswered question: `wait`, take what the agent marked as `recommended` (never for permissions, plans and confirmations), or `park`: notify you again and park the run until you answer. `auto` parks runs of workflows, and everything while you are away, and otherwise waits.',
    channel,
  ),
  after_minutes: setting(
    z.number().min(0.1).max(1440).default(30),
    'After how many minutes without an answer this applies.',
    { ...channel, expects: 'a number from 0.1 to 1440' },
  ),
})

export const notify = section(
  'How Baton notifies you that something ended or waits for you, in addition to the questions themselves.',
  {
    desktop: flag(false, 'Show notifications on this desktop.', channel),
    bell: flag(false, "Ring the bell of the session's own terminal.", channel),
    webhook: setting(webAddress, 'An address that receives each notification as JSON.', {
      ...channel,
      expects: 'an address such as https://hooks.example.com/baton',
      secret: true,
      env: ['BATON_NOTIFY_WEBHOOK'],
      defaultText: 'none',
    }),
    about: setting(
      z.array(NoticeKind).default([...NoticeKind.options]),
      'What you are notified about, also on Telegram.',
      { ...channel, expects: `a list of ${NoticeKind.options.join(', ')}` },
    ),
    quiet_hours: setting(
      z
        .string()
        .regex(/^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$/)
        .default(''),
      'When Baton sends no notifications, in local time. Questions on Telegram still arrive.',
      { ...channel, expects: 'a span such as "22:00-07:00"', defaultText: 'none' },
    ),
    repeat_minutes: whole(
      0,
      1440,
      15,
      'How many minutes must pass before Baton repeats the same notification.',
      channel,
    ),
  },
)
