import { BatonError } from '@batonpass/contract/errors'
import { WORK_ID } from '@batonpass/contract/work'

/** Checks a Work ID before it becomes part of a path. */
export function checkWorkId(given: unknown): string {
  if (given === undefined || given === null || (typeof given === 'string' && given.trim() === ''))
    throw new BatonError('usage', 'Work ID cannot be empty', {
      remedy: 'Give the name of a folder in .paw/work, such as auth-system. `baton work list` shows them.',
    })
  if (typeof given !== 'string' || !WORK_ID.test(given))
    throw new BatonError('usage', 'Invalid Work ID format', {
      remedy: 'Use only lowercase letters, numbers and hyphens, such as auth-system.',
    })
  return given
}

/** Derives a Work ID from a title. */
export function workIdOf(title: string): string {
  const id = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')
  if (id !== '') return id
  throw new BatonError('usage', 'Cannot derive a Work ID from this title', {
    remedy: 'Give one with lowercase letters, numbers and hyphens: --id auth-system',
  })
}
