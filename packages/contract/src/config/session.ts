import { z } from 'zod'
import { flag, section, setting, whole } from '../setting.ts'

export const watch = section('How Baton watches sessions.', {
  interval_sec: whole(1, 300, 5, 'How often Baton reads the terminals, in seconds.'),
})

export const health = section('When a watched session counts as unhealthy.', {
  enabled: flag(true, 'Check the health of watched sessions.'),
  stall_minutes: whole(
    1,
    1440,
    15,
    'How many minutes a working session may be silent before it counts as stalled.',
  ),
  error_lines: whole(1, 500, 50, 'How many of the last lines on the screen Baton searches for error words.'),
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
    'Words in the output that point to an error.',
    { expects: 'a list of words' },
  ),
  tell: flag(true, 'Notify you, through your channels, when a session stalls or dies.'),
})

const percent = (fallback: number, description: string) => whole(1, 100, fallback, description)

export const context = section('How full a session may become, in percent of its context window.', {
  note: percent(50, 'From here on, Baton records it.'),
  warn: percent(70, 'From here on, Baton advises the agent to take small steps.'),
  trigger: percent(85, 'From here on, Baton hands the session off.'),
  advise: flag(true, "Add the advice to the agent's context, once each time a session enters the zone."),
})

export const cycle = section('The automatic handoff of a session whose context is full.', {
  enabled: flag(true, 'Hand a full session off to a fresh one in the same terminal, if Baton can reach it.'),
  at_once: whole(1, 50, 2, 'How many handoffs may run at the same time.'),
  stagger_sec: whole(0, 3600, 5, 'How many seconds to wait between the starts of two handoffs.'),
  document_sec: whole(10, 3600, 300, 'How long the agent may take to write the document, in seconds.'),
  answer_sec: whole(10, 3600, 300, 'How long the new session may take to repeat the essentials, in seconds.'),
  force: percent(95, 'From here on, Baton interrupts a running turn for the handoff.'),
})
