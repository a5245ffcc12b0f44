import type { Ask } from '@batonpass/contract/ask'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { choiceLabel, howToAnswer, readReply } from '@batonpass/contract/replies'
import * as vscode from 'vscode'
import { plain } from './ask-text.ts'

const OWN_WORDS = 'In your own words…'
const SKIP = 'Skip'

/** Asks the questions of an ask one after the other. Undefined if the user pressed Escape. */
export async function askQuestions({ questions = [] }: Ask): Promise<Reply[] | undefined> {
  const replies: Reply[] = []
  for (const [index, question] of questions.entries()) {
    const step = questions.length > 1 ? ` (${index + 1} of ${questions.length})` : ''
    const title = `${plain(question.text).slice(0, 300)}${step}`
    const reply = question.choices?.length ? await pick(question, title) : await write(question, title)
    if (reply === undefined) return undefined
    if (reply.chosen?.length || reply.words) replies.push(reply)
  }
  return replies
}

async function pick(question: AskedQuestion, title: string): Promise<Reply | undefined> {
  const options = {
    title,
    placeHolder: howToAnswer(question),
    ignoreFocusOut: true,
    matchOnDescription: true,
  }
  const items = (question.choices ?? []).map(choice => ({
    label: plain(choiceLabel(choice)),
    ...(choice.recommended ? { description: 'recommended' } : {}),
    ...(choice.description ? { detail: plain(choice.description).slice(0, 500) } : {}),
    value: choice.value,
  }))
  if (question.kind === 'multi-choice') {
    const taken = await vscode.window.showQuickPick(items, { ...options, canPickMany: true })
    return taken && { question: question.id, chosen: taken.map(({ value }) => value) }
  }
  const own = question.ownWords ? [{ label: OWN_WORDS, value: undefined }] : []
  const skip = question.optional ? [{ label: SKIP, value: undefined }] : []
  const taken = await vscode.window.showQuickPick([...items, ...own, ...skip], options)
  if (!taken) return undefined
  if (taken.label === SKIP && taken.value === undefined) return { question: question.id }
  return taken.value === undefined
    ? await write(question, title)
    : { question: question.id, chosen: [taken.value] }
}

async function write(question: AskedQuestion, title: string): Promise<Reply | undefined> {
  const typed = await vscode.window.showInputBox({
    title,
    prompt: howToAnswer(question),
    ignoreFocusOut: true,
    validateInput: text => {
      const read = readReply(question, text)
      return 'problem' in read ? read.problem : undefined
    },
  })
  if (typed === undefined) return undefined
  const read = readReply(question, typed)
  return 'reply' in read ? read.reply : undefined
}
