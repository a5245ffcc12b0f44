import type { Ask } from '@batonpass/contract/ask'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { choiceLabel, howToAnswer, problemWith, readReply } from '@batonpass/contract/replies'
import { MAX_REPLY_LENGTH } from '@batonpass/contract/reply-length'
import * as vscode from 'vscode'
import { plain } from './ask-text.ts'

/** How one question is put to the user. */
interface Step {
  title: string
  /** How to answer, or what was wrong with the previous attempt. */
  hint: string
  /** Cancelled when the question is no longer open, which closes the picker. */
  open: vscode.CancellationToken
}

/** Asks the questions of an ask one after the other. Undefined if the user pressed Escape or no answer is needed any more. */
export async function askQuestions(
  { questions = [] }: Ask,
  open: vscode.CancellationToken,
): Promise<Reply[] | undefined> {
  const replies: Reply[] = []
  for (const [index, question] of questions.entries()) {
    const step = questions.length > 1 ? ` (${index + 1} of ${questions.length})` : ''
    const reply = await askOne(question, { title: `${plain(question.text).slice(0, 300)}${step}`, open })
    if (reply === undefined) return undefined
    if (reply.chosen?.length || reply.words) replies.push(reply)
  }
  return replies
}

/** Repeats a question until its answer is valid. */
async function askOne(question: AskedQuestion, given: Omit<Step, 'hint'>): Promise<Reply | undefined> {
  const ask = question.choices?.length ? pick : write
  let hint = howToAnswer(question)
  for (;;) {
    const reply = await ask(question, { ...given, hint })
    const problem = reply && problemWith([question], [reply])
    if (problem === undefined) return reply
    hint = `${howToAnswer(question)}: ${problem}`
  }
}

interface Item extends vscode.QuickPickItem {
  value?: string
  ownWords?: true
}

async function pick(question: AskedQuestion, step: Step): Promise<Reply | undefined> {
  const { title, hint: placeHolder, open } = step
  const options = { title, placeHolder, ignoreFocusOut: true, matchOnDescription: true }
  const many = question.kind === 'multi-choice'
  const items: Item[] = (question.choices ?? []).map(choice => ({
    label: plain(choiceLabel(choice)),
    ...(choice.recommended ? { description: 'recommended' } : {}),
    ...(choice.description ? { detail: plain(choice.description).slice(0, 500) } : {}),
    value: choice.value,
  }))
  if (question.ownWords) items.push({ label: 'In your own words…', ownWords: true })
  // Without a tick, an optional multi-choice is skipped anyway.
  if (question.optional && !many) items.push({ label: 'Skip' })
  const taken = many
    ? await vscode.window.showQuickPick(items, { ...options, canPickMany: true }, open)
    : await vscode.window.showQuickPick(items, options, open).then(item => item && [item])
  if (!taken) return undefined
  const chosen = taken.flatMap(({ value }) => (value === undefined ? [] : [value]))
  if (!taken.some(({ ownWords }) => ownWords)) return { question: question.id, chosen }
  // Own words, also where they look like the number of a choice.
  const written = await write(
    { id: question.id, text: question.text, kind: 'text', max: MAX_REPLY_LENGTH },
    { ...step, hint: 'Your own words' },
  )
  return written && { question: question.id, chosen, ...(written.words ? { words: written.words } : {}) }
}

async function write(question: AskedQuestion, { title, hint, open }: Step): Promise<Reply | undefined> {
  const input = {
    title,
    prompt: hint,
    ignoreFocusOut: true,
    validateInput: (text: string) => {
      const read = readReply(question, text)
      return 'problem' in read ? read.problem : undefined
    },
  }
  const typed = await vscode.window.showInputBox(input, open)
  if (typed === undefined) return undefined
  const read = readReply(question, typed)
  return 'reply' in read ? read.reply : undefined
}
