import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../../packages/baton/test/world/wait.ts'
import { installVsce } from '../world/install.ts'

const SOURCE = join(import.meta.dirname, 'companion')

/** A second extension that does what a model or another extension would: calls tools, runs commands. */
export interface Companion {
  vsix: string
  env: Record<string, string>
  ready(): Promise<string>
  /** The texts a tool gave; throws what it failed with. */
  invokeTool(name: string, input: Record<string, unknown>): Promise<string[]>
  tools(): Promise<{ name: string; description: string; inputSchema?: unknown }[]>
  command(name: string, ...args: unknown[]): Promise<unknown>
}

export async function companion(home: string): Promise<Companion> {
  const folder = join(home, 'companion')
  mkdirSync(folder, { recursive: true })
  const vsix = join(home, 'companion.vsix')
  const quiet = ['--no-dependencies', '--allow-missing-repository', '--skip-license']
  execFileSync(await installVsce(), ['package', ...quiet, '--out', vsix], { cwd: SOURCE, stdio: 'ignore' })
  let count = 0
  const answered = async (name: string): Promise<unknown> => {
    const path = join(folder, `${name}.answer.json`)
    await until(() => existsSync(path), { what: `the answer ${name} from VS Code`, timeout: 120_000 })
    const { value, error } = JSON.parse(readFileSync(path, 'utf8'))
    if (error !== undefined) throw new Error(error)
    return value
  }
  const ask = async (asked: Record<string, unknown>): Promise<unknown> => {
    const name = String(++count)
    writeFileSync(join(folder, `${name}.new`), JSON.stringify(asked))
    renameSync(join(folder, `${name}.new`), join(folder, `${name}.ask.json`))
    return await answered(name)
  }
  return {
    vsix,
    env: { COMPANION_FOLDER: folder },
    ready: async () => String(await answered('ready')),
    invokeTool: async (tool, input) => (await ask({ tool, input })) as string[],
    tools: async () => (await ask({ tools: true })) as Awaited<ReturnType<Companion['tools']>>,
    command: (command, ...args) => ask({ command, args }),
  }
}
