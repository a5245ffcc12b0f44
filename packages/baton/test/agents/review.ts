import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { Proof } from '@batonpass/contract/proof'
import { installAgent } from '../world/agents/install.ts'
import { agentHome, type RealAgent } from '../world/agents/real.ts'
import { batonIn } from '../world/baton.ts'
import { type ModelRequest, startModel } from '../world/model.ts'
import { call, say } from '../world/turn.ts'

const FINDING = { file: 'sum.js', line: 1, what: 'It subtracts.' }
const REVIEW = 'Review the change'
/** Tools that only read, and ways to answer. */
const READS =
  /^(?:Read|Grep|Glob|StructuredOutput|DeferredToolPlaceholder|read|grep|find|ls|glob|list|view|rg|read_file|list_directory|grep_search|search_file_content|request_user_input|update_plan|update_topic|invalid)$/

/** The agent's own program reviews a commit in the sandbox: it reads there, finds, and never has the login. */
export async function checkReview(agent: RealAgent): Promise<string | undefined> {
  await using model = await startModel([agent.dialect], { tls: '127.0.0.2' })
  await using home = await agentHome(agent, model)
  const { repository: project } = home
  await project.commit({
    'sum.js': 'module.exports = (a, b) => a + b\n',
    'README.md': 'THE-WORDS-OF-THE-FILE\n',
  })
  await project.git('checkout', '-q', '-b', 'issue-1')
  await project.commit({ 'sum.js': 'module.exports = (a, b) => a - b\n' })
  await using baton = batonIn(home.path, home.project)
  baton.configure(
    `proof:\n  done_when:\n    - files: { exist: [sum.js] }\n    - review: Does it still add?\n      agent: ${agent.name}\n`,
  )
  const certificate = join(home.path, 'model.pem')
  writeFileSync(certificate, model.certificate)
  const path = [dirname(await installAgent(agent.name)), dirname(process.execPath), home.env().PATH]
  const env = { ...home.env(), PATH: path.join(delimiter), NODE_EXTRA_CA_CERTS: certificate }
  let asked = false
  const answer = ({ text, toolNames }: ModelRequest) => {
    if (!text.includes(REVIEW)) return undefined
    const checkout = /A clean checkout of the commit is in (\S+):/.exec(text)?.[1]
    if (agent.read && !asked && checkout && toolNames.length > 0) {
      asked = true
      return agent.read(`${checkout}/README.md`)
    }
    const verdict = { verdict: 'fail', findings: [FINDING], read: [] }
    return agent.name === 'claude-code' ? call('StructuredOutput', verdict) : say(JSON.stringify(verdict))
  }
  model.script(({ text }) => text.includes(REVIEW), answer)
  model.answerSide('side', answer)
  const listed = await baton.run(['checks'], { env })
  if (listed.code !== 0 || listed.stdout.includes('\n! '))
    return `baton checks: ${listed.stdout}${listed.stderr}`
  const ran = await baton.run(['proof', 'run', '--json'], { env })
  const proof = Proof.safeParse(JSON.parse(ran.stdout || '{}')).data
  const about = `${ran.stderr}\n${proof?.why}\n${proof?.results.at(-1)?.output}\n${model.summary()}\n${model.failures.join('\n')}`
  if (!proof?.why?.includes('found sum.js:1')) return `it found nothing\n${about}`
  const requests = model.requests.filter(({ text }) => text.includes(REVIEW))
  const words = requests.at(-1)?.text ?? ''
  if (agent.read && !words.includes('THE-WORDS-OF-THE-FILE'))
    return `it read no file of the checkout\n${about}\n${words.slice(-1500)}`
  // Its own folder, which exists only inside.
  if (!agent.read && !words.includes(join(home.path, 'answer'))) return `it did not run inside\n${about}`
  const tools = [...new Set(requests.flatMap(({ toolNames }) => toolNames))].filter(name => !READS.test(name))
  if (tools.length > 0) return `it was given tools: ${tools.join(', ')}`
  if (model.requests.some(({ key }) => key !== home.key)) return 'the model got no login, or another one'
  if (model.requests.some(({ text }) => text.includes(home.key))) return 'it has the login inside'
  return undefined
}
