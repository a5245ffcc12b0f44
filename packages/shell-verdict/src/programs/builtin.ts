import type { Programs } from './assess.ts'
import { type CompiledSpec, checkProgram, compileProgram, type ProgramTable } from './spec.ts'
import { ANSIBLE } from './tables/ansible.ts'
import { ARCHIVES } from './tables/archives.ts'
import { AWS } from './tables/aws.ts'
import { AZURE } from './tables/azure.ts'
import { BUILTINS } from './tables/builtins.ts'
import { CLOUD } from './tables/cloud.ts'
import { COMPILED } from './tables/compiled.ts'
import { CONTAINERS } from './tables/containers.ts'
import { COREUTILS } from './tables/coreutils.ts'
import { DATABASES } from './tables/databases.ts'
import { FILE_TOOLS } from './tables/file-tools.ts'
import { FORGE } from './tables/forge.ts'
import { GIT } from './tables/git.ts'
import { GOOGLE_CLOUD } from './tables/google-cloud.ts'
import { INFRASTRUCTURE } from './tables/infrastructure.ts'
import { JAVASCRIPT } from './tables/javascript.ts'
import { KUBERNETES } from './tables/kubernetes.ts'
import { MACOS } from './tables/macos.ts'
import { NETWORK } from './tables/network.ts'
import { PYTHON } from './tables/python.ts'
import { SYSTEM } from './tables/system.ts'
import { TEXT_TOOLS } from './tables/text-tools.ts'

export const TABLES: readonly ProgramTable[] = [
  BUILTINS,
  TEXT_TOOLS,
  COREUTILS,
  FILE_TOOLS,
  ARCHIVES,
  GIT,
  FORGE,
  JAVASCRIPT,
  PYTHON,
  COMPILED,
  CONTAINERS,
  KUBERNETES,
  AWS,
  AZURE,
  GOOGLE_CLOUD,
  INFRASTRUCTURE,
  ANSIBLE,
  CLOUD,
  NETWORK,
  DATABASES,
  SYSTEM,
  MACOS,
]

let compiled: Programs | undefined

/** The program tables that come with this package. Each program is compiled on first use. */
export function builtinPrograms(): Programs {
  compiled ??= compilePrograms([])
  return compiled
}

/** The same with tables of the caller's own; a later table replaces an earlier program of the same name. */
export function compilePrograms(more: readonly ProgramTable[]): Programs {
  const programs = new Map<string, CompiledSpec>()
  for (const table of [...TABLES, ...more]) {
    for (const [names, entry] of Object.entries(table)) {
      const spec = compileProgram(entry)
      // The package's own tables are checked by its tests.
      if (more.includes(table)) checkProgram(spec)
      for (const name of names.split(/\s+/)) programs.set(name, spec)
    }
  }
  return programs
}
