import type { Ask } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import { OPTION_LABELS } from '@batonpass/contract/labels'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { questionText, readReply } from '@batonpass/contract/replies'
import { flag, type Given, type Handler, text } from '../command.ts'
import { type Io, printable } from '../io.ts'
import { askAtTerminal, isInteractive, type Questions } from '../questions.ts'
import { answer, type Chosen } from './answer.ts'

/** Answers an agent's question, form or plan: from the words given, else one question after the other at this terminal. */
export const answerAsk: Handler = (given, io) => answer(given, io, ask => chosenFor(ask, given, io))

async function chosenFor(ask: Ask, given: Given, io: Io): Promise<Chosen> {
  const [, ...words] = given.positionals
  const sendBack = text(given, 'send-back')?.trim()
  const reason = text(given, 'reason')?.trim()
  const because = reason ? { reason } : {}
  if (sendBack !== undefined) return { option: 'send-back', reason: sendBack }
  if (flag(given, 'approve')) return { option: 'approve' }
  if (flag(given, 'decline')) return { option: 'decline', ...because }
  if (flag(given, 'screen')) return { option: 'on-screen' }
  if (!ask.questions) return words.length > 0 ? optionNamed(ask, words, reason) : await decidePlan(ask, io)
  if (words.length > 0) return { option: 'reply', replies: repliesFrom(ask.questions, words) }
  if (!isInteractive(io)) throw missingWords(ask)
  return { option: 'reply', replies: await askOneByOne(ask, ask.questions, io) }
}

/** One word (or one quoted text) for each question, in order. `-` leaves an optional question out. */
function repliesFrom(questions: readonly AskedQuestion[], words: readonly string[]): Reply[] {
  if (words.length !== questions.length)
    throw new BatonError(
      'usage',
      `${questions.length === 1 ? 'This ask has one question' : `This ask has ${questions.length} questions`}, but you gave ${words.length} answers`,
      { remedy: 'Give one answer for each question, in order; put quotes around several words.' },
    )
  return questions.flatMap((question, index) => {
    const word = words[index] ?? ''
    if (word === '-' && question.optional) return []
    const read = readReply(question, word)
    if ('problem' in read) throw new BatonError('usage', `Question ${index + 1}: ${read.problem}`)
    return read.reply
  })
}

async function askOneByOne(ask: Ask, questions: readonly AskedQuestion[], io: Io): Promise<Reply[]> {
  using terminal = askAtTerminal(io)
  io.stdout.write(`${printable(ask.title)}\n`)
  const replies: Reply[] = []
  for (const [index, question] of questions.entries()) {
    const shown = questionText(question, questions.length > 1 ? index + 1 : 0)
    io.stdout.write(`\n${shown.split('\n').map(printable).join('\n')}\n`)
    replies.push(...(await askUntilValid(question, terminal, io)))
  }
  return replies
}

async function askUntilValid(question: AskedQuestion, terminal: Questions, io: Io): Promise<Reply[]> {
  for (;;) {
    const said = await terminal.text('Your answer:')
    const read = readReply(question, said)
    if ('reply' in read) return said === '' ? [] : [read.reply]
    io.stdout.write(`Please try again: ${read.problem}.\n`)
  }
}

/** For an ask without questions, the word is one of its options. */
function optionNamed(ask: Ask, words: readonly string[], reason: string | undefined): Chosen {
  const word = words.join(' ').toLowerCase()
  const option = ask.options.find(
    each => each === word || each === `allow-${word}` || OPTION_LABELS[each].toLowerCase() === word,
  )
  if (!option)
    throw new BatonError('usage', `${ask.id} does not accept ${JSON.stringify(word)}`, {
      remedy: `Use one of ${ask.options.map(each => each.replace(/^allow-/, '')).join(', ')}.`,
    })
  return { option, ...(reason ? { reason } : {}) }
}

async function decidePlan(ask: Ask, io: Io): Promise<Chosen> {
  if (ask.kind !== 'plan' || !isInteractive(io)) throw missingWords(ask)
  using terminal = askAtTerminal(io)
  io.stdout.write(`${printable(ask.title)}\n\n${ask.detail.split('\n').map(printable).join('\n')}\n\n`)
  for (;;) {
    const said = await terminal.text('Type `approve`, or what to change:')
    if (said.toLowerCase() === 'approve') return { option: 'approve' }
    if (said !== '') return { option: 'send-back', reason: said }
  }
}

const missingWords = (ask: Ask): BatonError =>
  new BatonError('usage', 'The answer is missing', { remedy: `Look at the question: baton asks ${ask.id}` })
