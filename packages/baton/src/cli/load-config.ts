import { systemFiles } from '../adapters/system/files.ts'
import { systemSmallFiles } from '../adapters/system/small-files.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { stateDir } from '../config/places.ts'
import { findWorktreeRoot } from '../config/project.ts'
import { readCatalogue } from '../work/workflows/catalogue.ts'
import type { Io } from './io.ts'

/** The configuration here with everything that is wrong or not trusted, in files of workflows, too. */
export async function loadConfigHere({
  env,
  home,
  cwd,
}: Pick<Io, 'env' | 'home' | 'cwd'>): Promise<LoadedConfig> {
  const places = { project: findWorktreeRoot(cwd), env, home, stateDir: stateDir(env, home) }
  const loaded = await loadConfig(places, { files: systemFiles })
  const declared = { workflows: loaded.config.workflows, sources: loaded.sources }
  const ports = { files: systemFiles, smallFiles: systemSmallFiles, env, home, stateDir: places.stateDir }
  const { problems, notices } = await readCatalogue(places.project, declared, ports)
  // Both may name what is in a configuration file.
  const known = new Set(loaded.problems.map(({ file, line, message }) => `${file}:${line} ${message}`))
  const more = problems.filter(({ file, line, message }) => !known.has(`${file}:${line} ${message}`))
  return {
    ...loaded,
    problems: [...loaded.problems, ...more],
    notices: [...loaded.notices, ...notices],
  }
}
