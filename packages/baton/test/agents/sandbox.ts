import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentHome, type RealAgent } from '../world/agents/real.ts'
import { batonIn } from '../world/baton.ts'
import { startModel, textOf } from '../world/model.ts'
import { say } from '../world/turn.ts'

/** Code that no one can judge by its text: it changes the project and looks for a secret of the home folder. */
const SCRIPT = `echo made > made.txt
cat "$1" > secret.txt 2>/dev/null || echo 'no secret here'
`

/** A session with default settings, in which commands that no rule decides run in the sandbox and nobody is asked. */
export async function checkSandbox(agent: RealAgent): Promise<string | undefined> {
  await using model = await startModel([agent.dialect])
  await using home = await agentHome({ ...agent, headless: agent.careful ?? agent.headless }, model)
  await using baton = batonIn(home.path, home.project)
  await baton.must('init', '--agent', agent.name)
  const secret = join(home.path, 'my-secret.txt')
  writeFileSync(secret, 'the-secret-of-the-home')
  writeFileSync(join(home.project, 'work.sh'), SCRIPT)
  // The first one shows that this version runs what it is handed.
  const commands = ['git status --short', `sh work.sh '${secret}'`, 'echo "exit $(sh -c "exit 3"; echo $?)"']
  const turns = [...commands.map(agent.shell), say('All done.')]
  model.script({ key: home.key }, () => turns.shift())
  await home.run({ prompt: 'work' })

  const bodies = (await baton.entries({})).map(({ body }) => body)
  const asked = bodies.filter(({ kind }) => kind === 'ask' || kind === 'fault')
  if (asked.length > 0) return `it asked or failed: ${JSON.stringify(asked).slice(0, 2000)}`
  const decided = bodies.flatMap(body =>
    body.kind === 'decision' ? `${body.decision} by ${body.by}: ${body.subject}` : [],
  )
  const wanted = commands.map(command => `allow by sandbox: ${command}`)
  if (decided.join('\n') !== wanted.join('\n')) return `decided:\n${decided.join('\n')}`
  const ended = bodies.flatMap(body =>
    body.kind === 'event' && body.event.type === 'ToolFinished' && body.event.action.kind === 'shell'
      ? body.event.action.command
      : [],
  )
  if (ended.join('\n') !== commands.join('\n')) return `the journal knows the ends of:\n${ended.join('\n')}`
  const last = model.mainRequests({ key: home.key }).at(-1) ?? model.requests.at(-1) ?? noRequest()
  const told = textOf(last)
  for (const word of ['no secret here', 'exit 3'])
    if (!told.includes(word)) return `the model was not told "${word}": ${told.slice(-2000)}`
  // Copilot CLI shows its model what ran.
  if (agent.name !== 'copilot' && JSON.stringify(last.body).includes('/sandbox/box'))
    return 'the model was shown what ran in place of its command'
  if (!existsSync(join(home.project, 'made.txt'))) return 'the command changed nothing in the project'
  if (readFileSync(join(home.project, 'secret.txt'), 'utf8') !== '') return 'the command read the secret'
  // Claude Code asks if it drops a replacement; the others have to show that they do not.
  if (agent.name === 'claude-code') return undefined
  const kept = readFileSync(join(baton.stateDir, 'sandbox/rewrites.json'), 'utf8')
  return kept.includes('"proven"') ? undefined : `Baton remembers ${kept}`
}

const noRequest = (): never => {
  throw new Error('the model was never asked')
}
