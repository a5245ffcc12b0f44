import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StageAgent, TemplateKey } from '@batonpass/contract/work'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { checkFilename, TEMPLATES } from '../../../../src/work/packs/paw/prompt-templates.ts'
import { rowOf } from '../../../../src/work/packs/paw/stage-table.ts'
import { TOOLS } from '../../../../src/work/packs/paw/tools.ts'
import { until } from '../../../world/wait.ts'
import { stageWorld } from '../../stages/world.ts'

const PLAN = '## Phase 1: A\n- [x] done\n\n## Phase 2: B\n- [ ] open\n'

async function begun(options?: Parameters<typeof stageWorld>[0]) {
  const world = stageWorld(options)
  await world.ports.items.create(world.project, { title: 'Auth System' })
  return world
}

describe('the tools', () => {
  it('have the names and parameters that agents know', () => {
    const shape = (name: string) =>
      z.toJSONSchema(TOOLS.find(tool => tool.name === name)?.input ?? z.object({})) as {
        properties: Record<string, unknown>
        required?: string[]
      }
    const parameters = Object.fromEntries(
      TOOLS.map(({ name }) => [name, [Object.keys(shape(name).properties), shape(name).required ?? []]]),
    )
    expect(parameters).toEqual({
      paw_call_agent: [
        ['target_agent', 'work_id', 'inline_instruction'],
        ['target_agent', 'work_id'],
      ],
      paw_generate_prompt: [
        ['work_id', 'template_key', 'filename', 'additional_content'],
        ['work_id', 'template_key', 'filename'],
      ],
      paw_create_prompt_templates: [['work_id'], ['work_id']],
      paw_get_context: [['work_id', 'agent_name'], ['work_id']],
      baton_status: [['work_id'], []],
      baton_handoff: [['work_id', 'focus'], []],
      baton_recall: [['section', 'document'], ['section']],
    })
  })

  it.each(TOOLS.map(tool => tool.name).filter(name => !name.startsWith('baton_')))(
    '%s refuses a Work ID that is empty, malformed or unknown',
    async name => {
      await using world = await begun()
      const rest = { target_agent: 'PAW-X Status', template_key: '0X-status', filename: 'a.prompt.md' }
      await expect(world.tool(name, { ...rest })).rejects.toThrow('Work ID cannot be empty')
      await expect(world.tool(name, { ...rest, work_id: '' })).rejects.toThrow('Work ID cannot be empty')
      await expect(world.tool(name, { ...rest, work_id: 'Auth_System' })).rejects.toThrow(
        'Invalid Work ID format',
      )
      await expect(world.tool(name, { ...rest, work_id: '../auth-system' })).rejects.toThrow(
        'Invalid Work ID format',
      )
      await expect(world.tool(name, { ...rest, work_id: 'nothing' })).rejects.toThrow(
        'There is no work item nothing',
      )
    },
  )
})

