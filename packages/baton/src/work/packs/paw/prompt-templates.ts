import { BatonError } from '@batonpass/contract/errors'
import { type StageName, TemplateKey } from '@batonpass/contract/work'
import { FileError } from '../../../ports/files.ts'
import type { SmallFiles } from '../../../ports/small-files.ts'
import { WORK, type WorkItem } from '../../stages/work-items.ts'
import { rowOf } from './stage-table.ts'

interface Template {
  stage: StageName
  task: string
  /** Only for the review strategy `prs`. */
  prs?: true
}

export const TEMPLATES: Record<TemplateKey, Template> = {
  '01A-spec': {
    stage: 'spec',
    task: 'Write the specification of this work, or refine the existing one.',
  },
  '02A-code-research': { stage: 'code-research', task: 'Research the code that this work affects.' },
  '02B-impl-plan': { stage: 'plan', task: 'Write the implementation plan of this work.' },
  '02C-planning-pr-review': {
    stage: 'plan',
    task: 'Address the review comments on the planning pull request.',
    prs: true,
  },
  '03A-implement': { stage: 'implement', task: 'Implement the next phase of the implementation plan.' },
  '03B-review': { stage: 'review', task: 'Review the phase that was implemented last.' },
  '03C-pr-review': {
    stage: 'implement',
    task: "Address the review comments on the phase's pull request.",
    prs: true,
  },
  '03D-review-pr-review': {
    stage: 'review',
    task: "Check how the comments on the phase's pull request were addressed, push, and answer them.",
    prs: true,
  },
  '04-docs': { stage: 'docs', task: 'Document this work.' },
  '04B-docs-pr-review': {
    stage: 'docs',
    task: 'Address the review comments on the documentation pull request.',
    prs: true,
  },
  '04C-docs-review-pr-review': {
    stage: 'review',
    task: 'Check how the comments on the documentation pull request were addressed, push, and answer them.',
    prs: true,
  },
  '05-pr': { stage: 'pr', task: 'Open the final pull request of this work.' },
  '05B-final-pr-review': {
    stage: 'implement',
    task: 'Address the review comments on the final pull request.',
  },
  '05C-final-review-pr-review': {
    stage: 'review',
    task: 'Check how the comments on the final pull request were addressed, push, and answer them.',
  },
  '0X-status': { stage: 'status', task: 'Report the state of this work and the possible next steps.' },
}

/** The template that `generate prompt for …` means. */
export const templateFor = (stage: StageName): TemplateKey | undefined =>
  TemplateKey.options.find(key => TEMPLATES[key].stage === stage)

export const promptFileName = (key: TemplateKey, phase?: number): string =>
  `${key}${phase === undefined ? '' : `-phase${phase}`}.prompt.md`

export interface PromptOrder {
  key: TemplateKey
  filename: string
  additional?: string | undefined
}

/** Writes one prompt file and returns its path relative to the project's root. Never overwrites a different text. */
export async function writePrompt(
  files: SmallFiles,
  root: string,
  item: WorkItem,
  { key, filename, additional }: PromptOrder,
): Promise<{ path: string; made: boolean }> {
  const path = `${WORK}/${item.workId}/prompts/${filename}`
  const text = promptText(item.workId, key, additional)
  try {
    await files.write(root, path, text, { shared: true, fresh: true })
    return { path, made: true }
  } catch (cause) {
    if (!(cause instanceof FileError) || cause.trouble !== 'busy') {
      const inner = cause instanceof FileError ? cause.cause : cause
      throw new BatonError('not_allowed', `Cannot write ${path}`, {
        remedy:
          inner instanceof Error
            ? inner.message
            : 'Check that the folder is writable and not a symbolic link.',
        cause,
      })
    }
  }
  const there = await files.read(root, path)
  if (there.kind === 'text' && there.text === text) return { path, made: false }
  throw new BatonError('not_allowed', `${path} already exists with a different text`, {
    remedy: 'Give another filename, or remove the file first.',
  })
}

function promptText(workId: string, key: TemplateKey, additional?: string): string {
  const { stage, task } = TEMPLATES[key]
  const more = additional?.trim()
  return `---\nagent: ${rowOf(stage).agent}\n---\n\n${task}\n\nWork ID: ${workId}\n${more ? `\n${more}\n` : ''}`
}

export function checkTemplateKey(given: unknown): TemplateKey {
  const parsed = TemplateKey.safeParse(given)
  if (parsed.success) return parsed.data
  throw new BatonError(
    'usage',
    `Unknown template_key${typeof given === 'string' ? ` '${given.slice(0, 60)}'` : ''}`,
    {
      remedy: `Use one of ${TemplateKey.options.join(', ')}.`,
    },
  )
}

/** Checks that a file name has no folder, no leading dot and no control characters. */
export function checkFilename(given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '')
    throw new BatonError('usage', 'filename cannot be empty', { remedy: FORM })
  if (!given.endsWith('.prompt.md'))
    throw new BatonError('usage', 'filename must end with .prompt.md', { remedy: FORM })
  if (!/^[A-Za-z0-9][A-Za-z0-9._ -]{0,120}$/.test(given))
    throw new BatonError('usage', 'filename must be a plain file name', { remedy: FORM })
  return given
}

const FORM =
  'Use a name such as 03A-implement-phase3.prompt.md: letters, digits, dots, hyphens and underscores, no folders.'
