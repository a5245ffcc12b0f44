import type { Programs } from './assess.ts'
import { ARCHIVES } from './programs/archives.ts'
import { CLOUD } from './programs/cloud.ts'
import { COMPILED } from './programs/compiled.ts'
import { CONTAINERS } from './programs/containers.ts'
import { COREUTILS } from './programs/coreutils.ts'
import { DATABASES } from './programs/databases.ts'
import { FORGE } from './programs/forge.ts'
import { GIT } from './programs/git.ts'
import { JAVASCRIPT } from './programs/javascript.ts'
import { KUBERNETES } from './programs/kubernetes.ts'
import { MACOS } from './programs/macos.ts'
import { NETWORK } from './programs/network.ts'
import { OWN } from './programs/own.ts'
import { PYTHON } from './programs/python.ts'
import { SYSTEM } from './programs/system.ts'
import { type CompiledSpec, compileProgram, type ProgramTable } from './spec.ts'

const TABLES: readonly ProgramTable[] = [
  COREUTILS,
  ARCHIVES,
  GIT,
  FORGE,
  JAVASCRIPT,
  PYTHON,
  COMPILED,
  CONTAINERS,
  KUBERNETES,
  CLOUD,
  NETWORK,
  DATABASES,
  SYSTEM,
  MACOS,
  OWN,
]

let compiled: Programs | undefined

/** Every built-in program table, compiled on first use. */
export function builtinPrograms(): Programs {
  compiled ??= compileAll()
  return compiled
}

function compileAll(): Programs {
  const programs = new Map<string, CompiledSpec>()
  for (const table of TABLES) {
    for (const [names, entry] of Object.entries(table)) {
      const spec = compileProgram(entry)
      for (const name of names.split(/\s+/)) programs.set(name, spec)
    }
  }
  return programs
}