describe('paw_call_agent', () => {
  it.each(StageAgent.options)('%s starts, or reports what is missing', async target_agent => {
    await using world = await begun()
    for (const name of ['Spec', 'CodeResearch', 'Docs'])
      world.write(`.paw/work/auth-system/${name}.md`, '# x\n')
    world.write('.paw/work/auth-system/ImplementationPlan.md', PLAN)
    const called = world.tool('paw_call_agent', { target_agent, work_id: 'auth-system' })
    if (target_agent.startsWith('PAW-R')) await expect(called).rejects.toThrow('is not a stage of this work')
    else if (['PAW-04 Documenter', 'PAW-05 PR'].includes(target_agent))
      await expect(called).rejects.toThrow('Phase 2 is not finished')
    else {
      expect(await called).toEqual({ text: '' })
      await until(() => world.started[0], { what: 'a session' })
      expect(world.started[0]).toMatch(/^Work ID: auth-system\n/)
      expect(world.started[0]).toContain(`You are ${target_agent}`)
      if (target_agent === 'PAW-03A Implementer') expect(world.started[0]).toContain('implement Phase 2')
    }
    expect(world.faults).toEqual([])
  })

  it('reports a stage that cannot start instead of success', async () => {
    await using world = await begun()
    const args = { target_agent: 'PAW-01A Specification', work_id: 'auth-system' }
    world.ports.obstacle = () => 'claude is not installed'
    await expect(world.tool('paw_call_agent', args)).rejects.toThrow(
      'PAW-01A Specification did not start: claude is not installed',
    )
    expect(await world.ports.memory.passes()).toEqual([])
    world.ports.obstacle = () => undefined
    world.ports.start = () => Promise.reject(new Error('tmux: no space for a new pane'))
    await expect(world.tool('paw_call_agent', args)).rejects.toThrow('no space for a new pane')
    expect(world.entries.map(({ what }) => what)).toEqual(['called', 'failed'])
    expect(await world.ports.memory.passes()).toEqual([])
  })

  it('starts nothing while Baton is paused, and says so', async () => {
    await using world = await begun()
    const args = { target_agent: 'PAW-01A Specification', work_id: 'auth-system' }
    world.pause(true)
    await expect(world.tool('paw_call_agent', args)).rejects.toThrow('Baton is paused here')
    expect([world.started, await world.ports.memory.passes()]).toEqual([[], []])
    world.pause(false)
    expect(await world.tool('paw_call_agent', args)).toEqual({ text: '' })
  })

  it('passes phase and instruction on, and creates no prompt file', async () => {
    await using world = await begun()
    world.write('.paw/work/auth-system/ImplementationPlan.md', PLAN)
    const args = {
      target_agent: 'PAW-03A Implementer',
      work_id: 'auth-system',
      inline_instruction: 'Phase 2: add rate limiting',
    }
    expect(await world.tool('paw_call_agent', args)).toEqual({ text: '' })
    await until(() => world.started[0], { what: 'a session' })
    expect(world.started[0]).toBe(
      'Work ID: auth-system\n\nYou are PAW-03A Implementer: implement Phase 2. Call paw_get_context with this Work ID first.\n\nInstruction: Phase 2: add rate limiting',
    )
    expect(readdirSync(join(world.project, '.paw/work/auth-system'))).not.toContain('prompts')
    await expect(world.tool('paw_call_agent', { ...args, inline_instruction: 'Phase 7' })).rejects.toThrow(
      'the plan has no Phase 7',
    )
    await expect(world.tool('paw_call_agent', { ...args, target_agent: 'Implementer' })).rejects.toThrow(
      'Unknown target_agent',
    )
    await expect(world.tool('paw_call_agent', { ...args, inline_instruction: 7 })).rejects.toThrow(
      'must be a string',
    )
  })

  it('waits for the end of the calling session’s turn, then starts the stage at its place', async () => {
    await using world = await begun()
    const from = world.session(1, { pane: '%1 /tmp/x' })
    const args = { target_agent: 'PAW-01A Specification', work_id: 'auth-system' }
    world.calls(1, 'paw_call_agent', args)
    expect(await world.tool('paw_call_agent', args)).toEqual({ text: '' })
    expect(await world.ports.memory.pass(world.project, 'auth-system')).toMatchObject({
      from,
      state: 'called',
    })
    expect(world.typed).toEqual([])
    expect(await world.stopped(1)).toMatchObject({
      continuation: { rank: 'stage', stop: expect.stringContaining('PAW-01A') },
    })
    await until(() => world.typed.length === 2, { what: 'the prompt' })
    expect(world.typed[0]).toBe('/clear')
    expect(world.typed[1]).toContain('You are PAW-01A Specification')
    expect(world.started).toEqual([])
  })

  it('says what to run if nothing can be started, and tells an editor what to open', async () => {
    await using world = await begun({ start: false })
    const args = { target_agent: 'PAW-01A Specification', work_id: 'auth-system' }
    expect((await world.tool('paw_call_agent', args)).text).toMatch(
      /run:\ncd .* && claude "Work ID: auth-system/,
    )
    expect(await world.tool('paw_call_agent', args, true)).toMatchObject({
      text: '',
      open: { agent: 'PAW-01A Specification', prompt: expect.stringContaining('Work ID: auth-system') },
    })
  })
})

