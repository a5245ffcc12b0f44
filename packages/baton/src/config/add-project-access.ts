import type { Files } from '../ports/files.ts'
import { addToProject, editUserFile, settingsDocument, tilde } from './user-file.ts'

/** What is added, by the key of an entry of `sandbox.projects`. */
export type ProjectAccessEntry =
  | { key: 'hosts' | 'readable'; value: string }
  | { key: 'ports'; value: number }

/** Adds something to `sandbox.projects` in the user's own file; comments and everything else stay as they are. */
export async function addProjectAccess(
  home: string,
  project: string,
  entry: ProjectAccessEntry,
  files: Files,
): Promise<void> {
  await editUserFile(home, files, text => withProjectAccess(text, tilde(project, home), entry))
}

/** The text of a settings file with the entry added. Throws if the file cannot be understood. */
export function withProjectAccess(text: string, project: string, { key, value }: ProjectAccessEntry): string {
  const document = settingsDocument(text)
  const before = JSON.stringify(document.toJSON())
  addToProject(document, 'sandbox', project, key, value)
  return JSON.stringify(document.toJSON()) === before ? text : String(document)
}
