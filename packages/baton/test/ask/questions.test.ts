import type { AskedQuestion, Reply } from '@batonpass/contract/question'
import {
  answerWords,
  fullText,
  problemWith,
  readReply,
  recommendedReplies,
} from '@batonpass/contract/replies'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'

const database: AskedQuestion = {
  id: 'Which database?',
  kind: 'choice',
  text: 'Which database?',
  choices: [
    {
      value: 'Postgres (Recommended)',
      label: 'Postgres (Recommended)',
      description: 'Shared',
      recommended: true,
    },
    { value: 'SQLite', label: 'SQLite' },
  ],
  ownWords: true,
}
const extras: AskedQuestion = {
  id: 'extras',
  kind: 'multi-choice',
  text: 'Which extras?',
  choices: [
    { value: 'cache', label: 'Cache' },
    { value: 'queue', label: 'Queue' },
    { value: 'mail', label: 'Mail' },
  ],
  max: 2,
}
const age: AskedQuestion = {
  id: 'age',
  kind: 'number',
  text: 'Age',
  whole: true,
  min: 0,
  max: 150,
  optional: true,
}
const name: AskedQuestion = { id: 'name', kind: 'text', text: 'Name', min: 2 }
const email: AskedQuestion = { id: 'email', kind: 'text', text: 'Mail', format: 'email' }
const news: AskedQuestion = {
  id: 'news',
  kind: 'yes-no',
  text: 'News?',
  choices: [
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ],
}

describe('what a person types as an answer', () => {
  test.each<[AskedQuestion, string, Partial<Reply> | RegExp]>([
    [database, '2', { chosen: ['SQLite'] }],
    [database, 'sqlite', { chosen: ['SQLite'] }],
    [database, 'postgres', { chosen: ['Postgres (Recommended)'] }],
    [database, 'Postgres (recommended)', { chosen: ['Postgres (Recommended)'] }],
    [database, 'a text file', { words: 'a text file' }],
    [database, '7', { words: '7' }],
    [database, '  ', /missing/],
    [extras, '1,3', { chosen: ['cache', 'mail'] }],
    [extras, 'queue, Cache', { chosen: ['queue', 'cache'] }],
    [extras, '1,1', { chosen: ['cache'] }],
    [extras, '1,2,3', /at most 2/],
    [extras, 'a fridge', /only the offered choices/],
    [age, '36', { words: '36' }],
    [age, '', {}],
    [age, '36.5', /whole number/],
    [age, '-1', /at least 0/],
    [age, 'old', /not a number/],
    [name, 'A', /at least 2/],
    [name, 'Ada', { words: 'Ada' }],
    [email, 'ada', /not a valid email/],
    [email, 'ada@example.org', { words: 'ada@example.org' }],
    [news, 'yes', { chosen: ['true'] }],
    [news, 'No', { chosen: ['false'] }],
    [news, 'perhaps', /only the offered choices/],
  ])('%# %o', (question, typed, wanted) => {
    const read = readReply(question, typed)
    if (wanted instanceof RegExp) expect(read).toEqual({ problem: expect.stringMatching(wanted) })
    else expect(read).toEqual({ reply: { question: question.id, ...wanted } })
  })
})

describe('an answer fits exactly what was asked', () => {
  const all = [database, extras, age, name]
  const good: Reply[] = [
    { question: 'Which database?', chosen: ['SQLite'] },
    { question: 'extras', chosen: ['mail', 'cache'] },
    { question: 'name', words: 'Ada' },
  ]

  it('accepts one reply for each question that needs one', () => {
    expect(problemWith(all, good)).toBeUndefined()
    expect(answerWords({ questions: all, answer: { replies: good } })).toBe('SQLite; Mail, Cache; Ada')
  })

  test.each<[string, Reply[], RegExp]>([
    ['a missing reply', good.slice(1), /Question 1: an answer is missing/],
    ['a reply to another question', [...good, { question: 'else', words: 'x' }], /was asked/],
    ['two replies', [...good, { question: 'name', words: 'Eve' }], /Question 4 is answered twice/],
    [
      'a choice that was not offered',
      [{ question: 'Which database?', chosen: ['Mongo'] }, ...good.slice(1)],
      /not offered/,
    ],
    [
      'two choices of one',
      [{ question: 'Which database?', chosen: ['SQLite', 'Postgres (Recommended)'] }, ...good.slice(1)],
      /one answer/,
    ],
    [
      'a choice and words',
      [{ question: 'Which database?', chosen: ['SQLite'], words: 'x' }, ...good.slice(1)],
      /one answer/,
    ],
    [
      'choices where words are wanted',
      [...good.slice(0, 2), { question: 'name', chosen: ['Ada'] }],
      /no choices/,
    ],
  ])('refuses %s', (_, replies, problem) => {
    expect(problemWith(all, replies)).toMatch(problem)
  })

  it('says of any replies whether they fit, and never throws', () => {
    const reply = fc.record(
      {
        question: fc.constantFrom('Which database?', 'extras', 'age', 'name', 'else'),
        chosen: fc.array(fc.constantFrom('SQLite', 'cache', 'x')),
        words: fc.string(),
      },
      { requiredKeys: ['question'] },
    )
    fc.assert(
      fc.property(fc.array(reply), replies => {
        const problem = problemWith(all, replies as Reply[])
        expect(problem === undefined || problem.length > 0).toBe(true)
        if (problem === undefined)
          expect(new Set(replies.map(({ question }) => question)).size).toBe(replies.length)
      }),
    )
  })
})

describe('what the agent recommends', () => {
  it('is taken only if every question that needs an answer has a recommendation', () => {
    expect(recommendedReplies([database])).toEqual([
      { question: 'Which database?', chosen: ['Postgres (Recommended)'] },
    ])
    expect(recommendedReplies([database, age])).toHaveLength(1)
    expect(recommendedReplies([database, name])).toBeUndefined()
    expect(recommendedReplies([age])).toBeUndefined()
  })
})

it('shows all of a question as text, with numbers to answer by', () => {
  expect(fullText('About the app', [database, age])).toBe(
    [
      'About the app',
      '',
      '1) Which database? (one answer)',
      '  1. Postgres (recommended): Shared',
      '  2. SQLite',
      '  or your own words',
      '',
      '2) Age (whole number, at least 0, at most 150, optional)',
    ].join('\n'),
  )
})