describe('prompt files', () => {
  it.each(TemplateKey.options)('%s is written with its agent and the Work ID', async key => {
    await using world = await begun()
    const args = {
      work_id: 'auth-system',
      template_key: key,
      filename: `${key}.prompt.md`,
      additional_content: 'Mind the cache.',
    }
    const { text } = await world.tool('paw_generate_prompt', args)
    expect(text).toBe(`.paw/work/auth-system/prompts/${key}.prompt.md`)
    const written = readFileSync(join(world.project, text), 'utf8')
    expect(written).toMatch(
      new RegExp(
        `^---\nagent: ${rowOf(TEMPLATES[key].stage).agent}\n---\n\n.+\n\nWork ID: auth-system\n\nMind the cache\\.\n$`,
      ),
    )
  })

  it('recall a section of the newest handoff, and say which sections there are', async () => {
    await using world = await begun()
    world.write(
      '.bmad/handoffs/handoff-2026-01-22-14-30.md',
      '# Handoff Document\n\n## Next Steps\n\n1. Go\n',
    )
    world.write(
      '.bmad/handoff-facts/handoff-2026-01-22-14-30.json',
      JSON.stringify({ decisions: ['One table, because both are read together'] }),
    )
    expect(await world.tool('baton_recall', { section: 'decisions' })).toEqual({
      text: '- One table, because both are read together\n',
    })
    await expect(world.tool('baton_recall', { section: 'x' })).rejects.toThrow("There is no section 'x'")
    await expect(world.tool('baton_recall', { section: 'goal', document: '../x' })).rejects.toThrow(
      'No handoff document ../x',
    )
  })

  it('are never overwritten, and not written twice with the same text', async () => {
    await using world = await begun()
    const args = { work_id: 'auth-system', template_key: '04-docs', filename: 'a.prompt.md' }
    const first = await world.tool('paw_generate_prompt', args)
    expect(await world.tool('paw_generate_prompt', args)).toEqual(first)
    await expect(world.tool('paw_generate_prompt', { ...args, additional_content: 'more' })).rejects.toThrow(
      'already exists with a different text',
    )
    expect(readFileSync(join(world.project, first.text), 'utf8')).not.toContain('more')
  })

  it('are all created at once, those for pull requests only with the review strategy prs', async () => {
    await using world = await begun()
    await world.ports.items.create(world.project, { title: 'other', strategy: 'prs' })
    world.write('.paw/work/auth-system/prompts/04-docs.prompt.md', 'mine')
    const { text } = await world.tool('paw_create_prompt_templates', { work_id: 'auth-system' })
    expect(text).toContain('Already there, unchanged:\n- .paw/work/auth-system/prompts/04-docs.prompt.md')
    const made = (id: string) => readdirSync(join(world.project, `.paw/work/${id}/prompts`))
    expect(made('auth-system')).toHaveLength(TemplateKey.options.filter(key => !TEMPLATES[key].prs).length)
    await world.tool('paw_create_prompt_templates', { work_id: 'other' })
    expect(made('other')).toHaveLength(TemplateKey.options.length)
    expect(readFileSync(join(world.project, '.paw/work/auth-system/prompts/04-docs.prompt.md'), 'utf8')).toBe(
      'mine',
    )
  })

  it.each([
    ['template_key', 'implement', 'Unknown template_key'],
    ['template_key', undefined, 'Unknown template_key'],
    ['filename', 'a.md', 'filename must end with .prompt.md'],
    ['filename', '../../a.prompt.md', 'filename must be a plain file name'],
    ['filename', '.prompt.md', 'filename must be a plain file name'],
    ['filename', 'a/b.prompt.md', 'filename must be a plain file name'],
    ['filename', 'a\0.prompt.md', 'filename must be a plain file name'],
    ['filename', '', 'filename cannot be empty'],
  ])('refuse %s %j', async (name, value, message) => {
    await using world = await begun()
    const args = { work_id: 'auth-system', template_key: '04-docs', filename: 'a.prompt.md', [name]: value }
    await expect(world.tool('paw_generate_prompt', args)).rejects.toThrow(message)
  })

  test('no file name leads out of the folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), name => {
        try {
          const checked = checkFilename(`${name}.prompt.md`)
          expect(checked).not.toMatch(/[/\\\0]|^\./)
        } catch {
          // Refused.
        }
      }),
    )
  })
})

describe('paw_get_context', () => {
  it('returns the instructions of project and user, the context, and last how to hand over in its mode', async () => {
    await using world = await begun()
    world.write('.paw/instructions/PAW-03A Implementer-instructions.md', 'Project rule.')
    world.write('../home/.paw/instructions/PAW-03A Implementer-instructions.md', 'My rule.')
    const { text } = await world.tool('paw_get_context', {
      work_id: 'auth-system',
      agent_name: 'PAW-03A Implementer',
    })
    const order = [
      'Project rule.',
      'My rule.',
      'Work Title: Auth System',
      '<handoff_instructions mode="manual">',
    ]
    expect(order.map(part => text.indexOf(part))).toEqual(
      order.map(part => text.indexOf(part)).toSorted((a, b) => a - b),
    )
    expect(order.every(part => text.includes(part))).toBe(true)
    expect(text.trimEnd().endsWith('</handoff_instructions>')).toBe(true)
    await expect(
      world.tool('paw_get_context', { work_id: 'auth-system', agent_name: '../x' }),
    ).rejects.toThrow('Unknown agent_name')
  })

  it('says so if there is nothing, and is manual then', async () => {
    await using world = stageWorld()
    world.write('.paw/work/bare/notes.txt', '')
    const { text } = await world.tool('paw_get_context', { work_id: 'bare' })
    expect(text).toContain('<context status="empty">')
    expect(text).toContain('WorkflowContext.md is missing: manual mode is used.')
    expect(text).toContain('<handoff_instructions mode="manual">')
  })

  it.each(['semi-auto', 'AUTO'])('reads the mode %s whatever its case', async mode => {
    await using world = await begun()
    world.write('.paw/work/auth-system/WorkflowContext.md', `Handoff Mode: ${mode}\n`)
    const { text } = await world.tool('paw_get_context', { work_id: 'auth-system' })
    expect(text).toContain(`<handoff_instructions mode="${mode.toLowerCase()}">`)
  })
})

describe('baton_handoff', () => {
  it('tells a chat that Baton cannot read to write the document itself: where, in which form, and what comes next', async () => {
    await using world = await begun()
    const { text } = await world.tool('baton_handoff', { focus: 'the endpoint' }, true)
    expect(text).toMatch(
      /write the handoff document to \.bmad\/handoffs\/handoff-\d{4}-\d\d-\d\d-\d\d-\d\d\.md/,
    )
    expect(text).toContain('## Next Steps (numbered)')
    expect(text).toContain('Additional focus: the endpoint')
    expect(text).toContain('baton handoff --verify FILE')
  })

  it('says what to do if the calling session is unknown', async () => {
    await using world = await begun()
    await expect(world.tool('baton_handoff', {})).rejects.toMatchObject({
      code: 'nothing_to_hand_off',
      remedy: expect.stringContaining('baton handoff'),
    })
  })
})
