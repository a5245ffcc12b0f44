import { describe, expect, it } from 'vitest'
import { confirmation } from '../../src/tool/confirmation.ts'

describe('before a tool does something', () => {
  it('a person sees the target agent, the Work ID and the instruction', () => {
    const { before } = confirmation('paw_call_agent', {
      target_agent: 'PAW-03A Implementer',
      work_id: 'auth-system',
      inline_instruction: 'add rate limiting\u202E',
    })
    expect(before?.title).toBe('Hand over to PAW-03A Implementer?')
    expect(before?.lines).toEqual([
      'A new chat starts; this one ends.',
      'Work ID: auth-system',
      'Instruction: add rate limiting\\u{202e}',
    ])
  })

  it('what a model left out or got wrong is shown as such', () => {
    expect(confirmation('paw_generate_prompt', { filename: ['x'] }).before).toMatchObject({
      title: 'Write ["x"]?',
      lines: ['Work ID: (not given)', 'Template: (not given)', 'Existing files are not overwritten.'],
    })
  })

  it('tools that only read ask nothing', () => {
    for (const name of ['paw_get_context', 'baton_status', 'baton_recall'])
      expect(confirmation(name, { work_id: 'a' }).before).toBeUndefined()
  })
})
