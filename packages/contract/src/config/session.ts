import { z } from 'zod'
import { flag, section, setting, whole } from '../setting.ts'

export const watch = section('How sessions are watched.', {
  interval_sec: whole(1, 300, 5, 'How often the terminals are looked at, in seconds.'),
})

export const health = section('When a session under watch counts as unwell.', {
  enabled: flag(true, 'Look after the sessions under watch.'),
  stall_minutes: whole(
    1,
    1440,
    15,
    'Minutes without output, while it works, after which a session has stalled.',
  ),
  error_lines: whole(1, 500, 50, 'How many of the last lines on the screen are searched for error words.'),
  error_words: setting(
    z
      .array(
        z
          .string()
          .min(1)
          .max(100)
          .regex(/^[^\p{Cc}]*$/u),
      )
      .max(100)
      .default(['Error', 'Failed', 'Exception', 'Traceback', 'fatal']),
    'Words in the output that are worth a look.',
    { expects: 'a list of words' },
  ),
  tell: flag(true, 'Tell you, by the channels you set up, of a session that stalled or died.'),
})

const percent = (fallback: number, description: string) => whole(1, 100, fallback, description)

export const context = section('How full a session may get, in percent of its context window.', {
  note: percent(50, 'From here on it is noted.'),
  warn: percent(70, 'From here on the agent is advised to keep its steps small.'),
  trigger: percent(85, 'From here on the session is handed off.'),
  advise: flag(true, 'Add the advice to the context of the agent, once each time the zone is entered.'),
})

export const cycle = section('The automated handoff of a session whose context is full.', {
  enabled: flag(true, 'Hand a full session off to a fresh one at the same place, where Baton can reach it.'),
  at_once: whole(1, 50, 2, 'How many sessions are handed off at the same time.'),
  stagger_sec: whole(0, 3600, 5, 'How many seconds lie between the beginnings of two handoffs.'),
  document_sec: whole(10, 3600, 300, 'How long the agent may take to write the document, in seconds.'),
  answer_sec: whole(10, 3600, 300, 'How long the new session may take to show that it has the essentials.'),
  force: percent(95, 'From here on a turn that still runs is interrupted for the handoff.'),
})
