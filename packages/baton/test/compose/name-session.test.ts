import { Config } from '@batonpass/contract/config'
import type { AgentEvent } from '@batonpass/contract/event'
import type { Session } from '@batonpass/contract/session'
import { expect, it } from 'vitest'
import type { ClaimRecord } from '../../src/claim/record.ts'
import { nameSession } from '../../src/compose/name-session.ts'
import { aSession } from '../world/journal.ts'

it('A session that holds an issue is named after it, unless a person named it', async () => {
  let known: Session = { ...aSession(1), name: 'begin', namedBy: 'prompt' }
  let holder: string = known.id
  const reactor = nameSession({
    claimAt: async () => ({ issue: 42, title: 'Say hunter2', session: holder }) as ClaimRecord,
    rename: async (_, change) => {
      known = change(known)
    },
    redact: text => text.replace('hunter2', '[redacted]'),
    fault: (during, cause) => expect.fail(`${during}: ${cause}`),
  })
  const prompted = () =>
    reactor.react({ type: 'PromptSubmitted', prompt: 'go' } as AgentEvent, {
      session: known,
      project: '/p',
      config: Config.parse({}),
      now: 0,
    })
  await prompted()
  expect(known).toMatchObject({ name: '#42 Say [redacted]', namedBy: 'issue' })
  known = { ...known, name: 'mine', namedBy: 'person' }
  await prompted()
  expect(known.name).toBe('mine')
  known = { ...aSession(1), name: 'begin', namedBy: 'prompt' }
  holder = 'another'
  await prompted()
  expect(known.name).toBe('begin')
})
