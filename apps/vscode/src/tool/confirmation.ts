import { visible } from '../ask/ask-text.ts'

/** What the user sees while a tool runs and, if the tool changes something, before it runs. */
export interface Confirmation {
  running: string
  /** Undefined for tools that only read. */
  before?: { title: string; lines: string[] }
}

export type ToolInput = Readonly<Record<string, unknown>>

/** The inputs come from a model: they are shown in full, without links or invisible characters. */
export function confirmation(name: string, input: ToolInput): Confirmation {
  const work = shown(input.work_id)
  switch (name) {
    case 'paw_call_agent':
      return {
        running: `Handing over to ${shown(input.target_agent)}`,
        before: {
          title: `Hand over to ${shown(input.target_agent)}?`,
          lines: [
            'A new chat starts; this one ends.',
            `Work ID: ${work}`,
            ...optional('Instruction', input.inline_instruction),
          ],
        },
      }
    case 'paw_generate_prompt':
      return {
        running: `Writing ${shown(input.filename)}`,
        before: {
          title: `Write ${shown(input.filename)}?`,
          lines: [
            `Work ID: ${work}`,
            `Template: ${shown(input.template_key)}`,
            'Existing files are not overwritten.',
            ...optional('With', input.additional_content),
          ],
        },
      }
    case 'paw_create_prompt_templates':
      return {
        running: `Writing the prompt files of ${work}`,
        before: {
          title: 'Write all prompt files?',
          lines: [`Work ID: ${work}`, 'Existing files are not overwritten.'],
        },
      }
    case 'baton_handoff':
      return {
        running: 'Writing the handoff document',
        before: {
          title: 'Write a handoff document?',
          lines: [
            'Baton writes it from git and the transcript, for the next session in this project.',
            ...optional('Work ID', input.work_id),
            ...optional('Focus', input.focus),
          ],
        },
      }
    case 'paw_get_context':
      return { running: `Reading the context of ${work}` }
    case 'baton_recall':
      return { running: 'Reading the handoff' }
    default:
      return { running: 'Checking the status of the work' }
  }
}

const optional = (name: string, value: unknown): string[] =>
  value === undefined || value === '' ? [] : [`${name}: ${shown(value)}`]

const shown = (value: unknown): string =>
  typeof value === 'string' ? visible(value) : value === undefined ? '(not given)' : JSON.stringify(value)
