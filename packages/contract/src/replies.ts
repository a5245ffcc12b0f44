import type { AskedQuestion, Attachment, Choice, Reply } from './question.ts'

/** Why these replies do not answer exactly what was asked; undefined if they do. Every channel's answer passes here. */
export function problemWith(
  questions: readonly AskedQuestion[],
  replies: readonly Reply[],
): string | undefined {
  const known = new Set(questions.map(({ id }) => id))
  const stranger = replies.find(({ question }) => !known.has(question))
  if (stranger) return `No question ${JSON.stringify(stranger.question.slice(0, 80))} was asked`
  for (const [index, question] of questions.entries()) {
    const mine = replies.filter(reply => reply.question === question.id)
    if (mine.length > 1) return `Question ${index + 1} is answered twice`
    const problem = problemWithReply(question, mine[0])
    if (problem) return questions.length > 1 ? `Question ${index + 1}: ${problem}` : problem
  }
  return undefined
}

function problemWithReply(question: AskedQuestion, reply: Reply | undefined): string | undefined {
  const chosen = reply?.chosen ?? []
  const words = reply?.words?.trim() ?? ''
  if (chosen.length === 0 && words === '') return question.optional ? undefined : 'an answer is missing'
  if (question.kind === 'text' || question.kind === 'number')
    return chosen.length > 0 ? 'it offers no choices' : problemWithWords(question, words)
  const offered = new Set(question.choices?.map(({ value }) => value))
  const foreign = chosen.find(value => !offered.has(value))
  if (foreign !== undefined) return `${JSON.stringify(foreign.slice(0, 80))} was not offered`
  if (new Set(chosen).size < chosen.length) return 'a choice is taken twice'
  if (words !== '' && !question.ownWords) return 'it accepts only the offered choices'
  const taken = chosen.length + (words === '' ? 0 : 1)
  if (question.kind !== 'multi-choice') return taken > 1 ? 'it accepts one answer' : undefined
  if (question.min !== undefined && taken < question.min) return `take at least ${question.min}`
  if (question.max !== undefined && taken > question.max) return `take at most ${question.max}`
  return undefined
}

function problemWithWords(
  { kind, min, max, whole, format }: AskedQuestion,
  words: string,
): string | undefined {
  if (kind === 'text') {
    if (min !== undefined && words.length < min) return `use at least ${min} characters`
    if (max !== undefined && words.length > max) return `use at most ${max} characters`
    return format && !FORMATS[format].test(words) ? `this is not a valid ${format}` : undefined
  }
  const value = Number(words)
  if (!Number.isFinite(value)) return 'this is not a number'
  if (whole && !Number.isInteger(value)) return 'use a whole number'
  if (min !== undefined && value < min) return `use at least ${min}`
  if (max !== undefined && value > max) return `use at most ${max}`
  return undefined
}

const FORMATS: Record<NonNullable<AskedQuestion['format']>, RegExp> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i,
}

/**
 * Reads what a person typed as the answer to one question: numbers or labels of choices, several separated by commas
 * for a multi-choice, else own words. Says what is wrong if it does not answer the question.
 */
export function readReply(question: AskedQuestion, typed: string): { reply: Reply } | { problem: string } {
  const words = typed.trim()
  const reply = replyFrom(question, words)
  const problem = problemWithReply(question, reply)
  return problem ? { problem } : { reply }
}

function replyFrom(question: AskedQuestion, words: string): Reply {
  const id = { question: question.id }
  if (words === '') return id
  const { choices = [], kind } = question
  if (choices.length === 0) return { ...id, words }
  const whole = choiceNamed(choices, words)
  if (whole) return { ...id, chosen: [whole.value] }
  const parts = words.split(',').map(part => part.trim())
  const named = parts.map(part => choiceNamed(choices, part))
  if (kind === 'multi-choice' && named.every(choice => choice !== undefined))
    return { ...id, chosen: [...new Set(named.map(({ value }) => value))] }
  return { ...id, words }
}

/** By number, or by label without regard to case. */
function choiceNamed(choices: readonly Choice[], word: string): Choice | undefined {
  if (/^\d{1,3}$/.test(word)) {
    const numbered = choices[Number(word) - 1]
    if (numbered) return numbered
  }
  const plain = plainLabel(word)
  return choices.find(({ label, value }) => plainLabel(label) === plain || value === word)
}

