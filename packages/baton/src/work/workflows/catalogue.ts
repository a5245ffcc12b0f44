import { join } from 'node:path'
import type { Config } from '@batonpass/contract/config'
import type { Source } from '../../config/node.ts'
import { type Environment, ownFolders } from '../../config/places.ts'
import type { ConfigNotice, ConfigProblem } from '../../config/problem.ts'
import { hashOf, readPins } from '../../config/trust.ts'
import type { Files } from '../../ports/files.ts'
import type { SmallFiles } from '../../ports/small-files.ts'
import { issueToImpl, planToIssue, setupViewboard, ultraPlanner } from './builtin-workflows.ts'
import { fromConfig, fromFile } from './declare.ts'
import type { Workflow } from './workflow.ts'

export interface Catalogue {
  /** Built-in workflows first, then the user's, then the project's. Of two with the same command, the last one wins. */
  workflows: readonly Workflow[]
  problems: readonly ConfigProblem[]
  notices: readonly ConfigNotice[]
}

export interface CataloguePorts {
  files: Files
  smallFiles: SmallFiles
  env: Environment
  home: string
  stateDir: string
}

const FOLDER = '.baton/workflows'

/** Reads all workflows that are active in a project. */
export async function readCatalogue(
  project: string,
  declared: { workflows: Config['workflows']; sources?: ReadonlyMap<string, Source> },
  ports: CataloguePorts,
): Promise<Catalogue> {
  const own = ownFolders(ports).toReversed()
  const isOwn = own.includes(project)
  const found = [
    ...(await Promise.all(own.map(folder => readFolder(folder, ports)))).flat(),
    ...(isOwn ? [] : await trustedOnly(project, await readFolder(project, ports), ports)),
  ]
  // The configuration has already left out the `workflows:` of an untrusted project file.
  const configured = fromConfig(declared.workflows, declared.sources)
  const read = found.flatMap(({ path, text, trusted }) =>
    trusted ? [fromFile(path, new TextEncoder().encode(text))] : [],
  )
  return {
    workflows: [...BUILTIN, ...read.flatMap(each => each.workflows), ...configured.workflows],
    problems: [...read.flatMap(each => each.problems), ...configured.problems],
    notices: found.filter(({ trusted }) => !trusted).map(({ path }) => untrusted(path)),
  }
}

interface WorkflowFile {
  path: string
  text: string
  trusted: boolean
}

async function readFolder(root: string, { smallFiles }: CataloguePorts): Promise<WorkflowFile[]> {
  const names = (await smallFiles.list(root, FOLDER))
    .map(({ name }) => name)
    .filter(name => name.endsWith('.md'))
  const read = await Promise.all(
    names.sort().map(async name => {
      const found = await smallFiles.read(root, join(FOLDER, name), 100_000)
      return found.kind === 'text'
        ? [{ path: join(root, FOLDER, name), text: found.text, trusted: true }]
        : []
    }),
  )
  return read.flat()
}

/** The user did not write a cloned repository's files: such a workflow is used only while its trusted text is unchanged. */
async function trustedOnly(
  project: string,
  found: WorkflowFile[],
  { files, stateDir }: CataloguePorts,
): Promise<WorkflowFile[]> {
  if (found.length === 0) return found
  const { pins } = await readPins(stateDir, files)
  const root = await files.realPath(project).catch(() => project)
  return found.map(file => {
    const real = join(root, file.path.slice(project.length))
    return { ...file, trusted: pins.get(real) === hashOf(new TextEncoder().encode(file.text)) }
  })
}

const untrusted = (file: string): ConfigNotice => ({
  code: 'config_untrusted',
  file,
  line: 1,
  column: 1,
  message: 'not trusted, so Baton ignores this workflow',
  remedy: `Read the file, then run \`baton trust ${file}\`.`,
})

/** The built-in workflows. To add one, define it in builtin-workflows.ts and list it here. */
export const BUILTIN: readonly Workflow[] = [ultraPlanner, issueToImpl, planToIssue, setupViewboard]
