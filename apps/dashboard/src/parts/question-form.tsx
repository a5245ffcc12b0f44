import type { Ask } from '@batonpass/contract/ask'
import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import { choiceLabel, howToAnswer, problemWith } from '@batonpass/contract/replies'
import { MAX_REPLY_LENGTH } from '@batonpass/contract/reply-length'
import { useState } from 'preact/hooks'
import { visibleText } from '../invisible.ts'
import { Tag } from './tag.tsx'

interface QuestionFormProps {
  ask: Ask
  questions: readonly AskedQuestion[]
  sent: boolean
  onReply(replies: Reply[]): void
}

/** The agent's questions as a form. The same check as the daemon's says what is missing. */
export function QuestionForm({ ask, questions, sent, onReply }: QuestionFormProps) {
  const [problem, setProblem] = useState<string>()
  return (
    <form
      class="questions"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        const replies = repliesIn(new FormData(event.currentTarget), questions)
        const wrong = problemWith(questions, replies)
        setProblem(wrong)
        if (!wrong) onReply(replies)
      }}
    >
      {questions.map((question, index) => (
        <Field key={question.id} id={`${ask.id}-${index}`} index={index} question={question} />
      ))}
      {problem ? (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      ) : null}
      <div>
        <button type="submit" class="yes" disabled={sent}>
          Answer
        </button>
      </div>
    </form>
  )
}

interface FieldProps {
  id: string
  index: number
  question: AskedQuestion
}

function Field({ id, index, question }: FieldProps) {
  const { choices = [], text, kind, ownWords } = question
  const words = (
    <input
      id={id}
      name={`words-${index}`}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      maxLength={MAX_REPLY_LENGTH}
      autocomplete="off"
      onInput={({ currentTarget }) => {
        // Own words replace a choice that was taken before.
        if (kind !== 'multi-choice' && currentTarget.value !== '') uncheck(currentTarget, index)
      }}
    />
  )
  if (choices.length === 0)
    return (
      <div class="field">
        <label for={id}>
          {visibleText(text)} <span class="dim">{howToAnswer(question)}</span>
        </label>
        {words}
      </div>
    )
  return (
    <fieldset>
      <legend>
        {visibleText(text)} <span class="dim">{howToAnswer(question)}</span>
      </legend>
      {choices.map((choice, at) => (
        <label key={choice.value} class="choice">
          <input
            type={kind === 'multi-choice' ? 'checkbox' : 'radio'}
            name={`choice-${index}`}
            value={String(at)}
            onChange={({ currentTarget }) => {
              if (kind !== 'multi-choice') clearWords(currentTarget, index)
            }}
          />
          <span>
            {visibleText(choiceLabel(choice))}{' '}
            {choice.recommended ? <Tag tone="info">recommended</Tag> : null}
            {choice.description ? <span class="dim about">{visibleText(choice.description)}</span> : null}
          </span>
        </label>
      ))}
      {ownWords ? (
        <div class="field">
          <label for={id}>Or in your own words</label>
          {words}
        </div>
      ) : null}
    </fieldset>
  )
}

const inputsOf = ({ form }: HTMLInputElement, name: string): HTMLInputElement[] =>
  [...(form?.elements ?? [])].filter(
    (element): element is HTMLInputElement => element instanceof HTMLInputElement && element.name === name,
  )

function uncheck(input: HTMLInputElement, index: number): void {
  for (const choice of inputsOf(input, `choice-${index}`)) choice.checked = false
}

function clearWords(input: HTMLInputElement, index: number): void {
  for (const words of inputsOf(input, `words-${index}`)) words.value = ''
}

/** Questions that were left empty get no reply. */
function repliesIn(data: FormData, questions: readonly AskedQuestion[]): Reply[] {
  return questions.flatMap((question, index) => {
    const chosen = data.getAll(`choice-${index}`).flatMap(at => question.choices?.[Number(at)]?.value ?? [])
    const words = String(data.get(`words-${index}`) ?? '').trim()
    if (chosen.length === 0 && words === '') return []
    return { question: question.id, ...(chosen.length > 0 ? { chosen } : {}), ...(words ? { words } : {}) }
  })
}
