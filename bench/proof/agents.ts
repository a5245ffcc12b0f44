import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeHome } from '../../packages/baton/test/world/agents/claude.ts'
import { runClaude } from '../../packages/baton/test/world/agents/claude-headless.ts'
import { codex } from '../../packages/baton/test/world/agents/codex.ts'
import { agentHome } from '../../packages/baton/test/world/agents/real.ts'
import { type Model, startModel } from '../../packages/baton/test/world/model.ts'
import { call, type Turn } from '../../packages/baton/test/world/turn.ts'

/** A real agent with a private home, whose model is fake. */
export interface BenchAgent extends AsyncDisposable {
  home: string
  model: Model
  shell(command: string): Turn
  trust(folder: string): void
  /** Runs issue-to-impl to its end, without a terminal. Returns what it printed. */
  run(issue: number, cwd: string, env: Record<string, string>): Promise<string>
}

const TIMEOUT = 180_000

export async function openAgent(name: string): Promise<BenchAgent> {
  if (name === 'claude') return openClaude()
  if (name === 'codex') return openCodex()
  throw new Error(`no agent ${name} here`)
}

async function openClaude(): Promise<BenchAgent> {
  const model = await startModel()
  const claude = claudeHome()
  mkdirSync(join(claude.path, '.claude/commands'), { recursive: true })
  writeFileSync(join(claude.path, '.claude/commands/issue-to-impl.md'), 'Implement issue $ARGUMENTS.\n')
  return {
    home: claude.path,
    model,
    shell: command => call('Bash', { command }),
    trust: claude.trust,
    async run(issue, cwd, env) {
      const prompt = `/issue-to-impl ${issue}`
      const { sessionId, exitCode, stdout, stderr } = await runClaude({
        home: claude,
        model,
        cwd,
        prompt,
        env,
        timeout: TIMEOUT,
      })
      if (!sessionId) throw new Error(`Claude Code did not run: ${stderr}`)
      return `${stdout}\n${stderr}\nexit code ${exitCode}`
    },
    async [Symbol.asyncDispose]() {
      await claude[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
    },
  }
}

async function openCodex(): Promise<BenchAgent> {
  const model = await startModel([codex.dialect])
  const home = await agentHome(codex, model)
  return {
    home: home.path,
    model,
    shell: codex.shell,
    trust: () => {},
    async run(issue, cwd, env) {
      const { exitCode, stdout, stderr } = await home.run({
        prompt: ` /issue-to-impl ${issue}`,
        cwd,
        env,
        timeout: TIMEOUT,
      })
      if (exitCode !== 0) throw new Error(`Codex ended with ${exitCode}: ${stderr}`)
      return `${stdout}\n${stderr}\nexit code ${exitCode}`
    },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
    },
  }
}
