import type { AskRules } from '@batonpass/contract/ask'
import { BatonError } from '@batonpass/contract/errors'
import type { PermissionRule } from '@batonpass/contract/permission'
import type { Files } from '../ports/files.ts'
import { problemLine } from './problem.ts'
import { readConfig } from './read.ts'
import { addToList, addToProject, editUserFile, settingsDocument, tilde } from './user-file.ts'

export interface RuleToAdd {
  rule: Exclude<PermissionRule, string>
  /** `allow` by default; for a project there are only allow rules. */
  list?: 'allow' | 'deny' | 'ask'
  scope: keyof AskRules
  project: string
  /** Written next to the rule: when and why it was added. */
  comment: string
}

/** Adds a rule to the user's own file, never to a project's; comments and everything else stay. Returns the file. */
export async function addRule(home: string, adding: RuleToAdd, files: Files): Promise<string> {
  const project = tilde(adding.project, home)
  return await editUserFile(home, files, text => withRule(text, { ...adding, project }))
}

/** The text of a settings file with the rule added. Throws if the file is not valid, before or after. */
export function withRule(text: string, { rule, list = 'allow', scope, project, comment }: RuleToAdd): string {
  const document = settingsDocument(text)
  const before = JSON.stringify(document.toJSON())
  if (scope === 'project') addToProject(document, 'permissions', project, 'allow', rule, comment)
  else addToList(document, ['permissions', list], rule, comment)
  if (JSON.stringify(document.toJSON()) === before) return text
  const after = document.toString({ lineWidth: 0 })
  const { problems } = readConfig(new TextEncoder().encode(after), 'your settings file')
  if (problems.length > 0)
    throw new BatonError('config_invalid', problems.map(problemLine).join('\n'), {
      remedy: 'Fix your settings file first: `baton config` shows the file and the line.',
    })
  return after
}
