import { describe, expect, it } from 'vitest'
import { isSameWork, Sayings } from '../../src/handoff/statements/support.ts'

describe('what the user said', () => {
  const user = new Sayings(['use uv, not pip', 'undo goes back 50 steps'])

  it.each([
    ['The user prefers pip over uv.', true],
    ['The user wants pip instead of uv.', true],
    ['The user prefers uv over pip.', false],
    ['Use uv rather than pip.', false],
    ['The user prefers tabs over spaces.', false],
  ])('is put the other way round in %s: %s', (statement, isOther) =>
    expect(user.preferOther(statement)).toBe(isOther),
  )

  it.each([
    ['undo goes back fifty steps', true],
    ['undo goes back 50 steps', true],
    ['undo goes back ten steps', false],
    ['undo goes back 10 steps', false],
  ])('supports the same amount only, in words or digits: %s', (statement, isSaid) =>
    expect(user.support(statement, 'user')).toBe(isSaid),
  )

  it('supports less than an instruction that a later one doubts', () => {
    const doubted = new Sayings(['autosave uses the PUT route'])
    const all = new Sayings(['autosave uses the PUT route', 'autosave uses the PATCH route'])
    expect(doubted.saysMore('Autosave goes to the PUT route.', all)).toBe(true)
    expect(doubted.saysMore('Autosave goes to the PATCH route.', all)).toBe(false)
  })
})

describe('two descriptions of work', () => {
  it.each([
    ['Kiosk page: passes its zone', 'Pass the zone from the kiosk page', true],
    ['The kiosk page now passes the zone', 'Pass the zone from the kiosk page', true],
    ['Kiosk page: shows the moon', 'Pass the zone from the kiosk page', false],
    ['Tests', 'Write tests', false],
  ])('%s / %s: %s', (said, todo, isSame) => expect(isSameWork(said, todo)).toBe(isSame))
})

describe('a command that succeeded', () => {
  const ran = new Sayings(['npx tsc --noEmit', 'ruff check freight'])

  it.each([
    ['Type check with tsc, no complaints', true],
    ['Linted freight with ruff: clean', true],
    ['Linted billing with ruff: clean', false],
    ['Clean, without errors', false],
  ])('supports only what its own words say: %s', (statement, isShown) =>
    expect(ran.support(statement, 'run')).toBe(isShown),
  )
})
