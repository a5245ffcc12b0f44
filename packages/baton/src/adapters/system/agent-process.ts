import { readFile, readlink, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'

/** How many parents are looked at: a hook's shell, the agent, and what started it. */
const MAX_PARENTS = 4

export interface AgentProcess {
  env: Readonly<Record<string, string>>
  /** Words of the process's command line and of its next parents'. */
  args: readonly string[]
  /** Its program file, with size and time: an update changes it. Undefined if Baton cannot tell. */
  program: string | undefined
}

/** Environment and command line of an agent, as the system reports them; undefined if it does not. */
export async function readAgentProcess(pid: number): Promise<AgentProcess | undefined> {
  const environ = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => undefined)
  if (environ === undefined) return undefined
  const args: string[] = []
  for (let next = pid, depth = 0; next > 1 && depth < MAX_PARENTS; depth++) {
    const [cmdline, status] = await Promise.all(
      ['cmdline', 'status'].map(name => readFile(`/proc/${next}/${name}`, 'utf8').catch(() => '')),
    )
    args.push(...(cmdline ?? '').split('\0').filter(Boolean), '--')
    next = Number(/^PPid:\s*(\d+)$/m.exec(status ?? '')?.[1] ?? 0)
  }
  const env = environ.split('\0').flatMap(pair => {
    const at = pair.indexOf('=')
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : []
  })
  return { env: Object.fromEntries(env), args, program: await programOf(pid, args) }
}

/** The program's own file: of a script that file, not the interpreter's. */
async function programOf(pid: number, args: readonly string[]): Promise<string | undefined> {
  try {
    const executable = await readlink(`/proc/${pid}/exe`)
    const script = args.slice(1, args.indexOf('--')).find(word => !word.startsWith('-'))
    const named = INTERPRETERS.test(basename(executable)) ? script : executable
    if (named === undefined) return undefined
    return await programFile(isAbsolute(named) ? named : join(`/proc/${pid}/cwd`, named))
  } catch {
    return undefined
  }
}

/** How `AgentProcess.program` names the file. */
export async function programFile(file: string): Promise<string> {
  const path = await realpath(file)
  const { size, mtimeMs } = await stat(path)
  return `${path} ${size} ${Math.round(mtimeMs)}`
}

const INTERPRETERS = /^(?:node|bun|deno|python)[\d.]*$/
