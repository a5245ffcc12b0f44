import { flag, type Handler } from '../command.ts'
import { answer } from './answer.ts'

/** Says yes to an ask: once, or for the rest of its session. */
export const allow: Handler = (given, io) =>
  answer(given, io, ask => {
    if (ask.kind === 'confirm') return { option: 'yes' }
    return { option: flag(given, 'session') ? 'allow-session' : 'allow-once' }
  })
