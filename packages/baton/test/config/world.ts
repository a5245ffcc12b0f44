import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemFiles } from '../../src/adapters/system/files.ts'
import { type ConfigPlaces, loadConfig } from '../../src/config/load.ts'
import { problemLine } from '../../src/config/problem.ts'
import { hashOf, setPin } from '../../src/config/trust.ts'
import { scratch } from '../world/scratch.ts'

/** A private machine: a project, BATON_HOME, HOME and a state folder. */
export function configWorld() {
  const folder = scratch('bc-')
  const places = {
    project: join(folder.path, 'project'),
    home: join(folder.path, 'home'),
    stateDir: join(folder.path, 'state'),
    env: { BATON_HOME: join(folder.path, 'baton') } as Record<string, string | undefined>,
  } satisfies ConfigPlaces
  for (const path of [places.project, places.home, join(folder.path, 'baton')]) mkdirSync(path)
  return {
    ...folder,
    places,
    load: () => loadConfig(places, { files: systemFiles }),
    /** Each problem as a line, with the scratch folder's path left out. */
    problems: async () => {
      const { problems } = await loadConfig(places, { files: systemFiles })
      return problems.map(problem => problemLine(problem).replaceAll(`${folder.path}/`, ''))
    },
    trust: async (name: string) => {
      const path = join(folder.path, name)
      const { bytes } = await systemFiles.read(path, 1_000_000)
      await setPin(places.stateDir, path, hashOf(bytes), systemFiles)
    },
  }
}
