import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import type { ChooseResult } from '../../ports/driver.ts'
import type { DialogStyle } from '../../ports/terminal.ts'
import type { AgentPane } from './agent-pane.ts'
import { findQuestion, type ShownQuestion } from './question-form.ts'
import { unframed } from './screen-dialog.ts'
import { pasteText, typeable } from './type-text.ts'

/** How long a program may take to move its mark, to show typed text, or to show its next question. */
const SHOWN_MS = 15_000
/** How long a program may take to open its dialog after its hook was answered. */
const OPENS_MS = 15_000
/** How long to wait for a person who presses keys in the pane. */
const PERSON_MS = 20_000

/**
 * Answers the questions in the agent's own dialog, one after the other. Each key is pressed only while the screen shows the
 * question it is for. If a daemon was killed in between, the first questions may be answered already.
 */
export async function answerIn(
  pane: AgentPane,
  questions: readonly AskedQuestion[],
  replies: readonly Reply[],
): Promise<ChooseResult> {
  const style = pane.terminal?.dialog
  if (!style) return 'changed'
  await pane.eventually(async () => (await pane.look()).state !== 'person', PERSON_MS)
  const firstIn = (lines: readonly string[]) =>
    questions.findIndex(question => findQuestion(lines, question, style))
  const isOpen = async () => {
    const { state, lines } = await pane.view()
    return state === 'gone' || state === 'dead' || firstIn(lines) >= 0 || showsReview(lines, style)
  }
  if (!(await pane.eventually(isOpen, OPENS_MS))) return 'changed'
  const { state, lines } = await pane.look()
  if (state === 'gone' || state === 'dead') return 'gone'
  if (state === 'person') return 'changed'
  const first = firstIn(lines)
  for (const question of first < 0 ? [] : questions.slice(first)) {
    const reply = replies.find(each => each.question === question.id)
    const result = await new Dialog(pane, question, style).answer(reply)
    if (result !== 'taken') return result
  }
  return style.review && questions.length > 1 ? await submitAll(pane, style) : 'taken'
}

class Dialog {
  readonly #pane: AgentPane
  readonly #question: AskedQuestion
  readonly #style: DialogStyle

  constructor(pane: AgentPane, question: AskedQuestion, style: DialogStyle) {
    this.#pane = pane
    this.#question = question
    this.#style = style
  }

  async answer(reply: Reply | undefined): Promise<ChooseResult> {
    const words = typeable(reply?.words?.replaceAll(/\s*\n\s*/g, ' ') ?? '')
    if (!(await this.#becomes(shown => shown !== undefined))) return 'changed'
    const shown = await this.#shown()
    if (shown?.kind === 'field') return await this.#type(words)
    const { choices = [] } = this.#question
    const chosen = choices.findIndex(({ value }) => value === reply?.chosen?.[0])
    const option = chosen < 0 && words !== '' ? shown?.ownWords : chosen
    if (option === undefined || option < 0) return 'changed'
    if (!(await this.#mark(option))) return 'changed'
    if (chosen >= 0) return await this.#confirm()
    const { openWords } = this.#style
    if (openWords) await this.#pane.press(openWords)
    return await this.#type(words)
  }

  /** Moves the mark to an option. */
  async #mark(option: number): Promise<boolean> {
    for (let presses = 0; presses <= (this.#question.choices?.length ?? 0) + 1; presses++) {
      const shown = await this.#shown()
      if (shown?.kind !== 'options') return false
      if (shown.marked === option) return true
      await this.#pane.press(shown.marked < option ? 'Down' : 'Up')
      await this.#becomes(now => now?.kind !== 'options' || now.marked !== shown.marked)
    }
    return false
  }

  /** Types into the text field once it is shown empty. */
  async #type(words: string): Promise<ChooseResult> {
    if (words === '' || !(await this.#becomes(hasEmptyField))) return 'changed'
    if (!(await pasteText(this.#pane, words))) return 'gone'
    const isTyped = await this.#becomes(shown => shown !== undefined && !hasEmptyField(shown))
    return isTyped ? await this.#confirm() : 'not-taken'
  }

  async #confirm(): Promise<ChooseResult> {
    await this.#pane.press('Enter')
    return (await this.#becomes(shown => shown === undefined)) ? 'taken' : 'not-taken'
  }

  async #shown(): Promise<ShownQuestion | undefined> {
    return findQuestion((await this.#pane.view()).lines, this.#question, this.#style)
  }

  #becomes(fits: (shown: ShownQuestion | undefined) => boolean): Promise<boolean> {
    return this.#pane.eventually(async () => fits(await this.#shown()), SHOWN_MS)
  }
}

const hasEmptyField = (shown: ShownQuestion | undefined): boolean =>
  shown?.kind === 'field' ? shown.isEmpty : shown?.hasEmptyField === true

export const showsReview = (lines: readonly string[], { review }: DialogStyle): boolean =>
  review !== undefined && lines.some(line => review.test(unframed(line).text))

async function submitAll(pane: AgentPane, style: DialogStyle): Promise<ChooseResult> {
  const isShown = async () => showsReview((await pane.view()).lines, style)
  if (!(await pane.eventually(isShown, SHOWN_MS))) return 'changed'
  await pane.press('Enter')
  return (await pane.eventually(async () => !(await isShown()), SHOWN_MS)) ? 'taken' : 'not-taken'
}
