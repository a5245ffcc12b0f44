import type { AskOption } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { flag, type Given, type Handler } from '../command.ts'
import { answer, isYesOrNo } from './answer.ts'

/** Says yes to an ask: once, for the rest of its session, or from now on in its project or everywhere. */
export const allow: Handler = (given, io) =>
  answer(
    given,
    io,
    ask => {
      const option = optionOf(given)
      if (ask.kind === 'confirm') return { option: 'yes' }
      if (!ask.options.includes(option) && ask.kind === 'permission')
        throw new BatonError('usage', `${ask.id} cannot be allowed for longer than its session`, {
          remedy:
            'Baton offers a rule only for one command that its words describe completely. Write a rule yourself: docs/guides/permission.md',
        })
      return { option }
    },
    isYesOrNo,
  )

const FLAGS: readonly (readonly [string, AskOption])[] = [
  ['session', 'allow-session'],
  ['project', 'allow-project'],
  ['always', 'allow-everywhere'],
]

function optionOf(given: Given): AskOption {
  const chosen = FLAGS.filter(([name]) => flag(given, name))
  if (chosen.length > 1)
    throw new BatonError('usage', 'Use only one of --session, --project and --always', {
      remedy: 'See `baton allow --help`.',
    })
  return chosen[0]?.[1] ?? 'allow-once'
}
