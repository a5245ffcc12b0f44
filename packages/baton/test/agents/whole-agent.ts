import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RealAgent } from '../world/agents/real.ts'
import { textOf } from '../world/model.ts'
import { say } from '../world/turn.ts'
import { until } from '../world/wait.ts'
import { startedInTmux } from './in-tmux.ts'

/** Looks for a secret of the home folder, and for the login in files, in variables and in other processes. */
const SCRIPT = `echo made > made.txt
cat "$1" 2>/dev/null || echo 'no secret here'
login=$(printf %s "$2" | rev)
{ env; cat /proc/[0-9]*/environ 2>/dev/null; find ~ -type f -size -1000k -exec cat {} + 2>/dev/null; } | tr '\\0' '\\n' | grep -acF "$login" > logins.txt
echo looked
`

/** The whole agent in the sandbox: it reaches its model with a login that is not inside, works in the project, and is not asked. */
export async function checkWholeAgent(agent: RealAgent): Promise<string | undefined> {
  const turns: { command?: string }[] = []
  await using here = await startedInTmux(agent, {
    sandbox: true,
    rules: 'permission:\n  undo: false\n',
    prompt: 'work',
    // In bypassPermissions a home that is new to it would show a dialog first.
    ...(agent.name === 'claude-code' ? { args: ['--permission-mode', 'default'] } : {}),
    prepare({ path, project, key }) {
      const secret = join(path, 'my-secret.txt')
      writeFileSync(secret, 'the-secret-of-the-home')
      writeFileSync(join(project, 'look.sh'), SCRIPT)
      turns.push({ command: `sh look.sh '${secret}' '${[...key].reverse().join('')}'` }, {})
    },
    answers: request => {
      if (request.text.includes('looked') || !request.text.includes('work')) return say('All done.')
      const turn = turns.shift()
      return turn?.command ? agent.shell(turn.command) : say('All done.')
    },
  })
  const { home, model, baton, evidence } = here
  const read = (name: string) => readFileSync(join(home.project, name), 'utf8').trim()
  const isOver = () => model.requests.some(request => /\blooked\b/.test(textOf(request)))
  await until(isOver, { what: 'the end of its command', timeout: 150_000, evidence })
  const told = textOf(model.requests.findLast(request => /\blooked\b/.test(textOf(request))) ?? noRequest())
  if (!told.includes('no secret here')) return `the model was told: ${told.slice(-2000)}`
  if (!existsSync(join(home.project, 'made.txt'))) return 'its command changed nothing in the project'
  if (read('logins.txt') !== '0') return `its login is inside, ${read('logins.txt')} times`
  if (!model.requests.every(({ key }) => key === home.key)) return 'the model was asked without its login'
  const bodies = (await baton.entries({})).map(({ body }) => body)
  const asked = bodies.filter(({ kind }) => kind === 'ask' || kind === 'fault')
  if (asked.length > 0) return `it asked or failed: ${JSON.stringify(asked).slice(0, 2000)}`
  const decided = bodies.flatMap(body => (body.kind === 'decision' ? [`${body.decision} by ${body.by}`] : []))
  return decided.join() === 'allow by sandbox' ? undefined : `the decisions were: ${decided.join(', ')}`
}

const noRequest = (): never => {
  throw new Error('the model was never asked')
}
