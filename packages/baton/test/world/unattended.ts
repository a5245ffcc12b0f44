import type { EntryBody } from '@batonpass/contract/journal'
import { expect } from 'vitest'
import { type ClaudeHome, claudeHome } from './agents/claude.ts'
import { type AgentHome, agentHome, type RealAgent } from './agents/real.ts'
import { type BatonHere, batonIn, batonOnPath } from './baton.ts'
import { cloneInto, settingsFor } from './claims.ts'
import type { Dialect } from './dialects/dialect.ts'
import { type FakeGitHub, fakeGitHub, ghOnPath } from './github.ts'
import { type Model, startModel } from './model.ts'
import type { Repository } from './scratch.ts'

/** A project whose tests run, cloned from the fake GitHub, with Baton's hooks and `gh` on the PATH, and no one to ask. */
export interface UnattendedWorld<Home = ClaudeHome> extends AsyncDisposable {
  github: FakeGitHub
  model: Model
  home: Home
  repo: Repository
  baton: BatonHere
  /** What an agent needs besides its own variables. */
  env: { PATH: string; GH_ENTERPRISE_TOKEN: string }
  /** What reached a person, in any form, since `expectNoAsk` looked. */
  questions(): Promise<string[]>
  /** Fails if there are any. */
  expectNoAsk(): Promise<void>
}

/** Default settings but for the address of GitHub. There is no key for a model that judges, and no channel. */
export const unattendedWorld = (): Promise<UnattendedWorld> =>
  unattendedIn({ agent: 'claude', dialects: undefined, open: async () => claudeHome() })

/** The same for any other real agent. */
export const unattendedAgentWorld = (agent: RealAgent): Promise<UnattendedWorld<AgentHome>> =>
  unattendedIn({
    agent: agent.name,
    dialects: [agent.dialect],
    open: async model => {
      const home = await agentHome(agent, model)
      return Object.assign(home, { git: async () => home.repository })
    },
  })

type Home = Pick<ClaudeHome, 'path' | 'project' | 'git'> & AsyncDisposable

async function unattendedIn<H extends Home>(order: {
  agent: string
  dialects: Dialect[] | undefined
  open(model: Model): Promise<H>
}): Promise<UnattendedWorld<H>> {
  await using stack = new AsyncDisposableStack()
  const github = stack.use(await fakeGitHub())
  const model = stack.use(await startModel(order.dialects))
  const home = stack.use(await order.open(model))
  await github.repository.git.commit('main', {
    'package.json': JSON.stringify({ name: 'app', private: true, scripts: { test: 'node --test' } }),
    'sum.js': 'module.exports = (a, b) => a + b\n',
    'sum.test.js':
      "require('node:test')('adds', () => require('node:assert').equal(require('./sum')(1, 2), 3))\n",
  })
  const repo = await cloneInto(home, github)
  const bin = batonOnPath(home.path)
  ghOnPath(bin)
  const env = { PATH: `${bin}:${process.env.PATH}`, GH_ENTERPRISE_TOKEN: github.token }
  const baton = stack.use(batonIn(home.path, home.project))
  await baton.must('init', '--agent', order.agent)
  baton.configure(settingsFor(github))
  expect(await baton.run(['up', '--restart'], { env })).toMatchObject({ code: 0 })
  const owned = stack.move()
  let seen = 0
  const questions = async () => (await baton.entries({})).slice(seen).flatMap(({ body }) => questionIn(body))
  return {
    github,
    model,
    home,
    repo,
    baton,
    env,
    questions,
    async expectNoAsk() {
      expect(await questions()).toEqual([])
      seen = (await baton.entries({})).length
      expect(JSON.parse(await baton.must('asks', '--json'))).toMatchObject({ asks: [] })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** What an entry says about a question: an ask, a decision that leaves it to a person, or something the broker refused. */
function questionIn(body: EntryBody): string[] {
  if (body.kind === 'ask') return [`ask ${body.what}`]
  if (body.kind === 'decision' && body.decision !== 'allow')
    return [`${body.decision} ${body.tool}: ${body.subject} (${body.reason})`]
  if (body.kind === 'broker' && body.refused !== undefined) return [`${body.command}: ${body.refused}`]
  return body.kind === 'fault' ? [`fault ${JSON.stringify(body)}`] : []
}