const plainLabel = (label: string): string => label.replace(RECOMMENDED, '').trim().toLowerCase()
const RECOMMENDED = /\s*[([]recommended[)\]]\s*$/i
/** Agents mark the choice they would take in its label. */
const isMarkedRecommended = (label: string): boolean => RECOMMENDED.test(label)

/** The options of an agent's question, as Baton shows them. */
export const choicesOf = (options: readonly { label: string; description?: string | undefined }[]) =>
  options.map(({ label, description }) => ({
    value: label,
    label,
    ...(description ? { description } : {}),
    ...(isMarkedRecommended(label) ? { recommended: true } : {}),
  }))

/** The label of a choice, without the mark that `recommended` already carries. */
export const choiceLabel = ({ label, recommended }: Choice): string =>
  (recommended && label.replace(RECOMMENDED, '')) || label

/** A reply in words, for lists, messages and the record. */
export function replyWords(question: AskedQuestion, reply: Reply | undefined): string {
  const labels = (reply?.chosen ?? []).map(value => {
    const choice = question.choices?.find(each => each.value === value)
    return choice ? choiceLabel(choice) : value
  })
  return [...labels, ...(reply?.words?.trim() ? [reply.words.trim()] : [])].join(', ')
}

/** All replies of an answered ask in one line. */
export function answerWords({
  questions = [],
  answer,
}: {
  questions?: readonly AskedQuestion[] | undefined
  answer?: { replies?: readonly Reply[] | undefined } | undefined
}): string {
  return questions
    .map(question =>
      replyWords(
        question,
        answer?.replies?.find(reply => reply.question === question.id),
      ),
    )
    .filter(Boolean)
    .join('; ')
}

/** The replies that take what the agent recommends; undefined if a question that needs an answer has no recommendation. */
export function recommendedReplies(questions: readonly AskedQuestion[]): Reply[] | undefined {
  const replies: Reply[] = []
  for (const { id, kind, choices = [], optional } of questions) {
    const marked = choices.filter(({ recommended }) => recommended).map(({ value }) => value)
    const chosen = kind === 'multi-choice' ? marked : marked.slice(0, 1)
    if (chosen.length > 0) replies.push({ question: id, chosen })
    else if (!optional) return undefined
  }
  return replies.length > 0 && !problemWith(questions, replies) ? replies : undefined
}

/** What a person has to know to answer, as plain text: all of it. It becomes the ask's `detail`, which every channel shows. */
export function fullText(
  detail: string,
  questions: readonly AskedQuestion[] = [],
  attachments: readonly Attachment[] = [],
): string {
  const texts = questions.map((question, index) =>
    questionText(question, questions.length > 1 ? index + 1 : 0),
  )
  const added = attachments.map(({ text }) => text)
  return [...(detail === '' ? [] : [detail]), ...texts, ...added].join('\n\n')
}

/** One question with its choices; `number` 0 leaves the number out. */
export function questionText(question: AskedQuestion, number = 0): string {
  const { text, choices = [], ownWords } = question
  const rows = choices.map((choice, index) => {
    const mark = choice.recommended ? ' (recommended)' : ''
    const about = choice.description ? `: ${choice.description}` : ''
    return `  ${index + 1}. ${choiceLabel(choice)}${mark}${about}`
  })
  const own = ownWords ? ['  or your own words'] : []
  return [`${number > 0 ? `${number}) ` : ''}${text} (${howToAnswer(question)})`, ...rows, ...own].join('\n')
}

/** How a question is answered, in a few words. */
export function howToAnswer({ kind, optional, min, max, whole, format }: AskedQuestion): string {
  const bounds = [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`]
    .filter(Boolean)
    .join(', ')
  const how = {
    choice: 'one answer',
    'multi-choice': 'one or more answers',
    text: format ?? 'text',
    number: whole ? 'whole number' : 'number',
    'yes-no': 'yes or no',
  }[kind]
  const unit = kind === 'text' && bounds ? ' characters' : ''
  return [how, bounds && `${bounds}${unit}`, optional ? 'optional' : ''].filter(Boolean).join(', ')
}
