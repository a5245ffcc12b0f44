import { z } from 'zod'
import { NoticeKind } from '../notice.ts'
import { choice, flag, numericText, section, setting, text, webAddress, whole } from '../setting.ts'

const channel = { trust: 'needed' } as const

export const telegram = section('Questions to you by Telegram.', {
  enabled: flag(false, 'Send questions to Telegram.', channel),
  token: text('', 'The bot token from @BotFather. Better kept in the environment.', {
    ...channel,
    expects: 'the bot token from @BotFather, as text',
    secret: true,
    env: ['BATON_TELEGRAM_TOKEN', 'TELEGRAM_BOT_TOKEN'],
    defaultText: 'none',
  }),
  chat_id: setting(
    numericText.pipe(z.string().regex(/^(-?\d{1,20}|@[A-Za-z]\w{3,31})?$/)).prefault(''),
    'The chat or channel that is asked.',
    {
      ...channel,
      expects: 'a chat id such as 12345678 or -1001234567890, or @channelname',
      defaultText: 'none',
    },
  ),
  timeout_sec: whole(1, 7200, 60, 'How long to wait for an answer, in seconds.', channel),
  poll_interval_sec: whole(1, 300, 5, 'How often to look for answers, in seconds.', channel),
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
    'Who may answer. Empty: anyone in the chat.',
    { ...channel, expects: 'user ids, as "123,456" or as a list', defaultText: 'anyone in the chat' },
  ),
  on_timeout: choice(['ask', 'deny'], 'ask', 'What a question nobody answered becomes.', channel),
  api_root: setting(webAddress, 'The address of your own Bot API server. Read from your own files only.', {
    ...channel,
    expects: 'an address such as http://127.0.0.1:8081',
    defaultText: "Telegram's own",
  }),
})

export const notify = section(
  'How you are told that something ended or waits for you, beside the questions themselves.',
  {
    desktop: flag(false, 'Show notifications on this desktop.', channel),
    bell: flag(false, "Ring the bell of the session's own terminal.", channel),
    webhook: setting(webAddress, 'An address that gets each notification as JSON.', {
      ...channel,
      expects: 'an address such as https://hooks.example.com/baton',
      secret: true,
      env: ['BATON_NOTIFY_WEBHOOK'],
      defaultText: 'none',
    }),
    about: setting(
      z.array(NoticeKind).default([...NoticeKind.options]),
      'What you are told of, by Telegram, too.',
      { ...channel, expects: `a list out of ${NoticeKind.options.join(', ')}` },
    ),
    quiet_hours: setting(
      z
        .string()
        .regex(/^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$/)
        .default(''),
      'When you are told of nothing, in local time. Questions by Telegram still come.',
      { ...channel, expects: 'a span such as "22:00-07:00"', defaultText: 'none' },
    ),
    repeat_minutes: whole(0, 1440, 15, 'The same is not told again within so many minutes.', channel),
  },
)
