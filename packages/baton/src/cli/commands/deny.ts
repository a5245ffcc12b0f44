import { type Handler, text } from '../command.ts'
import { answer, isYesOrNo } from './answer.ts'

/** Says no to an ask; a reason is told to the agent. */
export const deny: Handler = (given, io) =>
  answer(
    given,
    io,
    ask => {
      const reason = text(given, 'reason')?.trim()
      if (ask.kind === 'confirm') return { option: 'no', ...(reason ? { reason } : {}) }
      return reason ? { option: 'deny-with-reason', reason } : { option: 'deny' }
    },
    isYesOrNo,
  )
